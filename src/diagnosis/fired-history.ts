import { flappingOf } from '../statistics/flapping.ts';
import type { Interval } from '../statistics/interval.ts';
import { recurrenceOf, type Recurrence } from '../statistics/recurrence.ts';
import type { Situation } from './situation.ts';

export interface FiredHistory {
  readonly intervals: readonly Interval[];
  readonly recurrence: Recurrence;
  readonly isFlapping: boolean;
  readonly evidence: string;
}

/** What the metric source says of earlier firing; null when it was not asked or does not know. */
export function firedHistory({ evidence, now }: Situation): FiredHistory | null {
  const fired = evidence.metrics?.fired ?? null;
  if (fired === null || fired.intervals.length === 0) return null;
  // The last sample of a stretch that still lasts may be two steps old.
  const staleMs = Math.max(2 * (evidence.metrics?.window.stepSeconds ?? 0) * 1000, 120_000);
  const intervals = fired.intervals.map(({ fromMs, toMs }, index, all) => {
    const lasts = index === all.length - 1 && evidence.history.current.end === null &&
      toMs >= now - staleMs;
    return { start: fromMs, end: lasts ? null : toMs };
  });
  return {
    intervals, evidence: fired.evidence, recurrence: recurrenceOf(intervals, now),
    isFlapping: flappingOf(intervals, now).isFlapping,
  };
}
