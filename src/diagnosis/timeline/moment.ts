import type { TimelineEntry } from '../../report/report.ts';

export interface Moment {
  /** Wall time in milliseconds. */
  readonly at: number;
  readonly kind: TimelineEntry['kind'];
  readonly text: string;
  readonly evidence: string;
}
