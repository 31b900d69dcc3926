import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fallUntil, growthUntil } from '../../src/statistics/growth.ts';

const told = (...values: readonly number[]): unknown => {
  const found = growthUntil(values.map((value, index) => ({ atMs: index, value })));
  return found && [found.foot.value, found.top.value];
};

test('a growth is told from the level that was kept before it', () => {
  assert.deepEqual(told(70, 70, 70, 70, 95, 120, 145), [70, 145]);
  assert.deepEqual(told(10, 12, 14, 16, 18), [10, 18]);
  // A step back in between is none, and a fall is where it began anew.
  assert.deepEqual(told(50, 50, 50, 50, 80, 110, 108, 140, 170, 200), [50, 200]);
  assert.deepEqual(told(300, 380, 460, 50, 130, 210, 290), [50, 290]);
});

test('what keeps its level, wobbles or grows by little has not grown', () => {
  assert.equal(told(), null);
  assert.equal(told(70, 71, 70, 71, 70), null);
  assert.equal(told(70, 140), null, 'a jump');
  assert.equal(told(70, 72, 74, 76), null);
  assert.equal(told(70, 120, 60, 130, 65, 140), null);
});

test('a growth ends where nothing more fits, and a fall is told like one', () => {
  assert.deepEqual(told(10, 12, 14, 16, 18, 18, 18, 18), [10, 18]);
  const fell = (...values: readonly number[]): unknown => {
    const found = fallUntil(values.map((value, index) => ({ atMs: index, value })));
    return found && [found.foot.value, found.foot.atMs, found.top.value];
  };
  assert.deepEqual(fell(45, 45, 45, 45, 36, 27, 18, 9, 0, 0, 0), [45, 3, 0]);
  assert.equal(fell(45, 44, 43, 42), null);
  assert.equal(fell(0, 0, 0, 0), null);
  assert.equal(fell(), null);
});
