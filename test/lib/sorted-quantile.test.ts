import assert from 'node:assert/strict';
import { test } from 'node:test';
import { medianOf } from '../../src/lib/sorted-quantile.ts';

test('medianOf() is the middle, even of huge values', () => {
  assert.equal(medianOf([]), Number.NaN);
  assert.equal(medianOf([3, 1, 2]), 2);
  assert.equal(medianOf([1, 2, 3, 4]), 2.5);
  assert.equal(medianOf([1e300, 1e300]), 1e300);
});
