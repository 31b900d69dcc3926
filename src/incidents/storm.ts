/** More alerts of one incident than this, within five minutes, are a storm. */
const stormMin = 10;
/** Fewer are enough where alerts are rare: more than this, and this many times the usual number. */
const rareStormMin = 5;
const usualTimes = 5;

export const stormWindowMs: number = 5 * 60_000;

/**
 * Whether an alert that began at `onset` is part of a storm of its incident, whose alerts began at
 * `onsets` (all in ms): more than ten of them began within five minutes, or more than five if that
 * is over five times the usual number. `usual` is the average number of alerts that begin in five
 * minutes; null if unknown.
 */
export function isInStorm(onset: number, onsets: readonly number[], usual: number | null): boolean {
  const together = beganTogether(onset, onsets);
  if (together > stormMin) return true;
  return usual !== null && together > rareStormMin && together > usualTimes * usual;
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
