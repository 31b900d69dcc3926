/** Places of minutes: the first that is empty, and the first that is not any more. */
export interface LogGap {
  readonly from: number;
  readonly to: number;
}

/** Shorter ones are a pause, or a batch that was long on its way. */
const gapMin = 10;
/** Of fewer minutes with lines nobody knows what is usual. */
const speakingMin = 20;
/** A log that is silent now and then has no gap. */
const usualShare = 0.9;

/**
 * The longest stretch of minutes without a line in a log that has some in nearly every other
 * minute: its agent was away, or its program. What is empty at the beginning or the end is none.
 */
export function logGap(counts: readonly number[]): LogGap | null {
  let longest: LogGap = { from: 0, to: 0 };
  let speaking = 0;
  let first = -1;
  let last = -1;
  for (const [at, count] of counts.entries()) {
    if (!(count > 0)) continue;
    if (first === -1) first = at;
    else if (at - last - 1 > longest.to - longest.from) longest = { from: last + 1, to: at };
    last = at;
    speaking += 1;
  }
  const length = longest.to - longest.from;
  const others = last - first + 1 - length;
  const isGap = length >= gapMin && speaking >= speakingMin && speaking >= usualShare * others;
  return isGap ? longest : null;
}
