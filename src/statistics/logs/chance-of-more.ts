/** A number of events and the time in which they were counted, in ms. */
export interface Counted {
  readonly count: number;
  readonly spanMs: number;
}

/**
 * How likely chance makes `after` as large as it is, at one rate throughout. Of all events together
 * those after are binomial, with the share of the time that is after (Przyborowski and Wilenski:
 * "Homogeneity of results in testing samples from Poisson series", Biometrika 31, 1940). It is
 * exact at small counts: 1 against 0 proves something only where before was long. Where either time
 * is empty nothing is unlikely.
 */
export function chanceOfMore(before: Counted, after: Counted): number {
  if (!(before.spanMs > 0 && after.spanMs > 0)) return 1;
  const share = after.spanMs / (before.spanMs + after.spanMs);
  const events = before.count + after.count;
  let chance = 0;
  // In logarithms, since the first terms of thousands of events are below any number.
  let term = events * Math.log1p(-share);
  for (let count = 0; count <= events; count += 1) {
    if (count >= after.count) chance += Math.exp(term);
    term += Math.log(((events - count) / (count + 1)) * (share / (1 - share)));
  }
  return Math.min(1, chance);
}
