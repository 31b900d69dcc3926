/** How long something lasted; if it has not ended, how long it has lasted so far. */
interface Duration {
  readonly seconds: number;
  readonly ended: boolean;
}

/**
 * Quantile `share` (0 to 1) of the durations by the Kaplan-Meier estimator, in which unfinished
 * ones are right-censored: the smallest duration at which survival is `1 - share` or less. Null
 * when survival never falls that low, because too many are unfinished.
 */
export function durationQuantile(durations: readonly Duration[], share: number): number | null {
  const sorted = durations.toSorted(
    (a, b) => a.seconds - b.seconds || Number(b.ended) - Number(a.ended),
  );
  let survival = 1;
  for (const [index, { seconds, ended }] of sorted.entries()) {
    if (!ended) continue;
    survival *= 1 - 1 / (sorted.length - index);
    // Products of fractions miss 1 - share by a rounding error.
    if (survival <= 1 - share + 1e-9) return seconds;
  }
  return null;
}
