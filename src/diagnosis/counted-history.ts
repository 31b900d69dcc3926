import { listedHistory } from '../report/new-report.ts';
import type { Classification, History } from '../report/report.ts';
import { firedHistory } from './fired-history.ts';
import type { Situation } from './situation.ts';

/**
 * The episodes of this service, and how often the alert began by whoever saw more of it: the store
 * or the metric source, which knows of firing from before this service was there. What is measured
 * of few episodes, such as how long they last, is the store's where it has enough of them.
 */
export function countedHistory(situation: Situation, current: Classification): History {
  const { caseFile, evidence, now } = situation;
  const { recurrence, flapping } = evidence.history;
  const listed = listedHistory(caseFile, now);
  const fired = firedHistory(situation);
  const seen = fired?.recurrence ?? recurrence;
  return {
    episodes: listed.episodes.map((episode, index) => {
      return index === 0 ? { ...episode, classification: current } : episode;
    }),
    last_24h: Math.max(recurrence.last24h, seen.last24h),
    last_7d: Math.max(recurrence.last7d, seen.last7d),
    last_30d: Math.max(recurrence.last30d, seen.last30d),
    median_duration_seconds: recurrence.medianSeconds ?? seen.medianSeconds,
    self_resolved_share: recurrence.selfResolvedShare ?? seen.selfResolvedShare,
    flapping: flapping.isFlapping || fired?.isFlapping === true,
    rhythm: recurrence.rhythm ?? seen.rhythm,
  };
}
