import { shownName } from './alert-place.ts';
import type { CaseFile } from './case-file.ts';
import type { Path } from './path.ts';
import { counted } from './plain-text.ts';
import type { Certainty, Report, Statement } from './report.ts';
import type { ReportListEntry } from './report-list.ts';
import { isStored } from './report-url.ts';
import type { ReportedIncident, IncidentOrigin } from './reported-incident.ts';
import { shownText } from './shown-text.ts';

/** One incident as its page shows it and as its JSON. */
export interface IncidentView {
  readonly schema: 1;
  readonly id: string;
  readonly url: string;
  /** Name of the worst alert that fires; once all have ended, of the likely origin or the worst. */
  readonly name: string;
  /** The most telling cause in the reports of alerts that fire, or of all once they have ended. */
  readonly most_likely: (FromReport & { readonly certainty: Certainty }) | null;
  /** What that report says to do first, or else another. */
  readonly do_first: FromReport | null;
  /** When its first alert began, RFC 3339. */
  readonly opened_at: string;
  /** When its last alert ended; null while one of them fires. */
  readonly ended_at: string | null;
  /** Each alert by its newest episode: the likely origin, then firing, then ended, worst first. */
  readonly members: readonly IncidentEntry[];
  /** What fails deepest, where an investigation reached it; null where none did. */
  readonly origin: IncidentOrigin | null;
  /** The longest way to it that a report has; null where none is longer than the alert itself. */
  readonly path?: null | (Path & Omit<FromReport, 'text'>);
  /** Fingerprint of the first member if it is the likely origin; null if none stands out. */
  readonly likely_origin: string | null;
  /** Why it is the likely origin; empty if there is none. */
  readonly origin_reasons: readonly string[];
  readonly scope: {
    /** Most members first. */
    readonly namespaces: readonly ScopePart[];
    /** What the alerts are about, lowest layer first. */
    readonly layers: readonly ScopePart[];
    /** By the name of the alert, most members first. */
    readonly names: readonly ScopePart[];
  };
  /**
   * Firing alerts of other incidents in its cluster that began at the same time in lower layers
   * than any of its own, lowest first; bounded. Only for more than ten alerts, while one fires.
   */
  readonly also_began: readonly IncidentEntry[];
  /** In order of time; bounded, keeping the earliest. */
  readonly timeline: readonly IncidentMoment[];
}

/** What the report of one of the alerts says. */
export interface FromReport {
  readonly text: string;
  /** Name of that alert. */
  readonly name: string;
  readonly report_url: string;
}

export interface ScopePart {
  readonly name: string;
  readonly alerts: number;
}

export interface IncidentMoment {
  /** RFC 3339. */
  readonly at: string;
  /** When the last of its alerts began or ended; equal to `at` if there is only one. */
  readonly until: string;
  readonly kind: 'began' | 'ended' | 'changed';
  /** Name of the alert, or what changed. */
  readonly name: string;
  /** Number of alerts of that name that began, or ended, less than a minute apart. */
  readonly alerts: number;
  /** Report of the first of them. */
  readonly report_url: string;
}

/** A member of an incident, as lists show it. */
export interface IncidentEntry extends ReportListEntry {
  /** What kind of object it is about: `node`, `pod`, `service` and so on. */
  readonly layer: string;
}

/** Address of an incident's page under `base` (no trailing slash). */
export function incidentUrl(base: string, id: string): string {
  return `${base}/incident/${id}`;
}

/** The incident as the report shows it; null while the alert is alone. */
export function reportedIncident(
  { incident, reportBase }: Pick<CaseFile, 'incident' | 'reportBase'>,
): ReportedIncident | null {
  if (incident === null) return null;
  const { id, fingerprints, likelyOrigin, origin } = incident;
  return {
    id,
    url: incidentUrl(reportBase, id),
    members: fingerprints,
    likely_origin: likelyOrigin && shownName(likelyOrigin.name),
    origin: origin && {
      name: origin.name, text: origin.text, is_reached: origin.isReached,
      alert: origin.alert && shownName(origin.alert.name),
      report_url: origin.alert?.reportUrl ?? null,
    },
  };
}

/**
 * Where the alert's incident comes from, as a sentence without its full stop; null where that is
 * unknown, and where the alert's own path says it.
 */
export function incidentOriginText({ incident }: Pick<Report, 'incident'>): string | null {
  const { origin = null } = incident ?? {};
  return origin === null || origin.is_reached ? null
    : `Its incident comes from ${shownText(origin.text, 300)}`;
}

/** For an alert of a storm: how large it is, and which report has the evidence. */
export function stormFinding({ storm }: CaseFile): Statement[] {
  if (storm === null) return [];
  const part = `Part of a storm of ${counted(storm.size, 'alert')}`;
  const { representative } = storm;
  if (representative === null) {
    return [{ text: `${part}; this one is investigated in full.`, evidence: [] }];
  }
  const { name, reportUrl } = representative;
  const address = isStored(reportUrl) ? `: ${shownText(reportUrl, 2000)}` : '';
  const text = `${part}; the evidence is in the report of ${shownText(name, 120)}${address}`;
  return [{ text, evidence: [] }];
}

/** What to do first about an alert of a storm that is not investigated in full; null for others. */
export function stormStep({ storm }: Pick<CaseFile, 'storm'>): string | null {
  const { name, reportUrl } = storm?.representative ?? {};
  if (name === undefined || reportUrl === undefined || !isStored(reportUrl)) return null;
  return `Read the report of ${shownText(name, 120)}, which has the evidence of this storm: ` +
    shownText(reportUrl, 2000);
}
