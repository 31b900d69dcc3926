import assert from 'node:assert/strict';
import test from 'node:test';
import { medianDeviation, sortedQuantile } from '../../src/lib/sorted-quantile.ts';
import type { Signal } from '../../src/statistics/names/metric-rule.ts';
import {
  measureChange, natureOf, type RobustChange,
} from '../../src/statistics/robust-change.ts';
import { notableZ, strengthOf, strongZ } from '../../src/statistics/strength.ts';
import { seededRandom } from '../support/random.ts';

function change(before: readonly number[], after: readonly number[]): RobustChange | null {
  return measureChange(Float64Array.from([...before, ...after]), before.length);
}

function times(count: number, value: number): number[] {
  return new Array<number>(count).fill(value);
}

test('sortedQuantile interpolates between neighbours', () => {
  const sorted = Float64Array.of(1, 2, 4, 8);
  const rows = [[0, 1], [0.25, 1.75], [0.5, 3], [0.75, 5], [1, 8]] as const;
  for (const [share, expected] of rows) assert.equal(sortedQuantile(sorted, share), expected);
  assert.equal(sortedQuantile(Float64Array.of(1), 0.9), 1);
  assert.ok(Number.isNaN(sortedQuantile(new Float64Array(), 0.5)));
});

test('medianDeviation is the median of the sorted distances', () => {
  const random = seededRandom(5);
  for (let count = 1; count < 60; count += 1) {
    const sorted = Float64Array.from({ length: count }, () => random() % 40).sort();
    const median = sortedQuantile(sorted, 0.5);
    const distances = sorted.map((value) => Math.abs(value - median)).sort();
    const expected = sortedQuantile(distances, 0.5);
    assert.equal(medianDeviation(sorted, median), expected);
  }
});

test('a change is measured as in the worked example', () => {
  // 1..8: median 4.5, quartiles 2.75 and 6.25 make 2.5945, distances' median 2 makes 2.9652,
  // the older half 1..4 deviates by 1.118, magnitude 7.65. Three quarters after are 20 or less.
  const result = change([1, 2, 3, 4, 5, 6, 7, 8], [20, 20, 20, 30]);
  assert.ok(result !== null);
  assert.equal(result.before, 4.5);
  assert.ok(Math.abs(result.scale - 2.9652) < 1e-9);
  // The value a quarter of the points reach: 20 + 0.25 · 10.
  assert.ok(Math.abs(result.after - 22.5) < 1e-9);
  assert.ok(Math.abs(result.z - 18 / 2.9652) < 1e-9);
  assert.equal(result.fewPoints, false);
});

test('what a series fell to is the value that it has, without the error of arithmetic', () => {
  const result = change([49.8, 51.1, 50.1, 49.1, 50.4, 49.4], [0, 0, 0, 0]);
  assert.equal(result?.after, 0);
});

const edges: readonly {
  readonly name: string;
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** z and kind; null where nothing can be said. */
  readonly expected: number | null;
}[] = [
  { name: 'a constant moves by 10 %', before: times(20, 50), after: times(8, 55),
    expected: 10 },
  { name: 'a constant does not move', before: times(20, 50), after: times(8, 50),
    expected: 0 },
  { name: 'a constant falls to zero', before: times(20, 50), after: times(8, 0),
    expected: -100 },
  { name: 'a ratio at 1 falls by a tenth', before: times(20, 1), after: times(8, 0.9),
    expected: -10 },
  { name: 'activity where none was', before: times(20, 0), after: times(8, 7_000_000),
    expected: 10 },
  { name: 'activity in a quarter of the points', before: times(20, 0), after: [0, 0, 0, 9],
    expected: 5 },
  { name: 'negative activity', before: times(20, 0), after: times(4, -1), expected: -10 },
  { name: 'nothing where nothing was', before: times(20, 0), after: times(8, 0),
    expected: 0 },
  { name: 'fewer than five points before', before: times(4, 1), after: times(8, 2),
    expected: null },
  { name: 'nothing after', before: times(20, 1), after: times(8, Number.NaN), expected: null },
  { name: 'nothing at all', before: [], after: [], expected: null },
  { name: 'infinities are missing', before: [...times(5, 10), Infinity, -Infinity],
    after: [Infinity, 11], expected: 10 },
  { name: 'passing bursts before, in the older half', after: times(8, 180),
    before: [100, 200, 100, 100, 100, 100, 200, 100, 100, 100, ...times(10, 100)],
    expected: 2 },
  { name: 'passing falls below zero before', after: times(8, -50),
    before: [...times(15, 0), -1000, 0, -1000, 0, 0], expected: -5 },
  { name: 'a stray value before', before: [...times(30, 100), 9000], after: times(8, 110),
    expected: 10 },
  { name: 'a stray value after', before: times(30, 100), after: [100, 100, 100, 100, 100, 9000],
    expected: 0 },
];

