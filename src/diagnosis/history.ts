/** How often the alert fired before, according to the service's own store and to Prometheus. */
import { listedHistory } from '../report/new-report.ts';
import type { Classification, History } from '../report/report.ts';
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

/**
 * The episodes that this service stored. How often the alert fired is counted by whichever of store
 * and metric source saw more of it; durations and rhythm are the store's where it has enough
 * episodes, and else the metric source's.
 */
export function historyOf(situation: Situation, current: Classification): History {
  const { caseFile, evidence: { history: { recurrence } }, now } = situation;
  const listed = listedHistory(caseFile, now);
  const seen = firedHistory(situation)?.recurrence ?? recurrence;
  const { last24h, last7d, last30d, isFlapping } = frequencyOf(situation);
  return {
    episodes: listed.episodes.map((episode, index) =>
      index === 0 ? { ...episode, classification: current } : episode),
    last_24h: last24h, last_7d: last7d, last_30d: last30d,
    median_duration_seconds: recurrence.medianSeconds ?? seen.medianSeconds,
    self_resolved_share: recurrence.selfResolvedShare ?? seen.selfResolvedShare,
    flapping: isFlapping,
    rhythm: recurrence.rhythm ?? seen.rhythm,
  };
}
