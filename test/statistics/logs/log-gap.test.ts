import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logGap } from '../../../src/statistics/logs/log-gap.ts';

const minutes = (count: number, lines: number): number[] => new Array<number>(count).fill(lines);

test('logGap() finds the longest stretch without lines of a log that always has some', () => {
  const counts = [
    ...minutes(3, 0), ...minutes(20, 5), ...minutes(11, 0), ...minutes(9, 5), ...minutes(15, 0),
    ...minutes(9, 5), ...minutes(30, 0),
  ];
  const usual = [...minutes(20, 5), ...minutes(12, 0), ...minutes(5, 1)];
  assert.deepEqual(logGap(usual), { from: 20, to: 32 });
  assert.deepEqual(logGap([...minutes(9, 0), ...usual, ...minutes(60, 0)]), { from: 29, to: 41 });
  assert.equal(logGap(counts), null, 'of two one is no exception');
});

test('logGap() finds none in a log that is silent now and then, or that it knows little of', () => {
  const seldom = Array.from({ length: 90 }, (_, at) => (at % 12 === 0 ? 1 : 0));
  for (const counts of [
    [], minutes(90, 0), minutes(90, 5), seldom, [...minutes(20, 5), ...minutes(60, 0)],
    [...minutes(9, 5), ...minutes(60, 0), ...minutes(9, 5)],
    [...minutes(20, 5), ...minutes(9, 0), ...minutes(20, 5)],
  ]) assert.equal(logGap(counts), null);
});
