import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trendOf } from '../../src/statistics/trend.ts';

const noise = (index: number): number => (((index * 7919) % 13) - 6) / 6;
const course = (valueAt: (index: number) => number, length = 30): number[] =>
  Array.from({ length }, (_, index) => valueAt(index));

const courses: readonly (readonly [string, readonly number[], 'rising' | 'falling' | null])[] = [
  ['a slope', course((index) => 100 + 5 * index), 'rising'],
  ['a slope with noise', course((index) => 100 - 2 * index + 2 * noise(index)), 'falling'],
  ['below zero', course((index) => -100 - 5 * index), 'falling'],
  ['nothing but zero', course(() => 0), null],
  ['noise', course((index) => 10 + 5 * noise(index)), null],
  ['a slope inside the noise', course((index) => 10 + index / 10 + 8 * noise(index)), null],
  ['too slight a slope', course((index) => 100 + index / 10), null],
  ['two values', [100, 200], null],
  ['a rise that is over', course((index) => Math.min(200, 100 + 10 * index)), null],
  ['to and fro', course((index) => 100 + 80 * Math.sin(index)), null],
];
for (const [name, values, expected] of courses) {
  test(`trendOf ${name} is ${expected ?? 'none'}`, () => {
    assert.equal(trendOf(values), expected);
  });
}