for (const { name, before, after, expected } of edges) {
  test(`a change is measured when ${name}`, () => {
    const result = change(before, after);
    if (expected === null) return assert.equal(result, null);
    assert.ok(result !== null);
    assert.ok(Math.abs(result.z - expected) < 1e-6, `z is ${result.z}`);
  });
}

function zOfUse(values: Float64Array, split: number): number {
  const nature = natureOf({ signal: 'saturation', unit: 'count' }, values, split);
  return measureChange(values, split, nature)?.z ?? Number.NaN;
}

test('a count of things in use moves by more than chance makes of it', () => {
  const rows: [string, number[], number[], number][] = [
    ['half of one', times(20, 2), [2, 2, 2, 3], 0.5],
    ['passing ones before and after', [...times(18, 0), 1, 0], [0, 0, 0, 1, 1], 4],
    ['a pool that is exhausted', times(20, 5), times(4, 0), -8],
    ['ten times as many', times(20, 4), times(4, 40), 72],
    ['some where none were', times(20, 0), times(4, 3), 10],
  ];
  for (const [name, before, after, least] of rows) {
    const values = Float64Array.from([...before, ...after]);
    const z = zOfUse(values, before.length);
    assert.ok(least < 0 ? z <= least : z >= least && z <= least * 1.5, `${name}: ${z}`);
  }
});

test('a duration moves notably when it passes a millisecond, in whatever unit', () => {
  const lag = [22, 24, 23, 22, 23, 24, 22, 23].map((each) => each * 1e-6);
  const units: [string, number][] = [['seconds', 1], ['milliseconds', 1e3], ['microseconds', 1e6]];
  for (const [unit, size] of units) {
    const zOf = (later: number): number => {
      const values = Float64Array.from([...lag, ...times(4, later)], (each) => each * size);
      const nature = natureOf({ signal: 'latency', unit }, values, lag.length);
      return measureChange(values, lag.length, nature)?.z ?? Number.NaN;
    };
    assert.ok(zOf(290e-6) < 2 && zOf(0.9e-3) < notableZ && zOf(1.1e-3) > notableZ, unit);
    assert.ok(zOf(2.1e-3) > strongZ, unit);
  }
  for (const unit of ['ratio', 'bytes', 'cores', null]) {
    assert.equal(natureOf({ signal: 'errors', unit }, Float64Array.of(1, 2), 1).least, 0);
  }
});

test('counts in use are whole numbers of what is used or waits', () => {
  const scaleOf = (signal: Signal, last: number): number => {
    const before = [3, Number.NaN, 4, 4, 4, 4, 4, last];
    const values = Float64Array.from([...before, 4]);
    const nature = natureOf({ signal, unit: 'count' }, values, before.length);
    return measureChange(values, before.length, nature)?.scale ?? Number.NaN;
  };
  // A quarter of the root of four, or else the deviation of the older half.
  assert.equal(scaleOf('saturation', 4), 0.5);
  assert.ok(scaleOf('saturation', 4.5) < 0.5);
  assert.ok(scaleOf('state', 4) < 0.5);
});

