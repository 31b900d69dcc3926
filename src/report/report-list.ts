import type { Severity } from '../alert/severity.ts';
import type { Certainty, Classification, Feedback, ReportStatus } from './report.ts';

/** One episode as the list of reports shows it: everything but the report itself. */
export interface ReportListEntry {
  readonly fingerprint: string;
  readonly number: number;
  readonly name: string;
  readonly severity: Severity;
  readonly namespace: string | null;
  /** RFC 3339. */
  readonly startsAt: string;
  readonly endsAt: string | null;
  readonly status: ReportStatus;
  readonly classification: Classification | null;
  readonly certainty: Certainty | null;
  readonly headline: string | null;
  readonly notifications: number;
  /** What was last said of its report; null when nobody said anything. */
  readonly said: Feedback['verdict'] | null;
}

/** The page at `/`: what is open, worst first, then what ended, latest first. Both are bounded. */
export interface ReportList {
  readonly open: readonly ReportListEntry[];
  readonly openTotal: number;
  readonly closed: readonly ReportListEntry[];
  readonly closedTotal: number;
}
