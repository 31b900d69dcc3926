import assert from 'node:assert/strict';
import test from 'node:test';
import { assertCompleteReport } from '../support/complete-report.ts';
import { concluded, latencyCase, problemBegan } from '../support/samples/metric-facts.ts';

const targets = ['a', 'b', 'c'].map((name) => ({ job: 'web', instance: `${name}:80` }));
const downCases: readonly (readonly [up: number, total: number, down: number, said: string])[] = [
  [1, 3, 2, '2 of 3 targets cannot be scraped: a:80, b:80.'],
  [0, 3, 3, 'None of the 3 targets can be scraped: a:80, b:80, c:80.'],
  [2, 9, 3, '7 of 9 targets cannot be scraped: a:80, b:80, c:80, 4 more.'],
  [0, 1, 1, 'Its only target, a:80, cannot be scraped.'],
  [0, 1, 0, 'Its only target cannot be scraped.'],
];
for (const [up, total, down, said] of downCases) {
  test(`findingsOf says: ${said}`, () => {
    const { findings } = concluded(latencyCase(), {
      scrape: { up, total, down: targets.slice(0, down) },
    });
    assert.ok(findings.some(({ text }) => text === said));
  });
}

test('findings and timeline tell which targets were not scraped, and when', () => {
  const [fromMs, toMs] = [problemBegan - 900_000, problemBegan - 60_000];
  const { findings, timeline, report } = concluded(latencyCase(), {
    scrape: { outages: [
      ...targets.slice(0, 1).map((labels) => ({ labels, fromMs: 0, toMs: 90_000 })),
      ...targets.map((labels, index) => ({ labels, fromMs, toMs: index === 0 ? toMs : null })),
    ] },
  });
  assertCompleteReport(report);
  const said = findings.filter(({ text }) => text.includes('could not be scraped'));
  assert.deepEqual(said.map(({ text }) => text),
    ['a:80 could not be scraped for 14 min from 09:40 UTC.']);
  const told = timeline.filter(({ text }) => text.includes('be scraped'));
  assert.deepEqual(told.map(({ at, text }) => `${at.slice(11, 16)} ${text}`),
    ['09:40 3 targets cannot be scraped.', '09:54 a:80 can be scraped again.']);
});
