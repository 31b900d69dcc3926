import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assess } from '../../../src/model/assertions/judge.ts';
import { askedTitle, ownTextOf } from '../../../src/model/assertions/whose-words.ts';
import type { EvidenceItem } from '../../../src/report/report.ts';
import { sampleReport } from '../../support/samples/sample-report.ts';
import { aFinding } from '../../support/scripted-model.ts';

/** What a tool adds of the answer to a query of the model. */
function asked(query: string, value: number): EvidenceItem {
  const [item] = sampleReport().evidence;
  assert.ok(item !== undefined);
  return {
    ...item, id: 'E9', kind: 'series', source: 'prometheus', state: 'ok', query,
    role: 'query_of_model', title: `${askedTitle}${query}`,
    summary: `1 value: {job="api"} is ${value}`,
    data: { samples: [{ labels: { job: 'api' }, value }] }, from: null, to: null,
  };
}

function shownOf(query: string, value: number): string | null {
  const finding = aFinding({ is: 'value', a: 'E9.samples[0].value' });
  const judged = assess(finding, new Map([['E9', asked(query, value)]]));
  return judged.holds ? judged.text : null;
}

const made: readonly (readonly [query: string, value: number])[] = [
  ['up * 0 + 97.4', 97.4], ['up * 97.4', 97.4], ['up * on (job) fill_right (97.4) none', 97.4],
  ['none or (97.4 > 5)', 97.4], ['clamp_min(up, 97.4)', 97.4], ['up + 96 + 1', 98],
  ['errors_total or vector(0)', 0], ['up * 0', 0], ['up - 0.5', 0.5], ['up % 97', 1],
  ['up ^ 0', 1], ['-97.4 < up', 1], ['(up + 96.4)', 97.4],
];
for (const [query, value] of made) {
  test(`a number that the model may have put into ${query} is not shown`, () => {
    assert.equal(shownOf(query, value), null);
  });
}

const measured: readonly (readonly [query: string, value: number])[] = [
  ['histogram_quantile(0.99, rate(http_seconds_bucket{pod="web-1"}[5m]))', 3.2],
  ['sum(db_connections) > 150', 198], ['topk(5, sum by (job) (restarts))', 5],
  ['1 - avg(idle) / 100', 0.4], ['sum(bytes) / 1024 / 1024', 12], ['disk_used < 97.4', 12],
  ['rate(errors_total[5m] offset 1h) * 60', 2],
];
for (const [query, value] of measured) {
  test(`a measured number is shown for ${query}`, () => {
    assert.match(shownOf(query, value) ?? '', new RegExp(`job api: value ${value}\\b`));
  });
}

test("a model's own words are in no sentence of code's and prove no name", () => {
  const query = 'up{note!="the disk of ledger-store is full"}';
  assert.doesNotMatch(shownOf(query, 1) ?? 'null', /disk|ledger|null/);
  assert.doesNotMatch(ownTextOf(asked(query, 1)), /ledger/);
});
