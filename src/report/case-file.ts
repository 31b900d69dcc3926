/**
 * The case file: all that the service itself knows about one episode, and all that an
 * investigation is given. Plain data, so that it can cross to a worker thread and be stored.
 */
import type { Alert } from '../alert/alert.ts';
import type { Group } from '../alert/notification.ts';
import type { Classification, Feedback } from './report.ts';

export interface CaseFile {
  readonly alert: Alert;
  readonly group: Group;
  /** RFC 3339; when the newest notification of the episode was accepted. */
  readonly receivedAt: string;
  readonly episode: {
    readonly number: number;
    readonly startsAt: string;
    readonly endsAt: string | null;
    readonly notifications: number;
  };
  /** Permanent address of this episode's report. */
  readonly reportUrl: string;
  /** `<report_base>`, for links to other reports. */
  readonly reportBase: string;
  /** Earlier episodes of the fingerprint, latest first; bounded. */
  readonly earlier: readonly PastEpisode[];
  /** Other alerts open now that began around the same time; bounded. */
  readonly openAlerts: readonly OpenAlert[];
  /** Other open alerts of the same name, all of them counted. */
  readonly sameNameOpen: number;
  /** Analyses of this episode begun so far, this one included. */
  readonly attempts: number;
  /** The alerts it belongs together with; null while it is alone. */
  readonly incident: IncidentOfCase | null;
  /** Set when the alert is one of many that began together; null otherwise. */
  readonly storm: Storm | null;
  /**
   * The last that people said of this alert's episodes, then of other alerts' of its name, each
   * latest first; bounded.
   */
  readonly feedback: readonly ToldFeedback[];
}

export interface ToldFeedback extends Feedback {
  readonly fingerprint: string;
  /** The episode that it was said of. */
  readonly number: number;
  readonly startsAt: string;
  readonly reportUrl: string;
}

export interface IncidentOfCase {
  readonly id: string;
  /** This alert included, the likeliest origin first; bounded. */
  readonly members: readonly IncidentMember[];
  readonly total: number;
  /** Of all members, in the same order. */
  readonly fingerprints: readonly string[];
  /** Null when nothing sets one of them apart. */
  readonly likelyOrigin: IncidentMember | null;
}

export interface IncidentMember {
  readonly fingerprint: string;
  readonly name: string;
  readonly startsAt: string;
  /** Permanent address of the episode's report. */
  readonly reportUrl: string;
}

/** Many alerts of one incident at once, of which one is looked into for all. */
export interface Storm {
  /** Alerts of the incident. */
  readonly size: number;
  /** Null when this alert is the representative. */
  readonly representative: {
    readonly fingerprint: string;
    readonly name: string;
    readonly reportUrl: string;
  } | null;
}

export interface PastEpisode {
  readonly number: number;
  readonly startsAt: string;
  readonly endsAt: string | null;
  readonly classification: Classification | null;
}

export interface OpenAlert {
  readonly fingerprint: string;
  readonly startsAt: string;
  readonly groupKey: string;
  readonly labels: Alert['labels'];
}
