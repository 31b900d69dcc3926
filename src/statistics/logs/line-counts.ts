import { medianOf } from '../../lib/sorted-quantile.ts';

/** The lines of a log in each minute of a time span. Other members are indexes of minutes. */
export interface LineCounts {
  readonly counts: readonly number[];
  /** The first minute with lines; the number of minutes if there is none. */
  readonly begin: number;
  readonly gap: LineGap | null;
}

interface LineGap {
  /** The first minute without lines, and the first with lines again. */
  readonly from: number;
  readonly to: number;
}

/** Lines per minute of a log before and after a moment. */
export interface LineRate {
  readonly beforePerMinute: number;
  /** Median of the latest minutes. */
  readonly afterPerMinute: number;
  /** Index of the first minute of silence up to the end; null if there is none or it is usual. */
  readonly silentFrom: number | null;
}

/** With fewer minutes nothing is known about what is usual. */
const usualMin = 20;
/** Share of minutes with lines above which silence is unusual. */
const usualShare = 0.9;
/** Shorter gaps are pauses, or a batch that arrived late. */
const gapMin = 10;
/** The rate after is that of these minutes, so that a late change shows. */
const latestMinutes = 10;
/** Shorter silence may be delayed ingestion: lines can take a minute or two to arrive. */
const silentMin = 4;

export function lineCounts(counts: readonly number[]): LineCounts {
  const first = counts.findIndex((count) => count > 0);
  return { counts, begin: first < 0 ? counts.length : first, gap: lineGap(counts) };
}

/**
 * The longest run of minutes without a line in a log that has lines in nearly all other minutes:
 * its agent or its program was down. Silence at the beginning or the end is no gap.
 */
export function lineGap(counts: readonly number[]): LineGap | null {
  const active = [...counts.keys()].filter((minute) => (counts[minute] ?? 0) > 0);
  let longest: LineGap = { from: 0, to: 0 };
  for (const [place, to] of active.entries()) {
    const from = (active[place - 1] ?? to) + 1;
    if (to - from > longest.to - longest.from) longest = { from, to };
  }
  const length = longest.to - longest.from;
  const others = (active.at(-1) ?? 0) - (active[0] ?? 0) + 1 - length;
  const isUsual = active.length >= usualMin && active.length >= usualShare * others;
  return length >= gapMin && isUsual ? longest : null;
}

/**
 * `split` is the index where after begins. Minutes before the log began, or within a gap, would
 * distort the usual rate and are left out. Null if before is short.
 */
export function lineRate({ counts, begin, gap }: LineCounts, split: number): LineRate | null {
  const isUsual = (minute: number): boolean =>
    minute >= begin && (gap === null || minute < gap.from || minute >= gap.to);
  const before = counts.filter((_, minute) => minute < split && isUsual(minute));
  const after = counts.filter((_, minute) => minute >= split && isUsual(minute));
  if (before.length < usualMin || after.length === 0) return null;
  const silent = counts.length - 1 - counts.findLastIndex((count) => count > 0);
  const isSteady = before.filter((count) => count > 0).length >= usualShare * before.length;
  return {
    beforePerMinute: medianOf(before),
    afterPerMinute: medianOf(after.slice(-latestMinutes)),
    silentFrom: isSteady && silent >= silentMin ? counts.length - silent : null,
  };
}
