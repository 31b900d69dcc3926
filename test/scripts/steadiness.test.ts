import assert from 'node:assert/strict';
import { test } from 'node:test';
import { floorsOf, grows, isSteady, trendOf, type Sample } from '../../scripts/bench/steadiness.ts';

/** An hour of samples of a heap: a floor with a saw of garbage on it. */
function anHour(floorAt: (seconds: number) => number): Sample[] {
  return Array.from({ length: 360 }, (_, index) => {
    const seconds = index * 10;
    return { seconds, value: floorAt(seconds) + (seconds % 170) / 10 };
  });
}

test('floorsOf() keeps the smallest sample of each stretch', () => {
  const floors = floorsOf(anHour(() => 40), 300);
  assert.equal(floors.length, 12);
  for (const { value } of floors) assert.equal(value, 40);
});

test('trendOf() tells a leak of 2 MB per hour from constant memory', () => {
  const leak = trendOf(floorsOf(anHour((seconds) => 40 + seconds / 1800), 300));
  assert.ok(Math.abs(leak.perHour - 2) < 0.1, `${leak.perHour}`);
  assert.ok(grows(leak, 1));
  assert.ok(!grows(leak, 3));
  assert.ok(!grows(trendOf(floorsOf(anHour(() => 40), 300)), 1));
});

test('grows() does not take chance for a leak', () => {
  const jumps = [3, -4, 5, -2, 4, -5].map((jump, index) => (
    { seconds: index * 300, value: 40 + jump }));
  const last = { seconds: 1800, value: 46 };
  const trend = trendOf([...jumps, last]);
  assert.ok(trend.perHour > 1);
  assert.ok(!grows(trend, 1));
  assert.ok(!isSteady(trend, 1)); // Nor for none.
});

test('isSteady() is true of constant memory and false of a leak', () => {
  assert.ok(isSteady(trendOf(floorsOf(anHour(() => 40), 300)), 1));
  assert.ok(!isSteady(trendOf(floorsOf(anHour((seconds) => 40 + seconds / 1800), 300)), 1));
});

test('trendOf() gives no certainty for two samples or fewer', () => {
  assert.equal(trendOf([{ seconds: 0, value: 1 }, { seconds: 300, value: 2 }]).plusMinus, Infinity);
});
