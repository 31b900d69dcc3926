import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeTicks } from '../../../src/report/charts/time-axis.ts';

const cases: readonly (readonly [from: string, to: string, labels: readonly string[]])[] = [
  ['2026-11-20T01:00:00Z', '2026-11-20T02:00:00Z',
    ['01:00', '01:15', '01:30', '01:45', '02:00']],
  ['2026-11-20T00:55:10Z', '2026-11-20T01:03:00Z', ['00:56', '00:58', '01:00', '01:02']],
  ['2026-11-20T01:00:03Z', '2026-11-20T01:01:00Z', ['01:00:30', '01:01:00']],
  ['2026-11-19T21:00:00Z', '2026-11-20T02:30:00Z', ['22:00', '20 Nov', '02:00']],
  ['2026-11-01T00:00:00Z', '2026-11-20T00:00:00Z', ['3 Nov', '8 Nov', '13 Nov', '18 Nov']],
  ['2026-01-01T00:00:00Z', '2026-11-20T00:00:00Z', ['16 Feb', '27 May', '4 Sep']],
  ['2026-11-20T01:00:00Z', '2026-11-20T01:00:00Z', ['01:00:00']],
];

for (const [from, to, labels] of cases) {
  test(`timeTicks() are at round times from ${from} to ${to}`, () => {
    const ticks = timeTicks(Date.parse(from), Date.parse(to), 5);
    assert.deepEqual(ticks.map(({ label }) => label), labels);
    for (const { atMs } of ticks) assert.ok(atMs >= Date.parse(from) && atMs <= Date.parse(to));
  });
}

test('timeTicks() is empty for an invalid time', () => {
  assert.deepEqual(timeTicks(Number.NaN, 1, 5), []);
  assert.deepEqual(timeTicks(0, 8e15, 3), []);
});
