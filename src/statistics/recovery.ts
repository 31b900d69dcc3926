import { notableZ } from './strength.ts';

/** The median of the last values tells where a series is: one alone may be a slip. */
const lastPoints = 3;
/** A series is back within this share of the change from its level before, */
const nearShare = 0.2;
/** and within its usual spread, but never with more than this share of the change still there. */
const farShare = 0.5;
/** A series whose last value is this many points old has none at the end. */
const staleMax = 3;
/** This many values away from the usual, in a row, end a stretch of usual ones. */
const awayMax = 2;

/** A change as it was found, and the first point of the grid after the end. */
export interface ChangeToUndo {
  readonly before: number;
  readonly after: number;
  /** One deviation in the series' own unit. */
  readonly scale: number;
  /** Index of the first point after the end of what the change went with. */
  readonly end: number;
}

/**
 * Where a series that changed is at the end.
 *
 * `back` near its level before; `changed` clearly not, over enough points after the end; `partly`
 * in between; `unsettled` not back, and the end is too short ago to tell; `unseen` it has no values
 * at the end.
 */
export interface Recovery {
  readonly state: 'back' | 'partly' | 'changed' | 'unsettled' | 'unseen';
  /** First point from which on it stays near its level before; null where it is not back. */
  readonly backIndex: number | null;
  /** The level at the end: the median of the last three values; null when unseen. */
  readonly level: number | null;
}

/** Whether a series is back where it was before it changed. What is not finite is missing. */
export function recoveryOf(values: Float64Array, change: ChangeToUndo): Recovery {
  const points = [...values.entries()].filter(([, value]) => Number.isFinite(value));
  const last = points.slice(-lastPoints);
  const newest = last.at(-1)?.[0] ?? -Infinity;
  if (last.length < lastPoints || newest < values.length - staleMax) {
    return { state: 'unseen', backIndex: null, level: null };
  }
  const level = last.map(([, value]) => value).sort((a, b) => a - b)[1] ?? Number.NaN;
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

/** Where the stretch of usual values begins that lasts to the end, single slips among it. */
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

/** Where a series that had ended is at the end: back when it has values again. */
export function returnOf(values: Float64Array, end: number): Recovery {
  let first: number | null = null;
  let missing = 0;
  for (let index = values.length - 1; index >= 0 && missing < staleMax; index -= 1) {
    const isThere = Number.isFinite(values[index]);
    missing = isThere ? 0 : missing + 1;
    if (isThere) first = index;
  }
  if (first !== null) return { state: 'back', backIndex: first, level: null };
  const isSettled = values.length - end >= lastPoints;
  return { state: isSettled ? 'changed' : 'unsettled', backIndex: null, level: null };
}
