import { medianDeviation, medianOf, sigmaPerMad, sortedQuantile } from '../lib/sorted-quantile.ts';

/** Values needed in each third to tell a direction. */
const thirdMin = 2;
/** A trend's first and last third differ by at least this share of the larger one. */
const shareMin = 0.1;
/** They also differ by at least this many deviations of the noise. */
const deviationsMin = 2;

/**
 * Whether values rise or fall up to the end, by the medians of their thirds against the noise from
 * one value to the next. Null if they are steady, oscillate, or have levelled off. `values` are
 * finite and in order.
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
  if (Math.abs(change) < least) return null;
  const lately = (last - middle) * Math.sign(change);
  if (lately <= noise) return null;
  return change > 0 ? 'rising' : 'falling';
}

/** One deviation of the values around their trend, whatever its slope. */
function noiseOf(values: readonly number[]): number {
  const steps = values.slice(1).map((value, index) => value - (values[index] ?? value));
  const sorted = Float64Array.from(steps).sort();
  const median = sortedQuantile(sorted, 0.5);
  return sigmaPerMad * medianDeviation(sorted, median) / Math.SQRT2;
}
