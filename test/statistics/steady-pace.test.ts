import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrivalAt } from '../../src/statistics/steady-pace.ts';

const minuteMs = 60_000;
const start = Date.parse('2026-11-20T10:00:00Z');
const noise = (index: number): number => (((index * 7919) % 13) - 6) / 6;
type Course = (minute: number) => number;

/** One point a minute up to minute 0. */
function points(valueAt: Course, minutes = 120): { atMs: number; value: number }[] {
  return Array.from({ length: minutes + 1 }, (_, index) => {
    const minute = index - minutes;
    return { atMs: start + minute * minuteMs, value: valueAt(minute) };
  });
}

const arrivals: readonly (readonly [string, Course, number, number, number])[] = [
  ['a line down', (minute) => 10 - minute / 10, 0, 100, 60],
  ['a line up', (minute) => 90 + minute / 10, 100, 100, 60],
  ['a line with noise', (minute) => 10 - minute / 10 + noise(minute + 200) / 10, 0, 100, 60],
  ['one point far off', (minute) => (minute === -7 ? 40 : 10 - minute / 10), 0, 100, 60],
  ['a line that began 40 min ago', (minute) => 10 + Math.min(minute, 0) / -10 -
    Math.max(0, -minute - 40) / 10, 0, 100, 30],
];
for (const [name, course, level, minutes, stretch] of arrivals) {
  test(`arrivalAt counts on ${name}`, () => {
    const arrival = arrivalAt(points(course), level);
    const counted = ((arrival?.atMs ?? 0) - start) / minuteMs;
    assert.ok(Math.abs(counted - minutes) < 3, `${counted} min`);
    assert.equal((arrival?.stretchMs ?? 0) / minuteMs, stretch);
  });
}

const nowhere: readonly (readonly [string, Course, number])[] = [
  ['a constant', () => 5, 0],
  ['a line that goes the other way', (minute) => 10 + minute / 10, 0],
  ['a level it has passed', (minute) => -minute / 10 - 1, 0],
  ['noise', (minute) => 10 + 5 * noise(minute + 200), 0],
  ['a sawtooth', (minute) => 50 + ((minute + 200) % 13), 100],
  ['a fall that ends', (minute) => Math.max(5, 5 - (minute + 5) / 2), 0],
  ['a day ahead', (minute) => 100 - minute / 15, 0],
];
for (const [name, course, level] of nowhere) {
  test(`arrivalAt tells nothing of ${name}`, () => {
    assert.equal(arrivalAt(points(course), level), null);
  });
}

/** Rises by 30 in a cycle of 100 minutes, now 80 of them ago, and falls back at its end. */
const cycle = (minute: number, lowest: number): number =>
  lowest + ((minute + 280) % 100) * 0.3 + noise(minute + 400) / 10;

test('arrivalAt tells nothing of what came as close before and turned back', () => {
  assert.equal(arrivalAt(points((minute) => cycle(minute, 60), 240), 100), null);
  assert.equal(arrivalAt(points((minute) => 100 - cycle(minute, 60), 240), 0), null);
  // Without the earlier cycles it is a line like any other.
  assert.notEqual(arrivalAt(points((minute) => cycle(minute, 60), 75), 100), null);
});

test('arrivalAt counts on what turned back once, as a disk that was cleaned', () => {
  const used: Course = (minute) => 86 + minute / 10 + (minute < -100 ? 16 : 0);
  const arrival = arrivalAt(points(used, 180), 100);
  assert.ok(Math.abs(((arrival?.atMs ?? 0) - start) / minuteMs - 140) < 3);
});

test('arrivalAt counts on what got to the level before, and what turned back far from it', () => {
  assert.notEqual(arrivalAt(points((minute) => cycle(minute, 70), 240), 100), null);
  const farther = (minute: number): number => cycle(minute, minute < -79 ? 50 : 60);
  assert.notEqual(arrivalAt(points(farther, 240), 100), null);
  const spike = (minute: number): number => minute === -90 ? 95 : 90 + minute / 10;
  assert.notEqual(arrivalAt(points(spike), 100), null);
});

test('arrivalAt needs enough points', () => {
  const line: Course = (minute) => 10 - minute / 10;
  assert.equal(arrivalAt([], 0), null);
  assert.equal(arrivalAt(points(line, 10), 0), null);
  assert.equal(arrivalAt(points(line).filter((_, index) => index % 10 === 0), 0), null);
  assert.equal(arrivalAt(points(line, 16), 0)?.stretchMs, 15 * minuteMs);
});
