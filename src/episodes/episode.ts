import type { AlertStatus } from '../alert/alert.ts';
import type { Fingerprint } from '../alert/fingerprint.ts';
import type { Severity } from '../alert/severity.ts';
import { parseTime } from '../alert/timestamp.ts';
import type { Membership } from '../incidents/member.ts';
import type { Feedback } from '../report/report.ts';
import type { Extent } from '../report/store/pack-files.ts';
import type { AnalysisState } from './analysis-state.ts';
import type { Conclusion } from './conclusion.ts';
import type { Identity, ReceivedAlert } from './received-alert.ts';

/** One stretch of firing of one fingerprint, as the service keeps it in memory. */
export interface Episode {
  readonly fingerprint: Fingerprint;
  readonly number: number;
  readonly name: string;
  readonly namespace: string | null;
  readonly severity: Severity;
  /** RFC 3339, as sent, or the time of receipt; the earliest of all copies. */
  readonly startsAt: string;
  /** RFC 3339; null while firing. */
  readonly endsAt: string | null;
  /** No end was notified: `endsAt` is when Alertmanager was found not to have it any more. */
  readonly isEndUnknown: boolean;
  /** How many accepted alerts were about it. Serves as its revision. */
  readonly notifications: number;
  readonly analysis: AnalysisState;
  /** Attempts begun since an analysis last ended; too many and the alert is quarantined. */
  readonly attempts: number;
  /** Attempts begun in total. */
  readonly attemptsTotal: number;
  /** Whether a reader has asked for an analysis: then it gets one of its own also in a storm. */
  readonly isAskedFor: boolean;
  /** Conclusion of its last report; null before the first. */
  readonly conclusion: Conclusion | null;
  /** Where its last report is; null before the first, and for one stored by an earlier version. */
  readonly report: Extent | null;
  /** Where the recording of its last report is; null without one. */
  readonly recording: Extent | null;
  /** The newest alert about it; kept until its analysis has ended. */
  readonly latest: ReceivedAlert | null;
  /** What related alerts are found by; kept while it fires, after `latest` is gone. */
  readonly identity: Identity | null;
  /** Null for an episode that never belongs to an incident. Set only by `Incidents`. */
  incident: Membership | null;
  /** Feedback on its reports, oldest first. */
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

/** Shared by all episodes without feedback. */
export const noFeedback: readonly Feedback[] = Object.freeze([]);

/** The last acceptance of a fingerprint, from which the deduplication window is restored. */
export interface Acceptance {
  readonly status: AlertStatus;
  /** Wall time in milliseconds. */
  readonly at: number;
}
