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
 * Median absolute deviation of ascending values from their `median`. Needs no second sort: the
 * nearest values surround the median, so two indexes walk outwards.
 */
export function medianDeviation(sorted: Float64Array, median: number): number {
  const count = sorted.length;
  if (count === 0) return Number.NaN;
  let right = Math.ceil(count / 2);
  let left = right - 1;
  let nearer = 0;
  let distance = 0;
  // For even counts the median is the mean of the two distances around (count - 1) / 2.
  const last = Math.floor(count / 2);
  for (let taken = 0; taken <= last; taken += 1) {
    nearer = distance;
    const below = left >= 0 ? median - (sorted[left] ?? 0) : Infinity;
    const above = right < count ? (sorted[right] ?? 0) - median : Infinity;
    if (below <= above) {
      distance = below;
      left -= 1;
    } else {
      distance = above;
      right += 1;
    }
  }
  return count % 2 === 0 ? (nearer + distance) / 2 : distance;
}
