import assert from 'node:assert/strict';
import test from 'node:test';
import { agreement, canAgree } from '../../src/statistics/agreement.ts';

const { NaN } = Number;

test('agreement is the size of the correlation', () => {
  const own = Float64Array.of(1, 2, 3, 4, 5, 6);
  const rows: readonly (readonly [number[], number])[] = [
    [[2, 4, 6, 8, 10, 12], 1],
    [[6, 5, 4, 3, 2, 1], 1],
    [[7, 7, 7, 7, 7, 7], 0],
    [[1, -1, -1, 1, 0, 2], 0.44137],
    [[1, NaN, 3, NaN, 5, 6], 1],
    [[1, NaN, NaN, NaN, 5, 6], 0],
    [[Infinity, 2, 3, 4, 5, -Infinity], 1],
  ];
  for (const [values, expected] of rows) {
    const r = agreement(Float64Array.from(values), own, 3);
    assert.ok(Math.abs(r - expected) < 1e-4, `${values.join()} agrees ${r}`);
  }
});

test('only a series with different values on both sides of the split has a course', () => {
  const rows: readonly (readonly [number[], boolean])[] = [
    [[1, 2, 3, 4, 5, 6], true],
    [[1, 1, 1, 4, 4, 4], true],
    [[1, 1, 1, 1, 1, 1], false],
    [[NaN, NaN, NaN, 4, 5, 6], false],
    [[1, 2, 3, NaN, NaN, NaN], false],
    [[NaN, NaN, 1, 2, NaN, NaN], false],
  ];
  for (const [values, expected] of rows) {
    assert.equal(canAgree(Float64Array.from(values), 3), expected, values.join());
  }
});

test('agreement looks at the last 30 points before the split and what follows', () => {
  const own = Float64Array.from({ length: 100 }, (_, index) => index);
  const other = own.map((value, index) => (index < 50 ? Math.sin(value) * 1e6 : value));
  assert.ok(agreement(other, own, 80) > 0.999999);
  assert.ok(agreement(other, own, 60) < 0.9);
});

test('agreement survives values far from zero and rounding', () => {
  const own = Float64Array.from({ length: 20 }, (_, index) => 1e15 + index);
  const other = Float64Array.from({ length: 20 }, (_, index) => -1e12 - 3 * index);
  assert.ok(Math.abs(agreement(other, own, 10) - 1) < 1e-6);
  const constant = new Float64Array(20).fill(0.1 + 0.2);
  assert.equal(agreement(constant, own, 10), 0);
  assert.equal(agreement(own, constant, 10), 0);
  const huge = own.map((value) => value * 1e290);
  assert.ok(Number.isFinite(agreement(huge, huge, 10)));
});
