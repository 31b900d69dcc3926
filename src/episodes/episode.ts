import type { AlertStatus } from '../alert/alert.ts';
import type { Fingerprint } from '../alert/fingerprint.ts';
import type { LabelSet } from '../alert/labels.ts';
import type { Severity } from '../alert/severity.ts';
import { parseTime } from '../alert/timestamp.ts';
import type { Membership } from '../incidents/member.ts';
import type { Certainty, Classification, Feedback } from '../report/report.ts';
import type { AnalysisState } from './analysis-state.ts';
import type { ReceivedAlert } from './received-alert.ts';

/** One stretch of firing of one fingerprint, as the service keeps it in memory. */
export interface Episode {
  readonly fingerprint: Fingerprint;
  readonly number: number;
  readonly name: string;
  readonly namespace: string | null;
  readonly severity: Severity;
  /** RFC 3339: as sent, or the time of receipt. The earliest that any copy told. */
  readonly startsAt: string;
  /** RFC 3339; null while firing. */
  readonly endsAt: string | null;
  /** Notifications accepted that told something of it: its revision. */
  readonly notifications: number;
  readonly analysis: AnalysisState;
  /** Attempts begun since an analysis last ended; what makes an alert poison. */
  readonly attempts: number;
  /** Attempts begun in all. */
  readonly attemptsTotal: number;
  /** What its last report concluded; null before the first. */
  readonly conclusion: Conclusion | null;
  /** The newest notification on it; kept until an analysis of it has ended. */
  readonly latest: ReceivedAlert | null;
  /** What related alerts find it by, while it fires and `latest` is gone. */
  readonly identity: Identity | null;
  /** Null for what belongs to no incident, ever. Set by the grouping of episodes. */
  incident: Membership | null;
  /** What people said of its reports, oldest first. */
  readonly feedback: readonly Feedback[];
}

/** When it began, in milliseconds since the epoch. */
export function startOf({ startsAt }: Pick<Episode, 'startsAt'>): number {
  return parseTime(startsAt) ?? 0;
}

/** When it ended, in milliseconds since the epoch; `Infinity` while it fires. */
export function endOf({ endsAt }: Pick<Episode, 'endsAt'>): number {
  return endsAt === null ? Infinity : (parseTime(endsAt) ?? 0);
}

/** What every episode begins with, so that there is only one of it. */
export const noFeedback: readonly Feedback[] = Object.freeze([]);

export interface Conclusion {
  readonly classification: Classification;
  readonly certainty: Certainty;
  readonly headline: string;
}

export interface Identity {
  readonly labels: LabelSet;
  readonly groupKey: string;
}

/** The last acceptance of a fingerprint: what the dedup window is restored from. */
export interface Acceptance {
  readonly status: AlertStatus;
  /** Wall time in milliseconds. */
  readonly at: number;
}
