import { flappingOf } from '../statistics/flapping.ts';
import type { Interval } from '../statistics/interval.ts';
import { recurrenceOf, type Recurrence } from '../statistics/recurrence.ts';
import type { Situation } from './situation.ts';

/** When the alert fired in the last days, as the metric source recorded it. */
interface FiredHistory {
  readonly intervals: readonly Interval[];
  readonly recurrence: Recurrence;
  readonly isFlapping: boolean;
  readonly evidence: string;
}

/** The metric source's record of firing; null when it was not asked or has none. */
export function firedHistory({ evidence, now }: Situation): FiredHistory | null {
  const fired = evidence.metrics?.fired ?? null;
  if (fired === null || fired.intervals.length === 0) return null;
  // The last sample of a stretch that is still open may be two steps old.
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

/** How often the alert started firing, and whether it is flapping. */
interface Frequency extends Pick<Recurrence, 'last24h' | 'last7d' | 'last30d'> {
  readonly isFlapping: boolean;
}

/** The higher count of store and metric source, which also saw firing before this service ran. */
export function frequencyOf(situation: Situation): Frequency {
  const { recurrence, flapping } = situation.evidence.history;
  const fired = firedHistory(situation);
  const seen = fired?.recurrence ?? recurrence;
  return {
    last24h: Math.max(recurrence.last24h, seen.last24h),
    last7d: Math.max(recurrence.last7d, seen.last7d),
    last30d: Math.max(recurrence.last30d, seen.last30d),
    isFlapping: flapping.isFlapping || fired?.isFlapping === true,
  };
}
