/** Published ranking methods, for comparison. */
import { sortedQuantile } from '../../src/lib/sorted-quantile.ts';

/** The score of one series whose fault begins at index `split`; null if the method gives none. */
export type SeriesScore = (values: Float64Array, split: number) => number | null;

/**
 * BARO's RobustScorer (phamquiluan/baro): the largest deviation from the median, in interquartile
 * ranges. As there, the last value fills a gap, a spread of 0 becomes 1, and a series that is
 * constant before or after the split has no score.
 */
export const baroScore: SeriesScore = (values, split) =>
  largestDeviation(values, split, (before) => {
    const sorted = before.toSorted();
    return [
      sortedQuantile(sorted, 0.5), sortedQuantile(sorted, 0.75) - sortedQuantile(sorted, 0.25),
    ];
  });

/** The largest deviation from the mean, in standard deviations, with the same conventions. */
export const nSigmaScore: SeriesScore = (values, split) =>
  largestDeviation(values, split, (before) => {
    const mean = before.reduce((sum, value) => sum + value, 0) / before.length;
    const squares = before.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    return [mean, Math.sqrt(squares / before.length)];
  });

function largestDeviation(
  values: Float64Array,
  split: number,
  usual: (before: Float64Array) => readonly [centre: number, scale: number],
): number | null {
  let last = 0;
  const filled = values.map((value) => {
    if (!Number.isNaN(value)) last = value;
    return last;
  });
  const before = filled.subarray(0, split);
  const after = filled.subarray(split);
  if (before.length < 2 || isConstant(before) || isConstant(after)) return null;
  const [centre, scale] = usual(before);
  return after.reduce((max, value) => Math.max(max, (value - centre) / (scale || 1)), -Infinity);
}

function isConstant(values: Float64Array): boolean {
  return values.every((value) => value === values[0]);
}
