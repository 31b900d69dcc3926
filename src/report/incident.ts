import type { Severity } from '../alert/severity.ts';
import type { CaseFile } from './case-file.ts';
import { counted } from './plain-text.ts';
import type { Incident, Statement } from './report.ts';
import { shownText } from './shown-text.ts';

/** One incident as its own page shows it. */
export interface IncidentView {
  readonly id: string;
  readonly url: string;
  /** The likeliest origin first; all of them. */
  readonly members: readonly IncidentEntry[];
  /** Fingerprint of the first member where it is set apart from the others; null where not. */
  readonly likely_origin: string | null;
}

export interface IncidentEntry {
  readonly fingerprint: string;
  readonly number: number;
  readonly name: string;
  readonly severity: Severity;
  readonly namespace: string | null;
  /** RFC 3339. */
  readonly starts_at: string;
  /** Null while it fires. */
  readonly ends_at: string | null;
  readonly headline: string | null;
  readonly report_url: string;
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
    likely_origin: likelyOrigin === null ? null : shownText(likelyOrigin.name, 120) || 'Unknown',
  };
}

/** For an alert that is one of many at once: that it is, and which report has the evidence. */
export function stormFinding({ storm }: CaseFile): Statement[] {
  if (storm === null) return [];
  const part = `Part of a storm of ${counted(storm.size, 'alert')}`;
  const { representative } = storm;
  const text = representative === null
    ? `${part}; this report has the evidence for all of them.`
    : `${part}; the evidence is in the report of ${shownText(representative.name, 120)}: ` +
      `${shownText(representative.reportUrl, 2000)}`;
  return [{ text, evidence: [] }];
}
