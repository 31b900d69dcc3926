/**
 * The case file: everything the service knows about one episode, which is what an investigation
 * starts from. Plain data, so that it can be sent to a worker thread and stored.
 */
import type { Alert } from '../alert/alert.ts';
import type { Group } from '../alert/notification.ts';
import type { CauseFacts } from './kinds.ts';
import type { Certainty, Classification, Feedback } from './report.ts';

export interface CaseFile {
  readonly alert: Alert;
  readonly group: Group;
  /** RFC 3339; when the newest notification of the episode was accepted. */
  readonly receivedAt: string;
  readonly episode: {
    readonly number: number;
    readonly startsAt: string;
    readonly endsAt: string | null;
    /** No end was notified: `endsAt` is when Alertmanager was found not to have it any more. */
    readonly isEndUnknown: boolean;
    readonly notifications: number;
  };
  /** Permanent address of this episode's report. */
  readonly reportUrl: string;
  /** `<report_base>`, for links to other reports. */
  readonly reportBase: string;
  /** Earlier episodes of the fingerprint, latest first; bounded. */
  readonly earlier: readonly PastEpisode[];
  /** The episodes before these; null when all are listed. */
  readonly unlisted: UnlistedEpisodes | null;
  /** Other open alerts that began around the same time; bounded. */
  readonly openAlerts: readonly OpenAlert[];
  /** Number of all other open alerts of the same name. */
  readonly sameNameOpen: number;
  /** Analyses of this episode started so far, this one included. */
  readonly attempts: number;
  /** The incident it belongs to; null while it is alone. */
  readonly incident: IncidentOfCase | null;
  /** Set when the alert is one of many that began together; null otherwise. */
  readonly storm: Storm | null;
  /**
   * The latest feedback on this alert's episodes, then on other alerts of its name about the same
   * thing, each latest first; bounded.
   */
  readonly feedback: readonly KnownFeedback[];
  /** For an alert that has ended: what explained it while it fired; null if nothing did. */
  readonly foundBefore: FoundBefore | null;
}

/** An explanation that was confirmed or likely, whose proof may be gone by now. */
export interface FoundBefore extends CauseFacts {
  /** When that was, RFC 3339. */
  readonly at: string;
  readonly cause: string;
  readonly mechanism: string | null;
  readonly certainty: Certainty;
  /** What supported it, each a sentence. */
  readonly statements: readonly string[];
}

export interface KnownFeedback extends Feedback {
  readonly fingerprint: string;
  /** The episode it was given on. */
  readonly number: number;
  readonly startsAt: string;
  readonly reportUrl: string;
}

export interface IncidentOfCase {
  readonly id: string;
  /** Each alert by its newest episode, the likeliest origin first, this one included; bounded. */
  readonly members: readonly IncidentMember[];
  /** Fingerprints of all of them, in the same order. */
  readonly fingerprints: readonly string[];
  /** Null if no member stands out. */
  readonly likelyOrigin: IncidentMember | null;
  /** What fails deepest, where the investigation of any member reached it; null where none did. */
  readonly origin: OriginOfCase | null;
}

export interface OriginOfCase {
  readonly name: string;
  /** With its name, what fails there. */
  readonly text: string;
  /** Whether the alert's own investigation reached it. */
  readonly isReached: boolean;
  /** The member that is about it; null without one. */
  readonly alert: IncidentMember | null;
}

export interface IncidentMember {
  readonly fingerprint: string;
  readonly name: string;
  readonly startsAt: string;
  /** Permanent address of the episode's report. */
  readonly reportUrl: string;
}

/** Many alerts of one incident at once, of which only a few are investigated in full. */
export interface Storm {
  /** Number of alerts in the incident. */
  readonly size: number;
  /** Null when this alert is investigated in full itself. */
  readonly representative: { readonly name: string; readonly reportUrl: string } | null;
}

export interface PastEpisode {
  readonly number: number;
  readonly startsAt: string;
  readonly endsAt: string | null;
  readonly classification: Classification | null;
}

/** How many episodes there are, and how many began within 24 hours, 7 days and 30 days. */
export interface UnlistedEpisodes {
  readonly count: number;
  readonly last24h: number;
  readonly last7d: number;
  readonly last30d: number;
}

export interface OpenAlert {
  readonly fingerprint: string;
  readonly startsAt: string;
  /** When its last notification came, RFC 3339; null or absent if unknown. */
  readonly receivedAt?: string | null;
  readonly labels: Alert['labels'];
}
