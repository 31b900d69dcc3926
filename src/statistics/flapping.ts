/** Starts longer apart than this are not of one run. */
const apartMsMax = 50 * 60_000;
/** The latest start is no longer ago than this. */
const agoMsMax = 105 * 60_000;
/** Starts are regular where so many of the times between them are near the median. */
const regularShareMin = 0.75;

/** A run of starts, each soon after the one before. */
export interface Alternations {
  readonly times: number;
  /** From the first to the last of them. */
  readonly spanMs: number;
  /** The median time between two of them. */
  readonly periodMs: number;
  readonly isRegular: boolean;
}

/**
 * The latest run of starts (ms, in any order), up to `now`; null if it is over or has only one.
 */
export function alternationsOf(starts: readonly number[], now: number): Alternations | null {
  const known = starts.filter((start) => start <= now).sort((a, b) => a - b);
  const gaps = known.slice(1).map((start, index) => start - (known[index] ?? start));
  const run = gaps.slice(gaps.findLastIndex((gap) => gap > apartMsMax) + 1);
  const sorted = run.toSorted((a, b) => a - b);
  const periodMs = sorted[Math.floor((sorted.length - 1) / 2)];
  if (periodMs === undefined || now - (known.at(-1) ?? 0) > agoMsMax) return null;
  const near = run.filter((gap) => gap >= periodMs / 2 && gap <= periodMs * 2);
  return {
    times: run.length + 1, spanMs: run.reduce((sum, gap) => sum + gap, 0), periodMs,
    isRegular: near.length >= regularShareMin * run.length,
  };
}
