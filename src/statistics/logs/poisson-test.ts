/** A number of events and the time span in which they were counted, in ms. */
export interface EventCount {
  readonly count: number;
  readonly spanMs: number;
}

/**
 * The probability of counting at least as many events in `after` if the rate never changed (p-value
 * of the conditional test of two Poisson rates; Przyborowski and Wilenski: "Homogeneity of results
 * in testing samples from Poisson series", Biometrika 31, 1940). It is exact for small counts: 1
 * against 0 is significant only if `before` was long. 1 if either time span is empty.
 */
export function poissonPValue(before: EventCount, after: EventCount): number {
  if (!(before.spanMs > 0 && after.spanMs > 0)) return 1;
  const share = after.spanMs / (before.spanMs + after.spanMs);
  const events = before.count + after.count;
  let chance = 0;
  // In logarithms, as the first terms underflow with thousands of events.
  let term = events * Math.log1p(-share);
  for (let count = 0; count <= events; count += 1) {
    if (count >= after.count) chance += Math.exp(term);
    term += Math.log(((events - count) / (count + 1)) * (share / (1 - share)));
  }
  return Math.min(1, chance);
}
