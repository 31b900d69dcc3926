import type { Signal } from './names/metric-rule.ts';
import { medianOf, robustScale, sortedQuantile } from './sorted-quantile.ts';

/** Fewer values than this before the split are no baseline. */
export const beforePointsMin = 5;

/** With no more values than this after the split, the change may be transient. */
const fewPointsMax = 2;

/**
 * The standard deviation is taken over this oldest share of the points before the split, so that a
 * change that began before a late split does not inflate it.
 */
const olderShare = 0.5;
/** A deviation counts when this share of the points after the split reaches it. */
export const heldShare = 0.25;
/** The z assigned to a series that was flat at its origin and is no longer. */
export const newActivityZ = 10;

/** How far a series moved at the split. */
export interface RobustChange {
  /** The signed deviation that a quarter of the points after the split reach or exceed. */
  readonly z: number;
  /** Median before the split. */
  readonly before: number;
  /** The value a quarter of the points after it reach: `before + z * scale`, unless that is 0. */
  readonly after: number;
  /** One deviation in the series' own unit; 0 if it was flat at its origin. */
  readonly scale: number;
  /** The value from which its magnitude counts. */
  readonly origin: number;
  /** Number of values before the split. */
  readonly pointsBefore: number;
  /** Only one or two values after the split, so the change may be transient. */
  readonly fewPoints: boolean;
}

/** A share of successes is usually at least this share of its whole. */
const successMin = 0.9;

/**
 * The value from which a series' magnitude counts: the whole of a share of successes, as its
 * failures are what changes (from 99.9 to 99 % they are ten times as many), and 0 for any other.
 */
export function originOf(
  { signal, values }: { readonly signal: Signal; readonly values: Float64Array },
  split: number,
): number {
  if (signal !== 'errors') return 0;
  const usual = medianOf(values.subarray(0, split).filter(Number.isFinite));
  const most = values.reduce((max, value) => (value > max ? value : max), -Infinity);
  // Sums of shares miss the whole by a rounding error.
  return [1, 100].find((whole) => usual >= successMin * whole && most <= whole + 1e-9) ?? 0;
}

/** Null with fewer than five finite values before the split, or none after it. */
type MeasureChange = (values: Float64Array, split: number, origin?: number) => RobustChange | null;

/**
 * Creates a measure of change that reuses its buffers, so that ranking allocates nothing per point.
 * It is a guarded robust z: the distance from the median in the largest of four scales, which are
 * the interquartile range, the median absolute deviation, the standard deviation of the older half,
 * and 1 % of the magnitude. Non-finite values are missing.
 */
export function createChangeMeasure(): MeasureChange {
  let inOrder = new Float64Array(256);
  let sorted = new Float64Array(256);
  return (values, split, origin = 0) => {
    if (sorted.length < values.length) {
      inOrder = new Float64Array(2 * values.length);
      sorted = new Float64Array(2 * values.length);
    }
    const count = copyFinite(values, { from: 0, to: split, origin, target: inOrder });
    if (count < beforePointsMin) return null;
    for (let index = 0; index < count; index += 1) sorted[index] = inOrder[index] ?? 0;
    sorted.subarray(0, count).sort();
    const before = sortedQuantile(sorted, count, 0.5);
    const older = Math.max(beforePointsMin, Math.ceil(count * olderShare));
    const scale = Math.max(robustScale(sorted, count, before), standardDeviation(inOrder, older));

    const counted = copyFinite(values, { from: split, to: values.length, origin, target: sorted });
    if (counted === 0) return null;
    const after = sorted.subarray(0, counted).sort();
    const held = scale === 0 ? newActivity(after) : heldShift(after, { before, scale });
    return {
      z: held.z, before: origin + before, after: origin + held.after, scale, origin,
      pointsBefore: count, fewPoints: counted <= fewPointsMax,
    };
  };
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly origin: number;
  readonly target: Float64Array;
}

/** Copies the finite values, as distances from the origin, and returns how many there were. */
function copyFinite(values: Float64Array, { from, to, origin, target }: Span): number {
  let count = 0;
  for (let index = from; index < to; index += 1) {
    const value = values[index] ?? Number.NaN;
    if (value - value !== 0) continue;
    target[count] = value - origin;
    count += 1;
  }
  return count;
}

/** Population standard deviation of the first `count` (> 0) values. */
function standardDeviation(values: Float64Array, count: number): number {
  let sum = 0;
  for (let index = 0; index < count; index += 1) sum += values[index] ?? 0;
  const mean = sum / count;
  let squares = 0;
  for (let index = 0; index < count; index += 1) squares += ((values[index] ?? 0) - mean) ** 2;
  return Math.sqrt(squares / count);
}

type Held = Pick<RobustChange, 'z' | 'after'>;

function heldShift(
  after: Float64Array,
  { before, scale }: Pick<RobustChange, 'before' | 'scale'>,
): Held {
  const high = sortedQuantile(after, after.length, 1 - heldShare);
  const low = sortedQuantile(after, after.length, heldShare);
  const held = Math.abs(high - before) >= Math.abs(low - before) ? high : low;
  return { z: (held - before) / scale, after: held };
}

/** A flat series has no spread to measure in, so z comes from the share of points that differ. */
function newActivity(after: Float64Array): Held {
  let differing = 0;
  let balance = 0;
  for (let index = 0; index < after.length; index += 1) {
    const value = after[index] ?? 0;
    if (value === 0) continue;
    differing += 1;
    balance += Math.sign(value);
  }
  const share = Math.min(1, (2 * differing) / after.length);
  return {
    z: newActivityZ * share * (balance < 0 ? -1 : 1),
    after: sortedQuantile(after, after.length, balance < 0 ? heldShare : 1 - heldShare),
  };
}
