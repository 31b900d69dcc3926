import assert from 'node:assert/strict';
import test from 'node:test';
import { poissonPValue } from '../../../src/statistics/logs/poisson-test.ts';

const hour = 3_600_000;

function moreByChance(before: number, after: number, timesAsLong = 1): number {
  return poissonPValue(
    { count: before, spanMs: timesAsLong * hour }, { count: after, spanMs: hour });
}

test('poissonPValue is the tail of a binomial distribution', () => {
  assert.equal(moreByChance(0, 1), 0.5);
  assert.equal(moreByChance(0, 2), 0.25);
  // 8 or more heads in 10 throws of a coin: 45 + 10 + 1 of 1024.
  assert.ok(Math.abs(moreByChance(2, 8) - 56 / 1024) < 1e-12);
  // One line is one in a hundred where before was 99 times as long.
  assert.ok(Math.abs(moreByChance(0, 1, 99) - 0.01) < 1e-12);
});

test('poissonPValue goes on where its terms are smaller than any number', () => {
  assert.ok(moreByChance(0, 2000) < 1e-300);
  const alike = moreByChance(2000, 2000);
  assert.ok(alike > 0.5 && alike < 0.52);
});

test('poissonPValue finds nothing unlikely where no time was covered', () => {
  const some = { count: 5, spanMs: hour };
  assert.equal(poissonPValue({ count: 0, spanMs: 0 }, some), 1);
  assert.equal(poissonPValue(some, { count: 5, spanMs: Number.NaN }), 1);
});
