import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleAt } from '../../src/evidence/metrics/own/own-samples.ts';
import type { InstantAnswer } from '../../src/sources/prometheus-answers.ts';

test('valueAt uses an earlier point only if the answer has no sample', () => {
  const labels = { job: 'cache' };
  const window = { fromMs: 0, toMs: 600_000, stepSeconds: 60, onMs: 300_000, splitMs: 240_000 };
  const points = [{ atMs: 60_000, value: 0.9 }, { atMs: 120_000, value: 0.8 }];
  const answered = (...values: number[]): InstantAnswer => ({
    samples: values.map((value) => ({ labels, value })), omitted: 0,
    notes: { warnings: [], isPartial: false },
  });
  const rows: readonly (readonly [InstantAnswer | null, number, number | null])[] = [
    [answered(0.5), 180_000, 0.5], [answered(), 180_000, 0.8], [null, 240_000, 0.8],
    [answered(), 300_000, null], [answered(Infinity), 180_000, Infinity],
    // It fired for being no number: what it was a minute before is not the value it fired with.
    [answered(Number.NaN), 180_000, null],
  ];
  for (const [answer, atMs, expected] of rows) {
    assert.equal(sampleAt(atMs, answer, { labels, points, window }), expected);
  }
});
