import { isFiring } from '../../measurement.ts';
import type { Window } from '../../metric-facts.ts';
import type { RuleReading } from '../../rule/rule-expression.ts';
import type { OwnRanges } from './ask-own.ts';
import { ownPoints } from './own-samples.ts';

/** A series beyond its threshold for longer than this was not held back by the rule's `for`. */
const waitMsMax = 2 * 3_600_000;

/**
 * For a rule whose `for` is unknown: moves the start of the problem to when the alert's own series
 * went beyond its threshold. Unchanged if the series does not show it.
 */
export function windowAsSeen(
  window: Window,
  { own, limit, reading, startsAtMs }: {
    readonly own: OwnRanges; readonly limit: OwnRanges | null;
    readonly reading: RuleReading | null; readonly startsAtMs: number;
  },
): Window {
  if (reading === null || own.window === null || own.window.infinite > 0) return window;
  const { comparison } = reading;
  const hasLimit = comparison !== null && comparison.limit !== null;
  if (hasLimit && (limit?.window ?? null) === null) return window;
  const limits = new Map(limit === null ? []
    : ownPoints(limit).map(({ atMs, value }) => [atMs, value]));
  // With the comparison still in it, the series exists only while it fires.
  const isOver = (value: number, atMs: number): boolean =>
    comparison === null ||
      isFiring(value, comparison.operator, comparison.threshold ?? limits.get(atMs) ?? Number.NaN);
  const sinceMs = heldSince(own, startsAtMs, isOver);
  if (sinceMs === null || sinceMs < startsAtMs - waitMsMax) return window;
  // All conditions together cannot hold before this one does, but may do so later.
  const onMs = comparison?.hasMoreConditions === true ? Math.max(sinceMs, window.onMs) : sinceMs;
  return { ...window, onMs, splitMs: window.splitMs + onMs - window.onMs };
}

/** A missing value restarts a rule's `for`. Null if it held from the first point on. */
function heldSince(
  own: OwnRanges,
  startsAtMs: number,
  isOver: (value: number, atMs: number) => boolean,
): number | null {
  const { startMs = 0, stepMs = 0 } = own.window?.answer.grid ?? {};
  const points = ownPoints({ ...own, since: null }).filter(({ atMs }) => atMs <= startsAtMs);
  let sinceMs = startsAtMs;
  for (const { atMs, value } of points.toReversed()) {
    if (sinceMs - atMs > stepMs || !isOver(value, atMs)) return sinceMs;
    sinceMs = atMs;
  }
  return sinceMs === startMs ? null : sinceMs;
}
