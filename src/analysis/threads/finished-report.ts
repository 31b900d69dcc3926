import { conclusionOf } from '../../episodes/conclusion.ts';
import type { Report } from '../../report/report.ts';
import { failedChecksOf } from '../told-alert.ts';
import type { FinishedReport } from './worker-messages.ts';

/** The report as it is stored, with the members that the main thread needs. */
export function finishedReport(report: Report, lookAgainAt: number | null): FinishedReport {
  const { status, provenance } = report;
  return {
    json: JSON.stringify(report), status, conclusion: conclusionOf(report), lookAgainAt,
    failedChecks: failedChecksOf(provenance),
  };
}
