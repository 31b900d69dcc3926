import { listedHistory } from '../report/new-report.ts';
import type { Classification, History } from '../report/report.ts';
import { firedHistory, frequencyOf } from './fired-history.ts';
import type { Situation } from './situation.ts';

/**
 * The episodes that this service stored. How often the alert fired is counted by whichever of store
 * and metric source saw more of it; durations and rhythm are the store's where it has enough
 * episodes, and else the metric source's.
 */
export function countedHistory(situation: Situation, current: Classification): History {
  const { caseFile, evidence, now } = situation;
  const { recurrence } = evidence.history;
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
