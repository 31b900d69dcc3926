import type { Progress, ReportStatus } from './report.ts';

/** What a page shows and wants news of. */
export type LiveSubject =
  /** A report; `episode` null means the fingerprint's latest, which may be still to come. */
  | { readonly kind: 'report'; readonly fingerprint: string; readonly episode: number | null }
  | { readonly kind: 'list' }
  | { readonly kind: 'incident'; readonly id: string };

/** How a subject stands, small enough to be told to every page that shows it. */
export interface LiveState {
  /**
   * Another text whenever the subject has changed, also over a restart: a page that holds the same
   * one has missed nothing. No space or control character is in it.
   */
  readonly revision: string;
  /** Of a report: which episode it is about; null for other subjects and for what is to come. */
  readonly episode: number | null;
  readonly status: ReportStatus | null;
  readonly progress: Progress | null;
}

/** The state of a report whose alert has not come yet. */
export const absent: LiveState = {
  revision: 'absent', episode: null, status: null, progress: null,
};