test('a share of successes is measured by its failures', () => {
  const rows = [
    ['all of a hundred', times(20, 100), times(8, 97), 100, -10],
    ['a little less than all', times(20, 0.999), times(8, 0.99), 1, -900],
    ['a share of failures', times(20, 0.1), times(8, 0.2), 0, 100],
    ['a number of failures', times(20, 99), times(8, 198), 0, 100],
  ] as const;
  for (const [name, before, after, origin, z] of rows) {
    const values = Float64Array.from([...before, ...after]);
    assert.equal(natureOf({ signal: 'errors', unit: null }, values, 20).origin, origin, name);
    assert.equal(natureOf({ signal: 'utilization', unit: null }, values, 20).origin, 0, name);
    const moved = measureChange(values, 20, { origin });
    assert.ok(Math.abs((moved?.z ?? 0) - z) < 1e-6, `${name}: ${moved?.z}`);
    assert.ok(Math.abs((moved?.before ?? 0) - (before[0] ?? 0)) < 1e-12, name);
    assert.ok(Math.abs((moved?.after ?? 0) - (after[0] ?? 0)) < 1e-12, name);
  }
});

test('one or two points after the split are marked, and the larger counts nearly whole', () => {
  const result = change(times(20, 100), [100, 110]);
  assert.equal(result?.fewPoints, true);
  assert.ok(Math.abs((result?.z ?? 0) - 7.5) < 1e-9);
  assert.equal(change(times(20, 100), [110])?.fewPoints, true);
  assert.equal(change(times(20, 100), [110, 110, 110])?.fewPoints, false);
});

test('the faulty points before a late split do not hide the change', () => {
  const noise = [0, 1, -1, 2, -2, 1, 0, -1];
  const usual = Array.from({ length: 120 }, (_, index) => 100 + (noise[index % 8] ?? 0));
  const late = change([...usual, ...times(30, 400)], times(30, 400));
  // 300 in 1 % of the magnitude, which the late points raised to 400; in plain deviations 2.3.
  assert.equal(late?.z, (400 - 100.5) / 4);
});

test('a change is the same for a series shifted or scaled, and the negative one for its mirror',
  () => {
    const random = seededRandom(11);
    for (let round = 0; round < 50; round += 1) {
      const values = Float64Array.from({ length: 90 }, (_, index) =>
        (random() % 1000) + (index > 60 ? 800 : 0));
      const z = measureChange(values, 60)?.z ?? Number.NaN;
      const scaled = measureChange(values.map((value) => value * 1024), 60)?.z ?? Number.NaN;
      const shifted = measureChange(values.map((value) => value + 4096), 60)?.z ?? Number.NaN;
      const mirrored = measureChange(values.map((value) => -value), 60)?.z ?? Number.NaN;
      assert.ok(Math.abs(scaled - z) < 1e-9);
      assert.ok(Math.abs(shifted - z) < 1e-9);
      assert.ok(Math.abs(mirrored + z) < 1e-9);
    }
  });

test('missing points in between change nothing', () => {
  const full = [...times(10, 5), 6, 4, 6, 4, ...times(6, 9)];
  const gaps = full.flatMap((value) => [value, Number.NaN]);
  const plain = measureChange(Float64Array.from(full), 14);
  assert.deepEqual(measureChange(Float64Array.from(gaps), 28), plain);
});

test('the z of a change is always a number', () => {
  const random = seededRandom(23);
  const odd = [0, -0, 1, -1, 1e308, -1e308, 5e-324, Number.NaN, Infinity, -Infinity, 1e9, 0.1];
  for (let round = 0; round < 400; round += 1) {
    const values = Float64Array.from({ length: random() % 600 }, () =>
      (odd[random() % odd.length] ?? 0) / 4);
    const split = random() % (values.length + 1);
    const result = measureChange(values, split);
    if (result !== null) assert.ok(!Number.isNaN(result.z), `round ${round}: z is ${result.z}`);
  }
});

test('strengthOf says how large a deviation is', () => {
  const rows = [
    [0, 'weak'], [3.99, 'weak'], [-4, 'notable'], [7.99, 'notable'], [8, 'strong'], [-90, 'strong'],
  ] as const;
  for (const [z, expected] of rows) assert.equal(strengthOf(z), expected);
});

test('the scale takes the older half as five points at least, and quartiles into account', () => {
  const uneasy = change([0, 0, 0, 10, 0], [20, 20, 20]);
  assert.ok(Math.abs((uneasy?.z ?? 0) - 5) < 1e-9);
  const skewed = change([...times(6, 0), ...times(4, 10)], [20, 20, 20]);
  assert.ok(Math.abs((skewed?.scale ?? 0) - 10 / 1.349) < 1e-9);
});
