/** More alerts of one incident than this, within five minutes, are a storm. */
export const stormMin = 10;
/** How far apart the alerts of a storm begin at most. */
export const stormWindowMs: number = 5 * 60_000;

/**
 * Whether an alert that began at `onset` is part of a storm of its incident, whose alerts began at
 * `onsets` (all in ms): more than ten of them began within five minutes.
 */
export function isInStorm(onset: number, onsets: readonly number[]): boolean {
  return beganTogether(onset, onsets) > stormMin;
}

/** The most of `onsets`, one of which is `onset`, in any five minutes that include it. */
function beganTogether(onset: number, onsets: readonly number[]): number {
  const near = onsets
    .filter((other) => Math.abs(other - onset) <= stormWindowMs)
    .sort((a, b) => a - b);
  let most = 0;
  let first = 0;
  for (const [last, end] of near.entries()) {
    while (end - (near[first] ?? end) > stormWindowMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
