/** Indexes of minutes: the first without lines, and the first with lines again. */
export interface LogGap {
  readonly from: number;
  readonly to: number;
}

/** Shorter gaps are pauses, or a batch that arrived late. */
const gapMin = 10;
/** With fewer minutes that have lines, nothing is known about what is usual. */
const activeMin = 20;
/** Share of the other minutes that must have lines: a log that is often silent has no gap. */
const usualShare = 0.9;

/**
 * The longest run of minutes without a line in a log that has lines in nearly all other minutes:
 * its agent or its program was down. Silence at the beginning or the end is no gap.
 */
export function logGap(counts: readonly number[]): LogGap | null {
  let longest: LogGap = { from: 0, to: 0 };
  let active = 0;
  let first = -1;
  let last = -1;
  for (const [at, count] of counts.entries()) {
    if (!(count > 0)) continue;
    if (first === -1) first = at;
    else if (at - last - 1 > longest.to - longest.from) longest = { from: last + 1, to: at };
    last = at;
    active += 1;
  }
  const length = longest.to - longest.from;
  const others = last - first + 1 - length;
  const isGap = length >= gapMin && active >= activeMin && active >= usualShare * others;
  return isGap ? longest : null;
}
