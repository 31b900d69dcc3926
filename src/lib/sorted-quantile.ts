/** The interquartile range of a normal distribution, in standard deviations. */
const iqrPerSigma = 1.349;
/** The standard deviation of a normal distribution, in its median absolute deviations. */
export const sigmaPerMad = 1.4826;
/** The scale is at least this share of the magnitude, so that a constant series has one too. */
export const scaleFloor = 0.01;

/**
 * One deviation of ascending values around their `median`, robust against outliers: the largest of
 * the interquartile range, the median absolute deviation (both scaled to a normal distribution's
 * standard deviation) and 1 % of the magnitude.
 */
export function robustScale(sorted: Float64Array, median: number): number {
  const spread = sortedQuantile(sorted, 0.75) - sortedQuantile(sorted, 0.25);
  const magnitude = Math.max(
    Math.abs(median), Math.abs(sortedQuantile(sorted, 0.05)),
    Math.abs(sortedQuantile(sorted, 0.95)),
  );
  return Math.max(
    spread / iqrPerSigma, sigmaPerMad * medianDeviation(sorted, median), scaleFloor * magnitude,
  );
}

/**
 * Quantile `share` (0 to 1) of ascending values, interpolated linearly at (length - 1) · share. NaN
 * when there are none.
 */
export function sortedQuantile(sorted: Float64Array, share: number): number {
  const position = (sorted.length - 1) * share;
  const index = Math.floor(position);
  const value = sorted[index] ?? Number.NaN;
  const next = sorted[index + 1] ?? value;
  return value + (position - index) * (next - value);
}

/** The median of values in any order; NaN if there are none. */
export function medianOf(values: ArrayLike<number>): number {
  return sortedQuantile(Float64Array.from(values).sort(), 0.5);
}

/**
 * Median absolute deviation of ascending values from their `median`; NaN if there are none. The
 * nearer half of the values are neighbours, so bisection finds where they begin.
 */
export function medianDeviation(sorted: Float64Array, median: number): number {
  const count = sorted.length;
  const half = Math.floor(count / 2);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  let [low, high] = [0, Math.max(0, count - 1 - half)];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (median - at(middle) > at(middle + half + 1) - median) low = middle + 1;
    else high = middle;
  }
  const [below, above] = [median - at(low), at(low + half) - median];
  if (count % 2 === 1) return Math.max(below, above);
  // The median of an even number of distances lies between the last two.
  const nearer = below > above ? Math.max(median - at(low + 1), above)
    : Math.max(below, at(low + half - 1) - median);
  return (nearer + Math.max(below, above)) / 2;
}
