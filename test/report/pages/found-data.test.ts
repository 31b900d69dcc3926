import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markupText } from '../../../src/report/html.ts';
import { foundData } from '../../../src/report/pages/report/found-data.ts';

const now = Date.parse('2026-01-02T04:00:00Z');

/** What a reader sees of the data, on one line. */
function shown(data: unknown): string {
  const markup = markupText(foundData(data, undefined, now));
  return markup.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ').trim()
    .replace(/^Data /, '').replaceAll('&quot;', '"');
}

const rows: readonly (readonly [what: string, data: unknown, text: string])[] = [
  ['rows, by what they are called',
    { containers: [{ pod: 'cart-1', exit_code: 137, ready: false, waiting: null, ended_at: '' }] },
    'cart-1 · exit code: 137 · ready: false'],
  ['times, as everywhere on the page', { events: [{ object: 'a', last: '2026-01-02T03:04:05Z' }] },
    'a · last: 03:04 UTC'],
  ['lines of a log', { lines: ['one', 'two'] }, 'one two'],
  ['what stands beside a list', { before: 3, after: null, patterns: [{ text: 'x', count: 2 }] },
    'before: 3 x · count: 2'],
  ['several lists, each with its name', { conditions: ['a'], other_things: ['b'] },
    'conditions a other things b'],
  ['another shape as it is', { labels: { pod: 'a' } }, '{ labels: { pod: "a" } }'],
  ['nested rows as they are', { a: [{ b: [{ c: 1 }] }] },
    '{ a: [ { b: [ { c: 1 } ] } ] }'],
  ['numbers as they are', { a: [1] }, '{ a: [1] }'],
  ['markup as text', { lines: ['<b>'] }, '&lt;b&gt;'],
  ['nothing', null, ''],
];
for (const [what, data, text] of rows) {
  test(`foundData() shows ${what}`, () => assert.equal(shown(data), text));
}
