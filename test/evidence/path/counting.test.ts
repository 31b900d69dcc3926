import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  countedBy, Presence, riseOf, type Counted,
} from '../../../src/evidence/metrics/path/counting.ts';

const grid = { startMs: 0, stepMs: 15_000, count: 80 };
const split = { before: 40, began: 44, until: 79 };

function counted(gainAt: (index: number) => number): Counted {
  return { grid, gains: Float64Array.from({ length: grid.count }, (_, index) => gainAt(index)) };
}

test('a rise begins where the last trouble began, without what was over long before it', () => {
  const gainAt = (index: number): number =>
    ((index >= 42 && index < 48) || index >= 60 ? 30 : 0);
  const rise = riseOf(counted(gainAt), split);
  assert.deepEqual([rise?.from, rise?.to, rise?.perSecond], [60, 79, 2]);
});

test('a few errors, usual ones, and those that ended before the problem are no rise', () => {
  assert.equal(riseOf(counted((index) => (index > 75 ? 1 : 0)), split), null);
  assert.equal(riseOf(counted(() => 10), split), null);
  // A target that is scraped every minute counts in one step of four.
  assert.equal(riseOf(counted((index) => (index % 4 === 0 ? 40 : 0)), split), null);
  assert.equal(riseOf(counted((index) => (index > 40 && index < 43 ? 90 : 0)), split), null);
  assert.equal(riseOf(counted((index) => (index > 44 && index < 60 ? 90 : 0)), split), null);
});

test('earlier trouble in the time before does not hide a rise', () => {
  const rise = riseOf(counted((index) => (index > 5 && index < 14) || index >= 60 ? 60 : 0), split);
  assert.equal(rise?.from, 60);
});

test('a counter that appears began at 0 only if its target was scraped before', () => {
  const values = Float64Array.from({ length: grid.count }, (_, index) =>
    (index < 50 ? Number.NaN : 7 + index - 50));
  const labels = { __name__: 'e_total', job: 'a', instance: 'b' };
  const series = { labels, values, infinite: 0, valueless: null };
  const up = { ...series, values: new Float64Array(grid.count).fill(1) };
  const gainAt50 = (beside: readonly typeof series[]): number | undefined =>
    countedBy([series], grid, new Presence({ grid, series: [series, ...beside] })).gains[50];
  assert.equal(gainAt50([up]), 7);
  assert.equal(gainAt50([]), 0);
});

test('trouble that was over for half a minute and began again is new, where that is known', () => {
  const gainAt = (index: number): number =>
    ((index >= 45 && index < 60) || index >= 63 ? 60 : 0);
  assert.equal(riseOf(counted(gainAt), split)?.from, 45);
  assert.equal(riseOf(counted(gainAt), split, counted(() => 100))?.from, 63);
  // One in two minutes or so: nothing at some points is chance.
  const sparse = counted((index) => (index >= 45 && index % 4 === 0 ? 2 : 0));
  assert.equal(riseOf(sparse, split, counted(() => 100))?.from, 48);
});
