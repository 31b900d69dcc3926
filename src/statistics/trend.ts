import { medianDeviation, medianOf, sigmaPerMad, sortedQuantile } from './sorted-quantile.ts';

/** With fewer values than this in a third of the course its direction is not known. */
const thirdMin = 2;
/** A course whose ends differ by this share of the larger one rises or falls. */
const shareMin = 0.1;
/** The ends of a steady course are never this many deviations of its noise apart. */
const deviationsMin = 2;

/**
 * Whether a course rises or falls, up to its end: by the medians of its thirds, against the noise
 * from one value to the next. Null for one that holds, that goes to and fro, or that has become
 * steady again. `values` are finite and in order.
 */
export function trendOf(values: readonly number[]): 'rising' | 'falling' | null {
  const third = Math.floor(values.length / 3);
  if (third < thirdMin) return null;
  const first = medianOf(values.slice(0, third));
  const middle = medianOf(values.slice(third, -third));
  const last = medianOf(values.slice(-third));
  const noise = noiseOf(values);
  const change = last - first;
  const least = Math.max(
    deviationsMin * noise, shareMin * Math.max(Math.abs(first), Math.abs(last)),
  );
  if (change === 0 || Math.abs(change) < least) return null;
  const lately = (last - middle) * Math.sign(change);
  if (lately <= noise) return null;
  return change > 0 ? 'rising' : 'falling';
}

/** One deviation of the values around a course of whatever slope. */
function noiseOf(values: readonly number[]): number {
  const steps = values.slice(1).map((value, index) => value - (values[index] ?? value));
  const sorted = Float64Array.from(steps).sort();
  const median = sortedQuantile(sorted, sorted.length, 0.5);
  return sigmaPerMad * medianDeviation(sorted, sorted.length, median) / Math.SQRT2;
}
