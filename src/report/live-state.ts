import type { Progress, ReportStatus } from './report.ts';

/** What a page shows and follows. */
export type LiveSubject =
  /** A report; with `episode` null the fingerprint's latest, which may be yet to come. */
  | { readonly kind: 'report'; readonly fingerprint: string; readonly episode: number | null }
  | { readonly kind: 'list' }
  | { readonly kind: 'incident'; readonly id: string };

/** The state of a subject, small enough to be sent to every page that shows it. */
export interface LiveState {
  /**
   * Differs whenever the subject has changed, across restarts too: a page that holds the same
   * revision has missed nothing. Contains no space or control character.
   */
  readonly revision: string;
  /** The episode of a report; null for other subjects, and while there is no episode. */
  readonly episode: number | null;
  readonly status: ReportStatus | null;
  readonly progress: Progress | null;
}

/** The state of a report whose alert has not arrived yet. */
export const absent: LiveState = {
  revision: 'absent', episode: null, status: null, progress: null,
};
