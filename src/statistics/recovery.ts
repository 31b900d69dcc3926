import { medianOf } from '../lib/sorted-quantile.ts';
import { notableZ } from './strength.ts';

/** A series' current level is the median of this many last values, as one may be an outlier. */
const lastPoints = 3;
/** A series is back if it is within this share of the change from its level before. */
const nearShare = 0.2;
/** Within its usual spread it is back too, unless more than this share of the change is left. */
const farShare = 0.5;
/** A series whose last value is this many points old has no values at the end. */
const staleMax = 3;
/** This many consecutive values away from the level before are no outliers. */
const awayMax = 2;

/** A change as it was measured, and the point from which it should be undone. */
interface ChangeToUndo {
  readonly before: number;
  readonly after: number;
  /** One deviation in the series' own unit. */
  readonly scale: number;
  /** Index of the first point after the end of the alert. */
  readonly end: number;
}

/**
 * Where a series that changed is at the end of its values.
 *
 * `back`: near its level before. `changed`: clearly away from it, with enough points after the
 * alert's end. `partly`: in between. `unsettled`: not back, but too soon after the alert's end to
 * tell. `unseen`: no recent values.
 */
export interface Recovery {
  readonly state: 'back' | 'partly' | 'changed' | 'unsettled' | 'unseen';
  /** The first point from which it stays near its level before; null when it is not back. */
  readonly backIndex: number | null;
  /** Median of the last three values; null when `unseen`, and from {@linkcode returnOf}. */
  readonly level: number | null;
}

/** Whether a series is back at its level before the change. Non-finite values are missing. */
export function recoveryOf(values: Float64Array, change: ChangeToUndo): Recovery {
  const points = [...values.entries()].filter(([, value]) => Number.isFinite(value));
  const last = points.slice(-lastPoints);
  const newest = last.at(-1)?.[0] ?? -Infinity;
  if (last.length < lastPoints || newest < values.length - staleMax) {
    return { state: 'unseen', backIndex: null, level: null };
  }
  const level = medianOf(last.map(([, value]) => value));
  const way = Math.abs(change.after - change.before);
  const near = Math.max(nearShare * way, Math.min(notableZ * change.scale, farShare * way));
  const isNear = (value: number): boolean => Math.abs(value - change.before) <= near;
  if (isNear(level)) return { state: 'back', backIndex: backIndexOf(points, isNear), level };
  if (points.filter(([index]) => index >= change.end).length < lastPoints) {
    return { state: 'unsettled', backIndex: null, level };
  }
  const isFar = Math.abs(level - change.before) > farShare * way;
  return { state: isFar ? 'changed' : 'partly', backIndex: null, level };
}

/** Start of the final stretch of values near the level before, tolerating single outliers. */
function backIndexOf(
  points: readonly (readonly [index: number, value: number])[],
  isNear: (value: number) => boolean,
): number | null {
  let first: number | null = null;
  let away = 0;
  for (const [index, value] of points.toReversed()) {
    if (isNear(value)) {
      first = index;
      away = 0;
    } else {
      away += 1;
      if (away >= awayMax) break;
    }
  }
  return first;
}

/** The same for a series that had ended: it is back when it has recent values again. */
export function returnOf(values: Float64Array, end: number): Recovery {
  let first: number | null = null;
  let missing = 0;
  for (let index = values.length - 1; index >= 0 && missing < staleMax; index -= 1) {
    const isThere = Number.isFinite(values[index]);
    missing = isThere ? 0 : missing + 1;
    if (isThere) first = index;
  }
  if (first !== null) return { state: 'back', backIndex: first, level: null };
  const isSteady = values.length - end >= lastPoints;
  return { state: isSteady ? 'changed' : 'unsettled', backIndex: null, level: null };
}
