import assert from 'node:assert/strict';
import test from 'node:test';
import {
  bucketQuantile, counterRate, resemblesCounter, meanOfObserved, trafficWeight,
} from '../../src/statistics/counter-rate.ts';

const { NaN } = Number;

test('counterRate divides gains by time', () => {
  const rows: readonly (readonly [string, number[], number[]])[] = [
    ['steady', [0, 30, 60, 90], [NaN, 1, 1, 1]],
    ['standing still', [5, 5, 5], [NaN, 0, 0]],
    ['a reset drops its step', [100, 130, 15, 45], [NaN, 1, NaN, 1]],
    ['resets in every step leave what was counted', [100, 30, 15, 9], [NaN, NaN, 0.5, 0.3]],
    ['one missing point is shared out', [0, NaN, 60, 90], [NaN, NaN, 1, 1]],
    ['two missing points are a gap', [0, NaN, NaN, 90, 120], [NaN, NaN, NaN, NaN, 1]],
    ['infinity is missing', [0, Infinity, 60], [NaN, NaN, 1]],
    ['begins late', [NaN, NaN, 10, 40], [NaN, NaN, NaN, 1]],
    ['nothing', [NaN, NaN], [NaN, NaN]],
  ];
  for (const [name, values, expected] of rows) {
    assert.deepEqual([...counterRate(Float64Array.from(values), 30)], expected, name);
  }
});

test('resemblesCounter refuses what wanders', () => {
  const rows: readonly (readonly [number[], boolean])[] = [
    [[0, 5, 5, 9], true], [[100, 120, 3, 9], true], [[100, 120, 80, 90], false],
    [[-1, 5], false], [[3, 3, 3], true], [[NaN, NaN], true],
    [[100, 120, NaN, 80, 90], true], [[100, NaN, -1], false],
  ];
  for (const [values, expected] of rows) {
    assert.equal(resemblesCounter(Float64Array.from(values)), expected, values.join());
  }
});

test('meanOfObserved divides gains, and says nothing where nothing was observed', () => {
  const sum = Float64Array.of(0, 2, 2, 8, 1);
  const count = Float64Array.of(0, 4, 4, 6, 2);
  assert.deepEqual([...meanOfObserved(sum, count)], [NaN, 0.5, NaN, 3, NaN]);
});

test('bucketQuantile interpolates as histogram_quantile does', () => {
  const buckets = (rows: readonly (readonly [number, number])[]): Float64Array =>
    bucketQuantile(rows.map(([upperBound, gained]) => ({
      upperBound, values: Float64Array.of(0, gained),
    })), 0.9);
  const rows: readonly (readonly [string, (readonly [number, number])[], number])[] = [
    ['within a bucket', [[0.1, 50], [0.5, 90], [1, 100], [Infinity, 100]], 0.5],
    ['in the middle of one', [[0.1, 80], [0.5, 100], [Infinity, 100]], 0.3],
    ['in the first', [[0.1, 100], [Infinity, 100]], 0.09],
    ['above the highest bound', [[0.1, 10], [0.5, 20], [Infinity, 100]], 0.5],
    ['in any order', [[Infinity, 100], [0.5, 100], [0.1, 80]], 0.3],
    ['counts that fall', [[0.1, 80], [0.2, 70], [0.5, 100], [Infinity, 100]], 0.35],
    ['nothing observed', [[0.1, 0], [Infinity, 0]], NaN],
    ['no bucket without a bound', [[0.1, 10], [0.5, 20]], NaN],
  ];
  for (const [name, given, expected] of rows) {
    const value = buckets(given)[1] ?? Infinity;
    assert.ok(Object.is(value, expected) || Math.abs(value - expected) < 1e-9, `${name}: ${value}`);
  }
  assert.equal(bucketQuantile([], 0.9).length, 0);
});

test('trafficWeight halves quantiles of a few observations', () => {
  const of = (gain: number): Float64Array =>
    Float64Array.from({ length: 9 }, (_, index) => index * gain);
  assert.deepEqual([4, 5, 0].map((gain) => trafficWeight(of(gain))), [0.5, 1, 0.5]);
  assert.equal(trafficWeight(new Float64Array(0)), 0.5);
});
