import type { TimelineEntry } from '../../report/report.ts';

/** One entry of the timeline. */
export interface Moment {
  /** Wall time in milliseconds. */
  readonly at: number;
  readonly kind: TimelineEntry['kind'];
  readonly text: string;
  readonly evidence: string;
}
