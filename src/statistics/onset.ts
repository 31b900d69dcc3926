import { robustScale, sortedQuantile } from './sorted-quantile.ts';

/** Larger deviations say nothing more about when a change began. */
const zMax = 6;
const pointsMin = 6;

/**
 * The index at which a series left its usual level: values become z-scores in the robust scale of
 * the oldest half, clipped to ±6, and the split into two means that explains most variance is the
 * onset. Null with fewer than six finite values and for a constant series.
 */
export type FindOnset = (values: Float64Array) => number | null;

/** Creates an onset finder that reuses its buffers from one series to the next. */
export function createOnsetFinder(): FindOnset {
  let finite = new Float64Array(256);
  let sorted = new Float64Array(256);
  let places = new Int32Array(256);
  return (values) => {
    if (finite.length < values.length) {
      finite = new Float64Array(2 * values.length);
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
    toClippedZ(finite, count, sorted.subarray(0, older).sort());
    const cut = bestCut(finite, count);
    return cut === null ? null : (places[cut] ?? null);
  };
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
