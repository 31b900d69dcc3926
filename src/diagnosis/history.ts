import type { Evidence } from '../evidence/collect-evidence.ts';
import { listedHistory } from '../report/new-report.ts';
import type { Classification, History } from '../report/report.ts';
import type { Judged } from './judged.ts';

/** The episodes that this service stored, and how often the alert fired as far as is known. */
export function historyOf(situation: Judged, current: Classification): History {
  const { caseFile, evidence: { history: { recurrence } }, noise, now } = situation;
  const listed = listedHistory(caseFile, now);
  return {
    episodes: listed.episodes.map((episode, index) =>
      index === 0 ? { ...episode, classification: current } : episode),
    last_24h: recurrence.last24h, last_7d: recurrence.last7d, last_30d: recurrence.last30d,
    median_duration_seconds: recurrence.medianSeconds,
    self_resolved_share: recurrence.selfResolvedShare,
    flapping: noise?.kind === 'flapping',
    rhythm: recurrence.rhythm,
    last_said: listed.last_said ?? null,
  };
}

/** What the history rests on: the store, and what Prometheus recorded of the alert. */
export function historyEvidence({ ids, metrics }: Evidence): string[] {
  const fired = metrics?.fired ?? null;
  return [ids.history, ...(fired === null ? [] : [fired.evidence])];
}
