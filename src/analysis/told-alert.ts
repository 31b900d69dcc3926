import { alertInReport } from '../episodes/told-in-report.ts';
import type { CaseFile } from '../report/case-file.ts';
import type { Report } from '../report/report.ts';

/** What an episode was told last, which nobody else keeps once its report is written. */
export interface ToldAlert extends Pick<CaseFile, 'alert' | 'group' | 'receivedAt'> {
  /** The episode's `notifications` at that time. */
  readonly revision: number;
  /** Of the report that was made of it: see {@linkcode failedChecksOf}. */
  readonly failedChecks: number;
}

/** What the episode was told last, read back from its stored report. */
export function toldAlertOf(report: Report): ToldAlert {
  const { timeline, episode, provenance, updated_at: updatedAt } = report;
  return {
    ...alertInReport(report),
    receivedAt: timeline.find(({ kind }) => kind === 'received')?.at ?? updatedAt,
    revision: episode.notifications,
    failedChecks: failedChecksOf(provenance),
  };
}

/** How many of the report's checks a source kept from being made. */
export function failedChecksOf({ checks }: Report['provenance']): number {
  return checks.filter(({ state }) => state === 'failed').length;
}
