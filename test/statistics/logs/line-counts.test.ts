import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineGap } from '../../../src/statistics/logs/line-counts.ts';

const minutes = (count: number, lines: number): number[] => new Array<number>(count).fill(lines);

test('lineGap() finds the longest stretch without lines of a log that always has some', () => {
  const counts = [
    ...minutes(3, 0), ...minutes(20, 5), ...minutes(11, 0), ...minutes(9, 5), ...minutes(15, 0),
    ...minutes(9, 5), ...minutes(30, 0),
  ];
  const usual = [...minutes(20, 5), ...minutes(12, 0), ...minutes(5, 1)];
  assert.deepEqual(lineGap(usual), { from: 20, to: 32 });
  assert.deepEqual(lineGap([...minutes(9, 0), ...usual, ...minutes(60, 0)]), { from: 29, to: 41 });
  assert.equal(lineGap(counts), null, 'of two one is no exception');
});

test('lineGap() finds none in a log that is often silent or hardly known', () => {
  const seldom = Array.from({ length: 90 }, (_, at) => (at % 12 === 0 ? 1 : 0));
  for (const counts of [
    [], minutes(90, 0), minutes(90, 5), seldom, [...minutes(20, 5), ...minutes(60, 0)],
    [...minutes(9, 5), ...minutes(60, 0), ...minutes(9, 5)],
    [...minutes(20, 5), ...minutes(9, 0), ...minutes(20, 5)],
  ]) assert.equal(lineGap(counts), null);
});
