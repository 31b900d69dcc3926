import type { Suppression } from '../alert/alert.ts';
import type { Severity } from '../alert/severity.ts';
import type { Certainty, Classification, Feedback, ReportStatus } from './report.ts';
import type { IncidentOrigin } from './reported-incident.ts';

/** One episode as the list of reports shows it, without the report itself. */
export interface ReportListEntry {
  readonly fingerprint: string;
  readonly number: number;
  readonly name: string;
  readonly severity: Severity;
  readonly namespace: string | null;
  /** What the alert is about; empty if unknown. */
  readonly place: string;
  /** RFC 3339. */
  readonly starts_at: string;
  /** Null while it fires. */
  readonly ends_at: string | null;
  /** No end was notified: `ends_at` is when Alertmanager was found not to have it any more. */
  readonly end_unknown: boolean;
  /** Why Alertmanager notifies nobody of it, as it said in the last minutes; null if it does. */
  readonly suppressed: Suppression | null;
  readonly status: ReportStatus;
  readonly classification: Classification | null;
  readonly certainty: Certainty | null;
  readonly headline: string | null;
  /** The headline without name, place and times; empty if nothing is left, or if there is none. */
  readonly gist: string;
  /** The most likely cause, shortened; null if none is known. */
  readonly most_likely: string | null;
  /** What to do first, shortened. */
  readonly do_first: string | null;
  readonly notifications: number;
  /** When the last notification about it was accepted, RFC 3339; null once it has ended. */
  readonly heard_at: string | null;
  /** The latest feedback on its report; null if there is none. */
  readonly said: Feedback['verdict'] | null;
  readonly report_url: string;
  /** When it fired last, this episode included, oldest first; bounded. Absent from some lists. */
  readonly recent?: readonly RecentFiring[];
}

/** RFC 3339; `to` is null while it fires. */
export interface RecentFiring {
  readonly from: string;
  readonly to: string | null;
}

/** An alert with a row of its own in the list. */
export interface AlertRow extends ReportListEntry {
  readonly kind: 'alert';
  /** The incident it is part of, whose other members are not in this row; null if it is alone. */
  readonly incident: { readonly url: string; readonly members: number } | null;
}

/** What the row of an incident tells, like that of its lead; cause and step as on its page. */
type LeadMember =
  | 'name' | 'severity' | 'place' | 'status' | 'classification' | 'certainty' | 'headline' | 'gist'
  | 'most_likely' | 'do_first' | 'said' | 'recent';

/**
 * Several alerts that belong together, folded into one row. It is led by the worst of those in it
 * that fire; once all have ended by the likely origin, or else by the worst.
 */
export interface IncidentRow extends Pick<ReportListEntry, LeadMember> {
  readonly kind: 'incident';
  readonly id: string;
  readonly url: string;
  /** Name of the alert whose report has the cause; null if it is the lead, or without a cause. */
  readonly cause_from: string | null;
  /** What fails deepest, where an investigation reached it; null where none did. */
  readonly origin: IncidentOrigin | null;
  /** Null if none stands out. */
  readonly likely_origin: { readonly name: string; readonly has_ended: boolean } | null;
  /** Bounded. */
  readonly namespaces: readonly string[];
  /** When its first alert began, RFC 3339. */
  readonly starts_at: string;
  /** When its last alert ended; null while any is open. */
  readonly ends_at: string | null;
  /** Number of alerts in it, and of those that are firing. */
  readonly members: number;
  readonly open: number;
  /** Number of alerts that match the filter, which this row stands for. */
  readonly matching: number;
  /** The worst of these; bounded. */
  readonly alerts: readonly ReportListEntry[];
}

export type ReportListRow = AlertRow | IncidentRow;

/**
 * One page of the list at `/`: open alerts, worst first, then ended ones, latest first. Every part
 * of it is bounded, and so is the search behind it.
 */
export interface ReportList {
  readonly schema: 1;
  /** The filter as a query string. */
  readonly query: string;
  /** Sentences on parameters that were not understood. */
  readonly ignored: readonly string[];
  /** Counts of all episodes that are kept, regardless of the filter. */
  readonly total: { readonly open: number; readonly ended: number };
  /** Open alerts that match the filter apart from its state and severity. */
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

/** How far the search for one page went. */
interface Searched {
  readonly open: number;
  readonly ended: number;
  /** Whether the open alerts that opened first were not searched. */
  readonly open_cut: boolean;
  /** When the last ended alert searched had ended; null if the search was complete. */
  readonly ended_back_to: string | null;
}
