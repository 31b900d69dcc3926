import assert from 'node:assert/strict';
import { test } from 'node:test';

import { renderListPage } from '../../src/report/render-list-page.ts';
import { renderNotFoundPage, renderWaitingPage } from '../../src/report/render-notice-page.ts';
import type { ReportListEntry } from '../../src/report/report-list.ts';
import { naughtyStrings } from '../support/hostile-report.ts';
import { sampleNow as now } from '../support/sample-report.ts';

const options = { now, reportBase: 'https://alerts.example/base' };
const nothing = { open: [], openTotal: 0, closed: [], closedTotal: 0 };

function entry(members: Partial<ReportListEntry> = {}): ReportListEntry {
  return {
    fingerprint: 'abc', number: 2, name: 'CheckoutLatencyHigh', severity: 'critical',
    namespace: 'payments', startsAt: '2026-11-20T01:14:10Z', endsAt: null, status: 'ready',
    classification: 'actionable', certainty: 'likely', headline: 'It is slow.', notifications: 2,
    said: null,
    ...members,
  };
}

test('renderListPage() shows what to paste while nothing has arrived', () => {
  const page = renderListPage(nothing, options);
  assert.match(page, /- url: https:\/\/alerts\.example\/base\/webhook\n/);
  assert.match(page, /send_resolved: true/);
  assert.match(page, /http-equiv="refresh"/);
});

test('renderListPage() links each episode and tells its state in words', () => {
  const list = { ...nothing, open: [entry({ fingerprint: 'a/b c' })], openTotal: 5 };
  const page = renderListPage(list, options);
  assert.match(page, /<a href="https:\/\/alerts\.example\/base\/report\/a%2Fb%20c\/2"/);
  assert.match(page, /Open \(5\)/);
  assert.match(page, /and 4 more that are not listed/);
  assert.match(page, /12 min ago/);
  assert.match(page, /Needs action · likely/);
});

test('renderListPage() says that none is open when all ended', () => {
  const ended = entry({ endsAt: '2026-11-20T01:20:10Z', status: 'final' });
  const page = renderListPage({ ...nothing, closed: [ended], closedTotal: 1 }, options);
  assert.match(page, /No alert is open/);
  assert.match(page, /after 6 min/);
});

test('renderListPage() and renderWaitingPage() escape naughty strings', () => {
  const clean = renderWaitingPage({ fingerprint: 'x' }).replace(/[^<]/g, '').length;
  for (const text of naughtyStrings()) {
    assert.equal(renderWaitingPage({ fingerprint: text }).replace(/[^<]/g, '').length, clean);
    const open = [entry({ name: text, namespace: text, headline: text })];
    const page = renderListPage({ ...nothing, open, openTotal: 1 }, options);
    const plain = renderListPage({ ...nothing, open: [entry()], openTotal: 1 }, options);
    assert.equal(page.replace(/[^<]/g, '').length, plain.replace(/[^<]/g, '').length, text);
  }
});

test('renderListPage() bears a fingerprint with a lone surrogate', () => {
  const open = [entry({ fingerprint: '\ud800' })];
  assert.match(renderListPage({ ...nothing, open, openTotal: 1 }, options), /It is slow/);
});

test('renderWaitingPage() looks again and says why; renderNotFoundPage() stays', () => {
  assert.match(renderWaitingPage({ fingerprint: 'abc' }), /http-equiv="refresh" content="5"/);
  assert.match(renderWaitingPage({ fingerprint: 'abc' }), /before the alert itself/);
  assert.doesNotMatch(renderNotFoundPage(), /http-equiv="refresh"/);
});
