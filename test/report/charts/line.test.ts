import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  pointsOf, pointsWithin, thinned, type Stretch,
} from '../../../src/report/charts/line.ts';
import { seededRandom } from '../../support/random.ts';

function stretch(values: readonly (number | null)[], over: Partial<Stretch> = {}): Stretch {
  return { startMs: 0, stepMs: 1000, values, ...over };
}

test('pointsOf() keeps a gap where a sample is missing', () => {
  const points = pointsOf([stretch([1, 2, null, 3, Number.NaN, Infinity, 4])]);
  assert.deepEqual(points, [
    { atMs: 0, value: 1, isAfterGap: true }, { atMs: 1000, value: 2, isAfterGap: false },
    { atMs: 3000, value: 3, isAfterGap: true }, { atMs: 6000, value: 4, isAfterGap: true },
  ]);
  assert.deepEqual(pointsOf([stretch([null, null])]), []);
  assert.deepEqual(pointsOf([]), []);
});

test('pointsOf() joins stretches of different steps, of which the earlier one counts', () => {
  const later = stretch([9, 5, 6], { startMs: 1000, stepMs: 4000 });
  const points = pointsOf([stretch([1, 2]), later]);
  assert.deepEqual(points.map(({ atMs, value }) => [atMs, value]),
    [[0, 1], [1000, 2], [5000, 5], [9000, 6]]);
  assert.deepEqual(points.map(({ isAfterGap }) => isAfterGap), [true, false, false, false]);
});

test('pointsOf() leaves out values too large to draw, and takes the smallest as zero', () => {
  const points = pointsOf([stretch([1e308, -1e308, 5e-324, 1])]);
  assert.deepEqual(points.map(({ value }) => value), [0, 1]);
});

test('pointsWithin() begins with a gap', () => {
  const points = pointsWithin(pointsOf([stretch([1, 2, 3, 4])]), 1000, 2000);
  assert.deepEqual(points.map(({ value, isAfterGap }) => [value, isAfterGap]),
    [[2, true], [3, false]]);
});

test('thinned() keeps the lowest and highest points, and all gaps', () => {
  const random = seededRandom(11);
  for (let round = 0; round < 300; round += 1) {
    const holes = random() % 10;
    const values = Array.from({ length: 1 + random() % 600 }, () =>
      random() % 10 < holes ? null : random() / 2 ** 32);
    const all = pointsOf([stretch(values)]);
    const max = 2 + random() % 200;
    const kept = thinned(all, max);
    assert.ok(kept.length <= Math.max(2, max), `${kept.length} of at most ${max}`);
    assert.deepEqual(kept, thinned(all, max));
    const heights = (points: typeof all): number[] => points.map(({ value }) => value);
    if (all.length > 0) {
      assert.equal(Math.max(...heights([...kept])), Math.max(...heights(all)));
      assert.equal(Math.min(...heights([...kept])), Math.min(...heights(all)));
    }
    for (const [index, point] of kept.entries()) {
      const before = kept[index - 1]?.atMs ?? -Infinity;
      const wasGap = all.some(({ atMs, isAfterGap }) =>
        isAfterGap && atMs > before && atMs <= point.atMs);
      assert.equal(point.isAfterGap, wasGap);
    }
  }
});
