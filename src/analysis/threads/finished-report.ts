import { conclusionOf } from '../../episodes/conclusion.ts';
import type { Report } from '../../report/report.ts';
import { failedChecksOf } from '../last-alert.ts';
import type { FinishedReport } from './worker-messages.ts';

/** The report as it is stored, with the members that the main thread needs. */
export function finishedReport(report: Report, recheckAt: number | null): FinishedReport {
  const { status, provenance } = report;
  return {
    json: JSON.stringify(report), status, conclusion: conclusionOf(report), recheckAt,
    failedChecks: failedChecksOf(provenance),
  };
}
