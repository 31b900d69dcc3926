import { medianOf, robustScale, sortedQuantile } from '../lib/sorted-quantile.ts';
import { inUnit } from '../lib/unit-sizes.ts';
import type { ChangeCandidate } from './change-candidate.ts';
import type { Signal } from './names/metric-rule.ts';

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
/**
 * One deviation of a number of things in use is at least this share of its square root, since such
 * numbers vary by chance like counts of independent events.
 */
export const countNoise = 0.25;
/**
 * With this as one deviation, a duration has moved once it passes a millisecond: a timer of Node.js
 * is no finer (its documentation of `setTimeout`), and a data centre's round trip takes half of it.
 */
const leastDeviationSeconds = 0.25e-3;
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

/** What the values of a series are, as far as it matters for how much they usually vary. */
interface ValueNature {
  /** The value from which its magnitude counts. */
  readonly origin: number;
  /** A number of things in use, if all values are whole. */
  readonly isUse: boolean;
  /** The least that one deviation is where it was not flat. */
  readonly least: number;
}

/** What is known of a series by its name, and of a share of successes by its values. */
export function natureOf(
  { signal, unit }: Pick<ChangeCandidate, 'signal' | 'unit'>,
  values: Float64Array,
  split: number,
): ValueNature {
  return {
    origin: originOf(signal, values, split),
    isUse: signal === 'saturation' || signal === 'utilization',
    least: unit === null ? 0 : inUnit(leastDeviationSeconds, 'seconds', unit) ?? 0,
  };
}

/** A share of successes is usually at least this share of its whole. */
const successMin = 0.9;

/**
 * The value from which a series' magnitude counts: the whole of a share of successes, as its
 * failures are what changes (from 99.9 to 99 % they are ten times as many), and 0 for any other.
 */
function originOf(signal: Signal, values: Float64Array, split: number): number {
  if (signal !== 'errors') return 0;
  const usual = medianOf(values.subarray(0, split).filter(Number.isFinite));
  const most = values.reduce((max, value) => (value > max ? value : max), -Infinity);
  // Sums of shares miss the whole by a rounding error.
  return [1, 100].find((whole) => usual >= successMin * whole && most <= whole + 1e-9) ?? 0;
}

/** What chance makes of a number of things in use; null if some value is not whole. */
function leastOfUse(sorted: Float64Array, median: number): number | null {
  return sorted.every(Number.isInteger)
    ? countNoise * Math.sqrt(Math.max(1, Math.abs(median))) : null;
}

/**
 * How far a series moved at the split, as a guarded robust z: the distance from the median in the
 * largest of these scales: the interquartile range, the median absolute deviation, the standard
 * deviation of the older half, 1 % of the magnitude, and the least one where it was not flat.
 * Non-finite values are missing; null with fewer than five before the split, or none after it.
 */
export function measureChange(
  values: Float64Array,
  split: number,
  { origin = 0, isUse = false, least = 0 }: Partial<ValueNature> = {},
): RobustChange | null {
  if (room.length < values.length) room = new Float64Array(values.length);
  const earlier = distances(values, { from: 0, to: split, origin }, room);
  const end = values.length;
  const later = distances(values, { from: split, to: end, origin }, room.subarray(earlier.length))
    .sort();
  if (earlier.length < beforePointsMin || later.length === 0) return null;
  const olderLength = Math.max(beforePointsMin, Math.ceil(earlier.length * olderShare));
  const olderDeviation = standardDeviation(earlier, olderLength);
  earlier.sort();
  const before = sortedQuantile(earlier, 0.5);
  const spread = Math.max(robustScale(earlier, before), olderDeviation);
  const scale = spread > 0
    ? Math.max(spread, isUse ? leastOfUse(earlier, before) ?? least : least) : spread;
  const held = scale === 0 ? newActivity(later) : heldShift(later, { before, scale });
  return {
    z: held.z, before: origin + before, after: origin + held.after, scale, origin,
    pointsBefore: earlier.length, fewPoints: later.length <= fewPointsMax,
  };
}

/** One for all series, as room for each would take a tenth of the time of ranking them. */
let room = new Float64Array(0);

/** The finite values of a stretch, as distances from the origin, at the beginning of `into`. */
function distances(
  values: Float64Array,
  { from, to, origin }: { readonly from: number; readonly to: number; readonly origin: number },
  into: Float64Array,
): Float64Array {
  let count = 0;
  for (let index = from; index < to; index += 1) {
    const value = values[index] ?? Number.NaN;
    if (!Number.isFinite(value)) continue;
    into[count] = value - origin;
    count += 1;
  }
  return into.subarray(0, count);
}

/** Population standard deviation of the first values, at least one. */
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
  const high = sortedQuantile(after, 1 - heldShare);
  const low = sortedQuantile(after, heldShare);
  const held = Math.abs(high - before) >= Math.abs(low - before) ? high : low;
  return { z: (held - before) / scale, after: held };
}

/** A flat series has no spread to measure in, so z comes from the share of points that differ. */
function newActivity(after: Float64Array): Held {
  const differing = after.filter((value) => value !== 0);
  const isFall = differing.reduce((balance, value) => balance + Math.sign(value), 0) < 0;
  const share = Math.min(1, (2 * differing.length) / after.length);
  return {
    z: newActivityZ * share * (isFall ? -1 : 1),
    after: sortedQuantile(after, isFall ? heldShare : 1 - heldShare),
  };
}

/**
 * The z of a series of zeros and ones with values on both sides of the split. A flip between them
 * has no size: what counts is the share of time that it holds, the less the more often it flipped
 * before. Null for a series with any other value.
 */
export function zOfState(values: Float64Array, split: number): number | null {
  const before = values.subarray(0, split).filter(Number.isFinite);
  const after = values.subarray(split).filter(Number.isFinite);
  if (![...before, ...after].every((value) => value === 0 || value === 1)) return null;
  const wasOne = 2 * before.filter((value) => value === 1).length >= before.length;
  const differing = after.filter((value) => (value === 1) !== wasOne).length / after.length;
  const flips = before.filter((value, at) => at > 0 && value !== before[at - 1]).length;
  const size = newActivityZ * Math.min(1, 2 * differing) / (1 + flips);
  return wasOne ? -size : size;
}
