import type { RobustChange } from './robust-change.ts';
import { robustScale, sortedQuantile } from './sorted-quantile.ts';
import { notableZ } from './strength.ts';

/** Larger deviations say nothing more about when a change began. */
const zMax = 6;
const pointsMin = 6;
/** A step of this share of the whole change is what began it, whatever drifted before. */
const stepShareMin = 0.5;
/** Points on either side of a step whose median is its level. */
const levelPoints = 3;

/**
 * The index at which a series left its usual level: values become z-scores in the robust scale of
 * the oldest half, clipped to ±6, and the split into two means that explains most variance is the
 * onset. Where it drifts off there, as traffic does in the evening, and most of the change is one
 * later step, that is the onset. Null with fewer than six finite values and for a constant
 * series.
 */
type FindOnset = (values: Float64Array, change: Levels) => number | null;

/** The usual level of a series, the one that it moved to, and one deviation. */
type Levels = Pick<RobustChange, 'before' | 'after' | 'scale'>;

/** Creates an onset finder that reuses its buffers from one series to the next. */
export function createOnsetFinder(): FindOnset {
  let finite = new Float64Array(256);
  let scores = new Float64Array(256);
  let sorted = new Float64Array(256);
  let places = new Int32Array(256);
  return (values, change) => {
    if (finite.length < values.length) {
      finite = new Float64Array(2 * values.length);
      scores = new Float64Array(2 * values.length);
      sorted = new Float64Array(2 * values.length);
      places = new Int32Array(2 * values.length);
    }
    let count = 0;
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index] ?? Number.NaN;
      if (value - value !== 0) continue;
      finite[count] = value;
      places[count] = index;
      count += 1;
    }
    if (count < pointsMin) return null;
    const older = Math.ceil(count / 2);
    for (let index = 0; index < older; index += 1) sorted[index] = finite[index] ?? 0;
    scores.set(finite.subarray(0, count));
    toClippedZ(scores, count, sorted.subarray(0, older).sort());
    const left = bestCut(scores, count);
    if (left === null) return null;
    scores.set(finite.subarray(0, count));
    toClippedLevels(scores, count, change);
    const step = bestCut(scores, count) ?? left;
    const known = finite.subarray(0, count);
    const isDrift = step > left && Math.abs(stepAt(known, left)) < notableZ * change.scale &&
      stepAt(known, step) / (change.after - change.before) >= stepShareMin;
    return places[isDrift ? step : left] ?? null;
  };
}

/** In place: only the way from one level to the other is left. */
function toClippedLevels(values: Float64Array, count: number, { before, after }: Levels): void {
  const [low, high] = [Math.min(before, after), Math.max(before, after)];
  for (let index = 0; index < count; index += 1) {
    values[index] = Math.max(low, Math.min(high, values[index] ?? low));
  }
}

/** The step at `cut`, from the few points before it to those after. */
function stepAt(values: Float64Array, cut: number): number {
  const level = (part: Float64Array): number => sortedQuantile(part.sort(), part.length, 0.5);
  return level(values.slice(cut, cut + levelPoints)) -
    level(values.slice(Math.max(0, cut - levelPoints), cut));
}

/** In place. When the oldest half is flat at zero, every other value gets the maximum deviation. */
function toClippedZ(values: Float64Array, count: number, older: Float64Array): void {
  const median = sortedQuantile(older, older.length, 0.5);
  const scale = robustScale(older, older.length, median);
  for (let index = 0; index < count; index += 1) {
    const difference = (values[index] ?? median) - median;
    const z = scale === 0 ? Math.sign(difference) * zMax : difference / scale;
    values[index] = Math.max(-zMax, Math.min(zMax, z));
  }
}

/** Start of the second part of the split with the greatest between-group sum of squares. */
function bestCut(z: Float64Array, count: number): number | null {
  let total = 0;
  for (let index = 0; index < count; index += 1) total += z[index] ?? 0;
  let best = 0;
  let cut: number | null = null;
  let left = 0;
  for (let index = 1; index < count; index += 1) {
    left += z[index - 1] ?? 0;
    const difference = left / index - (total - left) / (count - index);
    const explained = (difference * difference * index * (count - index)) / count;
    if (explained > best + 1e-9) [best, cut] = [explained, index];
  }
  return cut;
}
