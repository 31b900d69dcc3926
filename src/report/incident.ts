import { shownName } from './alert-place.ts';
import type { CaseFile } from './case-file.ts';
import { counted } from './plain-text.ts';
import type { ReportListEntry } from './report-list.ts';
import { isKept } from './report-url.ts';
import type { Incident, Statement } from './report.ts';
import { shownText } from './shown-text.ts';

/** One incident as its own page shows it, and as JSON. */
export interface IncidentView {
  readonly schema: 1;
  readonly id: string;
  readonly url: string;
  /** When its first alert began, RFC 3339. */
  readonly opened_at: string;
  /** When its last alert ended; null while one of them fires. */
  readonly ended_at: string | null;
  /** All of them: the likely origin, then what fires, then what ended, each worst first. */
  readonly members: readonly IncidentEntry[];
  /** Fingerprint of the first member where it is set apart from the others; null where not. */
  readonly likely_origin: string | null;
  /** Why it is taken for the origin; empty where none is. */
  readonly origin_reasons: readonly string[];
  readonly scope: {
    /** Most members first. */
    readonly namespaces: readonly ScopePart[];
    /** What the alerts are about, lowest layer first. */
    readonly layers: readonly ScopePart[];
  };
  /** In order of time; bounded, the earliest are kept. */
  readonly timeline: readonly IncidentMoment[];
}

export interface ScopePart {
  readonly name: string;
  readonly alerts: number;
}

export interface IncidentMoment {
  /** RFC 3339. */
  readonly at: string;
  /** When the last of its alerts began or ended; as `at` where there is one. */
  readonly until: string;
  readonly kind: 'began' | 'ended' | 'changed';
  /** Of the alert, or what changed. */
  readonly name: string;
  /** Alerts of that name that began, or ended, less than a minute after each other. */
  readonly alerts: number;
  /** Of the first of them. */
  readonly report_url: string;
}

/** One of its alerts, as lists show it. */
export interface IncidentEntry extends ReportListEntry {
  /** What it is about: `node`, `pod`, `service` and so on. */
  readonly layer: string;
}

/** Address of an incident's page under `base` (no trailing slash). */
export function incidentUrl(base: string, id: string): string {
  return `${base}/incident/${id}`;
}

/** The incident as the report tells of it; null while the alert is alone. */
export function reportedIncident({ incident, reportBase }: CaseFile): Incident | null {
  if (incident === null) return null;
  const { id, fingerprints, likelyOrigin } = incident;
  return {
    id,
    url: incidentUrl(reportBase, id),
    members: fingerprints,
    likely_origin: likelyOrigin && shownName(likelyOrigin.name),
  };
}

/** For an alert that is one of many at once: that it is, and which report has the evidence. */
export function stormFinding({ storm }: CaseFile): Statement[] {
  if (storm === null) return [];
  const part = `Part of a storm of ${counted(storm.size, 'alert')}`;
  const { representative } = storm;
  if (representative === null) {
    return [{ text: `${part}; this report has the evidence for all of them.`, evidence: [] }];
  }
  const { name, reportUrl } = representative;
  const address = isKept(reportUrl) ? `: ${shownText(reportUrl, 2000)}` : '';
  const text = `${part}; the evidence is in the report of ${shownText(name, 120)}${address}`;
  return [{ text, evidence: [] }];
}
