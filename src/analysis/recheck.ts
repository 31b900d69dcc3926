/**
 * An alert that fires is looked at again this long after its start, and then each time that it has
 * fired twice as long: what its report says is never older than half of the time that it fired.
 */
const recheckAfterMs = 5 * 60_000;
/** Before that, as long as nothing explains a problem that has just begun. */
const earlyRechecksMs = [30_000, 60_000, 120_000] as const;
/** A look sooner than this shows nothing more. */
const aheadMsMin = 10_000;
/** After this the next notification about it is early enough. */
const rechecksMs = 24 * 60 * 60_000;
/** A start farther ahead comes from a clock that cannot be believed. */
const aheadMsMax = 10 * 60_000;
/** A source that is slow or down when an alert begins may have recovered by then. */
const askAgainAfterMs = 2 * 60_000;
/** Name of the check that says when a report will be made again. */
export const recheckNotice = 'second look';

/** After the end of an alert, it takes some points to see what has recovered. */
const recheckAfterEndMs = 5 * 60_000;

/** Times are wall time in ms, as everywhere here. */
export interface FiringSpan {
  readonly startMs: number;
  /** Null while it fires. */
  readonly endMs: number | null;
}

interface Made {
  readonly madeAt: number;
  /** Whether a source failed to answer something that it may answer later. */
  readonly isUnanswered: boolean;
  /** The problem has just begun, and nothing explains it yet. */
  readonly isEarly: boolean;
}

/** The time after which no report of the episode asks for another recheck. */
export function lastRecheckAt({ startMs, endMs }: FiringSpan): number {
  return endMs === null ? startMs + rechecksMs : endMs + recheckAfterEndMs;
}

/** The time of the next look after a report; null if there is none. */
export function nextRecheckAt(span: FiringSpan, made: Made): number | null {
  const { madeAt, isUnanswered, isEarly } = made;
  const { startMs, endMs } = span;
  if (Math.max(startMs, endMs ?? startMs) > madeAt + aheadMsMax) return null;
  const last = lastRecheckAt(span);
  if (endMs !== null) return last > madeAt ? last : null;
  const early = earlyRechecksMs.find((after) => startMs + after >= madeAt + aheadMsMin);
  if (isEarly && early !== undefined) return startMs + early;
  if (isUnanswered && startMs + askAgainAfterMs > madeAt) return startMs + askAgainAfterMs;
  let at = startMs + recheckAfterMs;
  while (at <= madeAt) at += at - startMs;
  return at <= last ? at : null;
}
