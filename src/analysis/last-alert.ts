import type { Alert } from '../alert/alert.ts';
import { alertInReport } from '../episodes/alert-from-report.ts';
import type { CaseFile } from '../report/case-file.ts';
import type { Report } from '../report/report.ts';

/** The last alert about an episode, which is in no other place once its report is written. */
export interface LastAlert extends Pick<CaseFile, 'alert' | 'group' | 'receivedAt'> {
  /** The episode's `notifications` at that time. */
  readonly revision: number;
  /** Failed checks of the report that was made from it: see {@linkcode failedChecksOf}. */
  readonly failedChecks: number;
}

/** The last alert about the episode, restored from its stored report. */
export function lastAlertOf(report: Report): LastAlert {
  const { timeline, episode, provenance, updated_at: updatedAt } = report;
  return {
    ...alertInReport(report),
    receivedAt: timeline.find(({ kind }) => kind === 'received')?.at ?? updatedAt,
    revision: episode.notifications,
    failedChecks: failedChecksOf(provenance),
  };
}

/**
 * The alert with what the report of its episode says it fired with, where the copy that ends it
 * lacks that: Grafana sends no values with it, and Alertmanager may send the link of another rule
 * of the same name.
 */
export function asItFired(ended: Alert, report: Report): Alert {
  const { alert: { values, generatorURL, annotations } } = alertInReport(report);
  const isSilent = Object.keys(ended.values).length === 0;
  const isBare = Object.keys(ended.annotations).length === 0;
  return {
    ...ended, ...isSilent && { values }, ...isBare && { annotations },
    generatorURL: generatorURL || ended.generatorURL,
  };
}

/** How many of the report's checks failed because of a source. */
export function failedChecksOf({ checks }: Report['provenance']): number {
  return checks.filter(({ state }) => state === 'failed').length;
}
