/** More alerts of one incident than this within five minutes are a storm. */
const stormMin = 10;
/** Where alerts are rare, fewer are: more than this, and so many times what is usual. */
const rareStormMin = 5;
const usualTimes = 5;

export const stormWindowMs: number = 5 * 60_000;

/**
 * Whether what began at `onset` is in a storm of its incident, whose alerts began at `onsets`, all
 * in milliseconds: among more than ten that began within five minutes, or among more than five
 * where that is over five times the usual. `usual` is how many alerts begin in five minutes on
 * average, null when that is not known.
 */
export function isInStorm(
  onset: number,
  onsets: readonly number[],
  usual: number | null,
): boolean {
  const together = beganTogether(onset, onsets);
  if (together > stormMin) return true;
  return usual !== null && together > rareStormMin && together > usualTimes * usual;
}

/** The most beginnings in any five minutes that hold `onset`. */
function beganTogether(onset: number, onsets: readonly number[]): number {
  const near = onsets
    .filter((other) => Math.abs(other - onset) <= stormWindowMs)
    .sort((a, b) => a - b);
  let most = 0;
  let first = 0;
  for (const [last, end] of near.entries()) {
    while (end - (near[first] ?? end) > stormWindowMs) first += 1;
    if (end >= onset && (near[first] ?? end) <= onset) most = Math.max(most, last - first + 1);
  }
  return most;
}
