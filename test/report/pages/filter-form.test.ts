import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markupText } from '../../../src/report/html.ts';
import { everything, type ListFilter } from '../../../src/report/list-filter.ts';
import { countsBar, filterForm } from '../../../src/report/pages/list/filter-form.ts';
import { emptyList } from '../../support/samples/report-lists.ts';

function formOf(filter: Partial<ListFilter>): string {
  return markupText(filterForm(emptyList, { ...everything, ...filter }));
}

/** The words of the counts, such as `◆ 3 critical`. */
function countsOf(filter: Partial<ListFilter>): string[] {
  const list = {
    ...emptyList, total: { open: 9, ended: 4 },
    open_by_severity: { critical: 3, warning: 2, info: 0, unknown: 0, none: 1 },
  };
  const markup = markupText(countsBar(list, { ...everything, ...filter }));
  return [...markup.matchAll(/<a [^>]*>(.*?)<\/a>/gs)].map(([, content = '']) =>
    content.replaceAll(/<[^>]*>/g, ''));
}

test('countsBar() counts open alerts by severity, and ended ones', () => {
  assert.deepEqual(countsOf({}),
    ['● 6 open', '◆ 3 critical', '▲ 2 warning', '○ 1 severity “none”', '✓ 4 ended']);
  assert.equal(countsOf({ state: 'open', severity: 'critical' }).at(-1), '✓ 4 ended');
});

test('countsBar() has no number of ended alerts if a filter makes it unknown', () => {
  assert.equal(countsOf({ text: 'cart' }).at(-1), '✓ ended');
});

test('filterForm() is folded and cannot be cleared while nothing is filtered', () => {
  const form = formOf({});
  assert.match(form, /<details id="filter"><summary>/);
  assert.doesNotMatch(form, /Clear the filter|selected>(?!All<|Any<|Any time<)/);
  assert.equal(form.match(/ selected/g)?.length, 3);
  assert.match(form, /<option value="" selected>All<.*<option value="ended">Ended</s);
  assert.match(form, /name="namespace" value=""/);
  assert.match(form, /name="from" value=""/);
});

test('filterForm() stays folded for a search alone, which is shown above it', () => {
  const form = formOf({ text: 'cart' });
  assert.match(form, /name="text" value="cart"/);
  assert.match(form, /<details id="filter"><summary>/);
  assert.match(form, /Clear the filter/);
});

test('filterForm() is open and filled in for every other filter', () => {
  const given: readonly (readonly [Partial<ListFilter>, RegExp])[] = [
    [{ state: 'ended' }, /<option value="ended" selected>Ended</],
    [{ severity: 'unknown' }, /<option value="unknown" selected>no known severity</],
    [{ namespace: 'shop' }, /name="namespace" value="shop"/],
    [{ sinceMs: 86_400_000 * 7 }, /<option value="7d" selected>the last 7d</],
    [{ from: Date.parse('2026-11-20T02:00:30Z') }, /name="from" value="2026-11-20T02:00"/],
    [{ to: Date.parse('2026-11-20T03:00:00Z') }, /name="to" value="2026-11-20T03:00"/],
  ];
  for (const [filter, filled] of given) {
    const form = formOf(filter);
    assert.match(form, filled);
    assert.match(form, /<details id="filter" open>/);
    assert.match(form, /Clear the filter/);
    assert.equal(form.match(/<option value="\d+[hd]"/g)?.length, 5);
  }
});

test('filterForm() also offers the span in the address', () => {
  const form = formOf({ sinceMs: 3 * 3_600_000 });
  assert.match(form, /<option value="3h" selected>the last 3h</);
  assert.equal(form.match(/<option value="\d+[hd]"/g)?.length, 6);
});
