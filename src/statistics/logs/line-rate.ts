import { medianOf } from '../sorted-quantile.ts';

/** How many lines a log has in a minute, before and after a moment. */
export interface LineRate {
  readonly beforePerMinute: number;
  /** Of the latest minutes. */
  readonly afterPerMinute: number;
  /** Where the minutes without a line begin that last to the end; null where they are usual. */
  readonly silentFrom: number | null;
}

/** Fewer minutes say nothing of what is usual. */
const beforeMin = 20;
/** The rate after is that of these: where trouble set in late, the time before it counts not. */
const latestMinutes = 10;
/** Lines may be a minute or two on their way. */
const silentMin = 4;
/** A log that is silent now and then is not told to be so again. */
const usualShare = 0.9;

/** `counts` are lines of each minute, `split` where after begins. Null where before is short. */
export function lineRate(counts: readonly number[], split: number): LineRate | null {
  const before = counts.slice(0, split);
  if (before.length < beforeMin || split >= counts.length) return null;
  const silent = counts.length - 1 - counts.findLastIndex((count) => count > 0);
  const speaks = before.filter((count) => count > 0).length >= usualShare * before.length;
  return {
    beforePerMinute: medianOf(before),
    afterPerMinute: medianOf(counts.slice(split).slice(-latestMinutes)),
    silentFrom: speaks && silent >= silentMin ? counts.length - silent : null,
  };
}
