import { medianOf } from '../sorted-quantile.ts';

/** Lines per minute of a log before and after a moment. */
export interface LineRate {
  readonly beforePerMinute: number;
  /** Median of the latest minutes. */
  readonly afterPerMinute: number;
  /** Index of the first minute of silence up to the end; null if there is none or it is usual. */
  readonly silentFrom: number | null;
}

/** Fewer minutes are no baseline. */
const beforeMin = 20;
/** The rate after is that of these minutes, so that a late change shows. */
const latestMinutes = 10;
/** Shorter silence may be delayed ingestion: lines can take a minute or two to arrive. */
const silentMin = 4;
/** Share of minutes with lines above which silence is unusual. */
const usualShare = 0.9;

/** `counts` are lines per minute, `split` the index where after begins. Null if before is short. */
export function lineRate(counts: readonly number[], split: number): LineRate | null {
  const before = counts.slice(0, split);
  if (before.length < beforeMin || split >= counts.length) return null;
  const silent = counts.length - 1 - counts.findLastIndex((count) => count > 0);
  const isSteady = before.filter((count) => count > 0).length >= usualShare * before.length;
  return {
    beforePerMinute: medianOf(before),
    afterPerMinute: medianOf(counts.slice(split).slice(-latestMinutes)),
    silentFrom: isSteady && silent >= silentMin ? counts.length - silent : null,
  };
}
