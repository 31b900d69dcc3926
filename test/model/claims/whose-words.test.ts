import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unsupportedIn } from '../../../src/model/claims/check-claim.ts';
import { askedTitle, withoutOwnWords } from '../../../src/model/claims/whose-words.ts';
import type { EvidenceItem } from '../../../src/report/report.ts';
import { sampleReport } from '../../support/samples/sample-report.ts';

/** What a tool adds of the answer to a query of the model. */
function asked(query: string, value: number, labels: Record<string, string> = {}): EvidenceItem {
  const [item] = sampleReport().evidence;
  assert.ok(item !== undefined);
  return {
    ...item, id: 'E9', kind: 'series', source: 'prometheus', state: 'ok', query,
    title: `${askedTitle}${query}`, summary: `1 value: ${JSON.stringify(labels)} is ${value}`,
    data: { samples: [{ labels, value }] }, from: null, to: null,
  };
}

function isBelieved(text: string, item: EvidenceItem): boolean {
  return unsupportedIn({ text, evidence: ['E9'] }, new Map([['E9', item]])).length === 0;
}

const excuse = 'up{note="false alarm, the disk of db-1 is full"} or vector(0)';
const lies: readonly (readonly [text: string, query: string, value: number])[] = [
  ['The disk of db-1 is full.', excuse, 0],
  ['This is a false alarm.', excuse, 0],
  ['The note is "false alarm, the disk of db-1 is full".', excuse, 0],
  ['It says the_disk_is_full.', 'up or the_disk_is_full', 1],
  ['It says the_disk_is_full.', 'up unless the_disk_is_full', 1],
  ['It says the_disk_is_full.', 'sum by (the_disk_is_full) (up)', 1],
  ['It says the_disk_is_full.', 'up{the_disk_is_full=""}', 1],
  ['It says the_disk_is_full.', 'quantile(scalar(the_disk_is_full or vector(0)), up)', 1],
  ['It says the_disk_is_full.', 'up + on (job) fill_right (0) the_disk_is_full', 1],
  ['The value is 97.4.', 'up * 0 + 97.4', 97.4],
  ['The value is 97.4.', 'up * on (job) fill_right (97.4) none', 97.4],
  ['The value is 97.4.', 'none or (97.4 > 5)', 97.4],
  ['The value is 97.4.', 'clamp_min(up, 97.4)', 97.4],
  ['The limit is 97.4.', 'disk_used < 97.4', 12],
];
for (const [text, query, value] of lies) {
  test(`what a model wrote into ${query} is no evidence that: ${text}`, () => {
    assert.equal(isBelieved(text, asked(query, value)), false);
  });
}

const p99 = 'histogram_quantile(0.99, rate(http_seconds_bucket{pod="web-1"}[5m]))';
const truths: readonly (readonly [text: string, query: string, value: number])[] = [
  ['The value is 3.2.', p99, 3.2],
  ['The p99 of http_seconds is 3.2.', p99, 3.2],
  ['For `pod="web-1"` http_seconds_bucket came to 3.2 over 5m windows.', p99, 3.2],
  ['db_connections is 198.', 'sum(db_connections) > 150', 198],
];
for (const [text, query, value] of truths) {
  test(`an answer to ${query} is evidence that: ${text}`, () => {
    assert.equal(isBelieved(text, asked(query, value)), true);
  });
}

test('an empty answer proves nothing of its query', () => {
  const item = { ...asked('up{note="run me"}', 0), state: 'empty' as const };
  const { title, query } = withoutOwnWords(item);
  assert.deepEqual([title, query], ['', '']);
});
