import { isFiring } from '../measurement.ts';
import type { Window } from '../metric-facts.ts';
import type { RuleReading } from '../rule/rule-expression.ts';
import type { OwnRanges } from './ask-own.ts';
import { pointsOf } from './own-samples.ts';

/** Seen beyond its threshold for longer than this, it is not for a `for` that the alert waited. */
const waitMsMax = 2 * 3_600_000;

/**
 * The window with the problem beginning where the alert's own series shows it, for a rule of which
 * nobody tells how long it waits. Unchanged where the series does not show it.
 */
export function windowAsSeen(
  window: Window,
  { own, limit, reading, startsAtMs }: {
    readonly own: OwnRanges; readonly limit: OwnRanges | null;
    readonly reading: RuleReading | null; readonly startsAtMs: number;
  },
): Window {
  if (reading === null || own.window === null || own.window.infinite > 0) return window;
  const { operator, threshold } = reading;
  if (reading.limit !== null && (limit?.window ?? null) === null) return window;
  const limits = new Map(limit === null ? []
    : pointsOf(limit).map(({ atMs, value }) => [atMs, value]));
  // Without its comparison taken off the series is there only while it fires.
  const isOver = (value: number, atMs: number): boolean =>
    operator === null || isFiring(value, operator, threshold ?? limits.get(atMs) ?? Number.NaN);
  const sinceMs = heldSince(own, startsAtMs, isOver);
  if (sinceMs === null || sinceMs < startsAtMs - waitMsMax) return window;
  // All conditions hold no sooner than this one does, and may do so later.
  const onMs = reading.hasMoreConditions ? Math.max(sinceMs, window.onMs) : sinceMs;
  return { ...window, onMs, splitMs: window.splitMs + onMs - window.onMs };
}

/** A rule waits anew after a point without a value. Null where it held from the first point on. */
function heldSince(
  own: OwnRanges,
  startsAtMs: number,
  isOver: (value: number, atMs: number) => boolean,
): number | null {
  const { startMs = 0, stepMs = 0 } = own.window?.answer.grid ?? {};
  const points = pointsOf({ ...own, since: null }).filter(({ atMs }) => atMs <= startsAtMs);
  let sinceMs = startsAtMs;
  for (const { atMs, value } of points.toReversed()) {
    if (sinceMs - atMs > stepMs || !isOver(value, atMs)) return sinceMs;
    sinceMs = atMs;
  }
  return sinceMs === startMs ? null : sinceMs;
}
