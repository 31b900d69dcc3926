import type { TimelineEntry } from '../../report/report.ts';

export interface Moment {
  /** Wall time in milliseconds. */
  readonly at: number;
  readonly kind: TimelineEntry['kind'];
  /** Rank of the change that it is. */
  readonly change?: number;
  readonly text: string;
  readonly evidence: string;
}
