import type { PacePoint } from './steady-pace.ts';

/** A growth, or a fall, up to the last of some points. */
export interface Growth {
  /** The point from which on it grew, and the last one. */
  readonly foot: PacePoint;
  readonly top: PacePoint;
}

/** It grows to this many times what it was, by steps most of which are upward. */
const grownMin = 1.5;
const upwardMin = 0.8;
const stepsMin = 3;
/** What falls by less goes on growing, and what rises by less keeps its level. */
const wobble = 0.05;
const levelMax = 0.01;

/**
 * How a value grew until now: back to the level that it kept, or to where it had fallen to, as
 * after a restart. Null if it did not grow by half, or not steadily. A value that has got to where
 * it cannot grow further grew until then. The points are finite and in order of time.
 */
export function growthUntil(all: readonly PacePoint[]): Growth | null {
  const points = untilFull(all);
  let at = points.length - 1;
  while (at > 0 && isOnTheWay(points, at)) at -= 1;
  const [foot, top] = [points[at], points.at(-1)];
  if (foot === undefined || top === undefined) return null;
  const steps = points.slice(at + 1).map(({ value }, index) =>
    value - (points[at + index]?.value ?? value));
  const upward = steps.filter((step) => step > 0).length;
  const isSteady = steps.length >= stepsMin && upward >= upwardMin * steps.length;
  return isSteady && top.value >= grownMin * foot.value ? { foot, top } : null;
}

/** Without the points after the first one of those that all have the last value. */
function untilFull(points: readonly PacePoint[]): readonly PacePoint[] {
  const last = points.at(-1)?.value;
  return points.slice(0, points.findLastIndex(({ value }) => value !== last) + 2);
}

/**
 * The same of a value that fell until now by a quarter of the most that it was, such as what is
 * left of a disk.
 */
export function fallUntil(points: readonly PacePoint[]): Growth | null {
  const most = points.reduce((max, { value }) => Math.max(max, value), -Infinity);
  // What is gone, on top of half of the most: a quarter of the most is then a growth by half.
  const gone = points.map(({ atMs, value }) => ({ atMs, value: grownMin * most - value }));
  const growth = most > 0 ? growthUntil(gone) : null;
  const valueAt = ({ atMs, value }: PacePoint): PacePoint =>
    ({ atMs, value: grownMin * most - value });
  return growth && { foot: valueAt(growth.foot), top: valueAt(growth.top) };
}

/** Whether the point before is part of the same growth: not much higher, nor on a level with it. */
function isOnTheWay(points: readonly PacePoint[], at: number): boolean {
  const value = points[at]?.value ?? 0;
  const before = points[at - 1]?.value ?? value;
  const earlier = points[at - 3]?.value ?? points[at - 2]?.value ?? 0;
  if (before > value * (1 + wobble)) return false;
  return Math.min(before, earlier) < value * (1 - levelMax);
}
