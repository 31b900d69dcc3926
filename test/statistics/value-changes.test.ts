import assert from 'node:assert/strict';
import test from 'node:test';
import { valueChanges } from '../../src/statistics/value-changes.ts';

const { NaN } = Number;

test('valueChanges lists when a held value changed', () => {
  assert.deepEqual(valueChanges(Float64Array.of(3, 3, NaN, 5, 5, 3)), [
    { index: 3, from: 3, to: 5 }, { index: 5, from: 5, to: 3 },
  ]);
  assert.deepEqual(valueChanges(Float64Array.of(NaN, 3, 3)), []);
});

test('valueChanges finds restarts in times as values, and not their jitter', () => {
  const started = Float64Array.of(1_800_000_000.1, 1_800_000_000.4, 1_800_005_000, 1_800_005_000.2);
  assert.deepEqual(valueChanges(started, 5).map(({ index }) => index), [2]);
});

test('valueChanges stops at a limit', () => {
  const restless = Float64Array.from({ length: 100 }, (_, index) => index % 2);
  assert.equal(valueChanges(restless).length, 60);
});
