import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alternationsOf } from '../../src/statistics/flapping.ts';

const minute = 60_000;
const now = 10_000 * minute;
const runOf = (...minutesAgo: number[]): ReturnType<typeof alternationsOf> =>
  alternationsOf(minutesAgo.map((ago) => now - ago * minute), now);

test('alternationsOf() counts the latest run and knows its period', () => {
  assert.deepEqual(runOf(600, 9, 6, 3, 0),
    { times: 4, spanMs: 9 * minute, periodMs: 3 * minute, isRegular: true });
  assert.deepEqual(runOf(4, 0),
    { times: 2, spanMs: 4 * minute, periodMs: 4 * minute, isRegular: true });
  assert.equal(runOf(25, 13, 10, 0)?.isRegular, false, 'outages of one hour');
});

test('alternationsOf() is null without a run, or once it is over', () => {
  assert.equal(runOf(0), null);
  assert.equal(runOf(51, 0), null, 'too far apart');
  assert.equal(runOf(120, 110), null);
  assert.equal(runOf(5, -1), null, 'what begins later has not begun');
});
