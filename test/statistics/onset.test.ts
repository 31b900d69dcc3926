import assert from 'node:assert/strict';
import test from 'node:test';
import { createOnsetFinder } from '../../src/statistics/onset.ts';

const findOnset = createOnsetFinder();
const find = (values: Float64Array): number | null =>
  findOnset(values, { before: values[0] ?? 0, after: values.at(-2) ?? 0, scale: 0.01 });

test('an onset is where a series left its level for good, not its one stray value', () => {
  const values = [...new Array<number>(10).fill(100), ...new Array<number>(9).fill(108), 1e6];
  assert.equal(find(Float64Array.from(values)), 10);
});

test('an onset is told by its place among the missing values as well', () => {
  const values = [...new Array<number>(10).fill(0), ...new Array<number>(10).fill(5)];
  const gaps = values.flatMap((value) => [Number.NaN, value]);
  assert.equal(find(Float64Array.from(gaps)), 21);
});

test('an onset is found in more points than any series before had', () => {
  assert.equal(find(Float64Array.from({ length: 900 }, (_, at) => (at < 700 ? 1 : 9))), 700);
});

test('no onset is told of five values, or of what never moves', () => {
  assert.equal(find(Float64Array.of(0, 0, 0, 9, 9)), null);
  assert.equal(find(Float64Array.of(0, 0, 0, 9, 9, 9)), 3);
  assert.equal(find(new Float64Array(40).fill(7)), null);
});

test('a drift before a step is not its onset, and a ramp begins where it leaves its level', () => {
  const change = { before: 180, after: 0, scale: 15 };
  const evening = (at: number): number => 190 - 0.5 * at + (at % 2);
  const stopped = Float64Array.from({ length: 120 }, (_, at) => (at < 100 ? evening(at) : 0));
  assert.equal(findOnset(stopped, change), 100);
  const ramp = Float64Array.from({ length: 120 }, (_, at) =>
    (at % 2) + 2 * Math.max(0, at - 80));
  const began = findOnset(ramp, { before: 0.5, after: 60, scale: 1 });
  assert.ok(began !== null && began >= 80 && began < 90, String(began));
});

test('a jump before a larger one is the onset', () => {
  const values = Float64Array.from({ length: 60 }, (_, at) =>
    24 + (at % 2) / 10 + (at >= 40 ? 8 : 0) + (at >= 50 ? 120 : 0));
  assert.equal(findOnset(values, { before: 24, after: 152, scale: 0.24 }), 40);
});
