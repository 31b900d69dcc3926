import type { Severity } from '../alert/severity.ts';
import type { Certainty, Classification, Feedback, ReportStatus } from './report.ts';

/** One episode as the list of reports shows it: everything but the report itself. */
export interface ReportListEntry {
  readonly fingerprint: string;
  readonly number: number;
  readonly name: string;
  readonly severity: Severity;
  readonly namespace: string | null;
  /** What the alert is about; empty when nothing in memory says. */
  readonly place: string;
  /** RFC 3339. */
  readonly starts_at: string;
  /** Null while it fires. */
  readonly ends_at: string | null;
  readonly status: ReportStatus;
  readonly classification: Classification | null;
  readonly certainty: Certainty | null;
  readonly headline: string | null;
  readonly notifications: number;
  /** What was last said of its report; null when nobody said anything. */
  readonly said: Feedback['verdict'] | null;
  readonly report_url: string;
}

/** An alert that stands for itself in the list. */
export interface AlertRow extends ReportListEntry {
  readonly kind: 'alert';
  /** The incident it is part of though no other member is in this row; null when alone. */
  readonly incident: { readonly url: string; readonly members: number } | null;
}

/** Several alerts that belong together, folded into one row. */
export interface IncidentRow {
  readonly kind: 'incident';
  readonly id: string;
  readonly url: string;
  /** Of its likeliest origin, or of its worst alert where none is set apart. */
  readonly name: string;
  readonly is_origin: boolean;
  /** What the report on that alert says first; null while it is not written. */
  readonly headline: string | null;
  /** Of the worst alert in this row. */
  readonly severity: Severity;
  /** A few of them. */
  readonly namespaces: readonly string[];
  /** When its first alert began, RFC 3339. */
  readonly starts_at: string;
  /** When its last alert ended; null while one is open. */
  readonly ends_at: string | null;
  /** All its members, and how many of them are firing. */
  readonly members: number;
  readonly open: number;
  /** How many of them the filter lets through: those this row stands for. */
  readonly matching: number;
  /** The worst of those; bounded. */
  readonly alerts: readonly ReportListEntry[];
}

export type ReportListRow = AlertRow | IncidentRow;

/**
 * One page of the list at `/`: what is open, worst first, then what ended, latest first. Every part
 * of it is bounded, and so is what was looked at for it.
 */
export interface ReportList {
  readonly schema: 1;
  /** What was asked for, as the address says it. */
  readonly query: string;
  /** What of the address was not understood. */
  readonly ignored: readonly string[];
  /** Of everything that is kept, whatever the filter. */
  readonly total: { readonly open: number; readonly ended: number };
  /** Open alerts that the filter lets through, were it not for its state and severity. */
  readonly open_by_severity: Readonly<Record<Severity, number>>;
  readonly open: readonly ReportListRow[];
  readonly ended: readonly ReportListRow[];
  /** Whether an earlier page comes before this one. */
  readonly is_continued: boolean;
  /** The cursor of the page after this one; null when there is none. */
  readonly next: string | null;
  readonly searched: Searched;
  /** Namespaces of open alerts, to choose from; bounded. */
  readonly namespaces: readonly string[];
}

/** How much was looked at for one page. */
export interface Searched {
  readonly open: number;
  readonly ended: number;
  /** Whether open alerts were left out, those that opened first. */
  readonly open_cut: boolean;
  /** When the last ended alert looked at ended; null where the search went as far as it had to. */
  readonly ended_back_to: string | null;
}
