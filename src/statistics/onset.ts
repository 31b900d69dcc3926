import { medianOf, robustScale, sortedQuantile } from '../lib/sorted-quantile.ts';
import type { RobustChange } from './robust-change.ts';
import { notableZ } from './strength.ts';

/** Larger deviations say nothing more about when a change began. */
const zMax = 6;
const pointsMin = 6;
/** A step or bend of this share of the whole change is what began it, whatever drifted before. */
const stepShareMin = 0.5;
/** Points on either side of a step whose median is its level. */
const levelPoints = 3;

/** The usual level of a series, the one that it moved to, and one deviation. */
type Levels = Pick<RobustChange, 'before' | 'after' | 'scale'>;

/**
 * The index at which a series left its usual level: values become z-scores in the robust scale of
 * the oldest half, clipped to ±6, and the split into two means that explains most variance is the
 * onset. Where it drifts off there, as traffic does in the evening, and most of the change is one
 * later step or steep rise, that is the onset. Where it came back to its usual level in between,
 * before the split, it began anew after that. Null with fewer than six finite values and for a
 * constant series.
 */
export function onsetOf(
  values: Float64Array,
  change: Levels,
  split: number = values.length,
): number | null {
  const known = values.filter(Number.isFinite);
  if (known.length < pointsMin) return null;
  const left = bestCut(clippedZ(known));
  if (left === null) return null;
  // Back from a dip, it has not left its usual level.
  const away = Math.sign(change.after - change.before) *
    (medianOf(known.subarray(left, left + levelPoints)) - change.before);
  const isDrift = Math.min(away, Math.abs(stepAt(known, left))) < notableZ * change.scale;
  const began = isDrift ? afterDrift(known, left, change) : left;
  const knownBefore = values.subarray(0, split).filter(Number.isFinite).length;
  const anew = begunAnew(partsOfWay(known, change), knownBefore);
  return indexOfKnown(values, Math.max(began, anew));
}

/** Up to this part of the way a series is at its usual level, and from the other on it is away. */
const backMax = 0.25;
const awayMin = 0.5;

/**
 * Where the values began to go away for the last time, after a stretch at their usual level before
 * the split that followed another time away; 0 where they went away only once.
 */
function begunAnew(parts: Float64Array, split: number): number {
  let [back, left, anew, wasAway] = [0, 0, 0, false];
  for (const [index, part] of parts.entries()) {
    if (part <= backMax) {
      back += 1;
      left = index + 1;
    } else if (part >= awayMin) {
      if (wasAway && back >= levelPoints && left - back < split) anew = left;
      [back, wasAway] = [0, true];
    }
  }
  return anew;
}

/** Index of the finite value that so many others precede. */
function indexOfKnown(values: Float64Array, place: number): number {
  let left = place;
  return values.findIndex((value) => Number.isFinite(value) && (left -= 1) < 0);
}

/**
 * Where most of the change follows a drift that began at `left`: at a step, or after the point that
 * lies farthest below the line from there to the level reached. `left` if it kept its pace.
 */
function afterDrift(values: Float64Array, left: number, change: Levels): number {
  const parts = partsOfWay(values, change);
  const step = bestCut(parts) ?? left;
  if (stepAt(values, step) / (change.after - change.before) >= stepShareMin) {
    return Math.max(left, step);
  }
  const end = parts.findIndex((part, index) => index >= step && part >= 1);
  const below = parts.subarray(left, Math.max(left, end))
    .map((part, index) => (index + 1) / (end + 1 - left) - part);
  const farthest = below.reduce((most, each) => Math.max(most, each), stepShareMin);
  // Where none is far enough, the index is -1.
  return left + below.indexOf(farthest) + 1;
}

/** When the oldest half is flat at zero, every other value gets the maximum deviation. */
function clippedZ(values: Float64Array): Float64Array {
  const older = values.slice(0, Math.ceil(values.length / 2)).sort();
  const median = sortedQuantile(older, 0.5);
  const scale = robustScale(older, median);
  return values.map((value) => {
    const difference = value - median;
    const z = scale === 0 ? Math.sign(difference) * zMax : difference / scale;
    return Math.max(-zMax, Math.min(zMax, z));
  });
}

/** How far each value is on the way from one level to the other, 0 to 1. */
function partsOfWay(values: Float64Array, { before, after }: Levels): Float64Array {
  const way = after - before;
  return values.map((value) => way === 0 ? 0 : Math.max(0, Math.min(1, (value - before) / way)));
}

/** The step at `cut`, from the few points before it to those after. */
function stepAt(values: Float64Array, cut: number): number {
  return medianOf(values.subarray(cut, cut + levelPoints)) -
    medianOf(values.subarray(Math.max(0, cut - levelPoints), cut));
}

/** Start of the second part of the split with the greatest between-group sum of squares. */
function bestCut(values: Float64Array): number | null {
  const count = values.length;
  const total = values.reduce((sum, value) => sum + value, 0);
  let best = 0;
  let cut: number | null = null;
  let left = 0;
  for (let index = 1; index < count; index += 1) {
    left += values[index - 1] ?? 0;
    const difference = left / index - (total - left) / (count - index);
    const explained = (difference * difference * index * (count - index)) / count;
    if (explained > best + 1e-9) [best, cut] = [explained, index];
  }
  return cut;
}
