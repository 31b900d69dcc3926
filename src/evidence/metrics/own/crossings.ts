import type { Point } from '../../../statistics/steady-pace.ts';
import { isFiring } from '../../measurement.ts';
import type { Operator } from '../../rule/comparison.ts';

/** A point with its limit at that time. */
export interface LimitedPoint extends Point {
  readonly limit: number;
}

interface Crossings {
  /** How often it crossed to the firing side. */
  readonly crossings: number;
  /**
   * When it last came to the firing side and stayed there, which is the first point if it never
   * left; null if it is not there at the end.
   */
  readonly overSinceMs: number | null;
  /** It is on the firing side at every point. */
  readonly isOverThroughout: boolean;
  /** When it last left the firing side and stayed away; null if it is there at the end. */
  readonly recoveredMs: number | null;
}

/** How a series crossed its limit. `points` are in order of time, all finite. */
export function crossingsOf(points: readonly LimitedPoint[], operator: Operator): Crossings {
  let crossings = 0;
  let changedAtMs: number | null = null;
  let wasOver: boolean | null = null;
  let isOverThroughout = points.length > 0;
  for (const { atMs, value, limit } of points) {
    const isOver = isFiring(value, operator, limit);
    if (wasOver !== isOver && (wasOver !== null || isOver)) changedAtMs = atMs;
    if (wasOver === false && isOver) crossings += 1;
    if (!isOver) isOverThroughout = false;
    wasOver = isOver;
  }
  return {
    crossings,
    overSinceMs: wasOver === true ? changedAtMs : null,
    isOverThroughout,
    recoveredMs: wasOver === false ? changedAtMs : null,
  };
}

/** The value farthest on the firing side from `fromMs` on; null for `==` and `!=`. */
export function worstOf(
  points: readonly Point[],
  operator: Operator | null,
  fromMs: number,
): number | null {
  const values = points.filter(({ atMs }) => atMs >= fromMs).map(({ value }) => value);
  if (values.length === 0 || operator === null || operator === '==' || operator === '!=') {
    return null;
  }
  const isHigh = operator.startsWith('>');
  return values.reduce((a, b) => (isHigh ? Math.max(a, b) : Math.min(a, b)));
}
