import assert from 'node:assert/strict';
import test from 'node:test';
import { onsetOf } from '../../src/statistics/onset.ts';
import { seededRandom } from '../support/random.ts';

const { NaN } = Number;

const find = (values: Float64Array): number | null =>
  onsetOf(values, { before: values[0] ?? 0, after: values.at(-2) ?? 0, scale: 0.01 });

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
  // Flat for an hour, then falling slowly, then stopped; the same in seconds as in nanoseconds.
  for (const unit of [1, 1e-9]) {
    const evening = (at: number): number => 190 - Math.max(0, at - 60) + (at % 2);
    const stopped = Float64Array.from({ length: 120 }, (_, at) =>
      (at < 100 ? unit * evening(at) : 0));
    assert.equal(onsetOf(stopped, { before: 185 * unit, after: 0, scale: 15 * unit }), 100);
  }
  const ramp = Float64Array.from({ length: 120 }, (_, at) =>
    (at % 2) + 2 * Math.max(0, at - 80));
  const began = onsetOf(ramp, { before: 0.5, after: 60, scale: 1 });
  assert.ok(began !== null && began >= 80 && began < 90, String(began));
});

test('a drift before a ramp is not its onset either, unless the ramp is the drift going on', () => {
  // Rising through the morning, and from point 200 on within ten points to three times as much.
  const morning = (at: number): number => 100 + at / 4 + (at % 3);
  const ramp = (at: number): number => 30 * Math.max(0, Math.min(10, at - 199));
  const risen = Float64Array.from({ length: 212 }, (_, at) => morning(at) + ramp(at));
  const onset = onsetOf(risen, { before: 125, after: 450, scale: 17 });
  assert.ok(onset !== null && Math.abs(onset - 200) <= 1, String(onset));
  const leaking = Float64Array.from({ length: 212 }, (_, at) =>
    100 + (at % 3) + 3 * Math.max(0, at - 140));
  const began = onsetOf(leaking, { before: 101, after: 300, scale: 4 });
  assert.ok(began !== null && Math.abs(began - 141) <= 5, String(began));
});

test('the end of an earlier dip is no onset, neither of a rise nor of a fall', () => {
  const dipped = (at: number): number => 100 + (at * 7) % 11 - (at < 8 ? 60 : 0);
  const rows = [
    { slope: 75, after: 220, points: 304 }, { slope: 60, after: 282, points: 306 },
    { slope: -14, after: 44, points: 308 },
  ];
  for (const { slope, after, points } of rows) {
    const values = Float64Array.from({ length: points }, (_, at) =>
      dipped(at) + slope * Math.max(0, at - 299));
    const onset = onsetOf(values, { before: 105, after, scale: 13.9 });
    assert.ok(onset !== null && Math.abs(onset - 300) <= 2, `${slope}: ${onset}`);
  }
});

test('a jump before a larger one is the onset', () => {
  const values = Float64Array.from({ length: 60 }, (_, at) =>
    24 + (at % 2) / 10 + (at >= 40 ? 8 : 0) + (at >= 50 ? 120 : 0));
  assert.equal(onsetOf(values, { before: 24, after: 152, scale: 0.24 }), 40);
});

test('onset is where a step, a fall and new activity begin', () => {
  const random = seededRandom(3);
  const step = (index: number): number => (random() % 10) + (index >= 70 ? 60 : 0);
  const rows: readonly (readonly [string, (index: number) => number, number | null])[] = [
    ['step', step, 70],
    ['fall', (index) => (random() % 10) - (index >= 55 ? 60 : 0), 55],
    ['new activity', (index) => (index >= 91 ? 3 : 0), 91],
    ['constant that moves', (index) => (index >= 60 ? 55 : 50), 60],
    ['constant', () => 50, null],
    ['spike long ago and a step', (index) => (index === 20 ? 9e9 : step(index)), 70],
    ['gaps', (index) => (index % 3 === 1 ? NaN : step(index)), 71],
    ['nothing', () => NaN, null],
  ];
  for (const [name, valueAt, expected] of rows) {
    const values = Float64Array.from({ length: 100 }, (_, index) => valueAt(index));
    const known = values.filter(Number.isFinite);
    const levels = { before: known[0] ?? 0, after: known.at(-1) ?? 0, scale: 0.01 };
    assert.equal(onsetOf(values, levels), expected, name);
  }
  assert.equal(onsetOf(Float64Array.of(0, 0, 1, 1, 1), { before: 0, after: 1, scale: 1 }), null);
});

test('what was back at its usual level in between began anew', () => {
  const levels = { before: 10, after: 60, scale: 1 };
  const course = (...parts: readonly (readonly [length: number, level: number])[]): Float64Array =>
    Float64Array.from(parts.flatMap(([length, level]) =>
      Array.from({ length }, (_, at) => level + (at % 2) / 2)));
  const earlier = course([60, 10], [25, 70], [20, 10], [15, 60]);
  assert.equal(onsetOf(earlier, levels, 103), 105);
  // A drop-out of two points is no end, and one after the problem began neither.
  assert.equal(onsetOf(course([60, 10], [25, 70], [2, 10], [33, 60]), levels, 80), 60);
  assert.equal(onsetOf(course([60, 10], [25, 70], [5, 10], [30, 60]), levels, 59), 60);
  // It began at the foot of its second ramp.
  const ramp = Float64Array.from({ length: 30 }, (_, at) => 10 + 2 * at);
  const anew = onsetOf(Float64Array.from([...course([60, 10], [20, 70], [10, 10]), ...ramp]),
    levels, 95);
  assert.ok(anew !== null && anew >= 90 && anew <= 98, String(anew));
});
