import type { Contributors } from '../statistics/contributions.ts';

/** Which series inside an aggregation account for its value, if that is clear. */
export interface InsideFacts {
  readonly finding: InsideFinding;
  /** False if the aggregation is only the numerator of what is compared. */
  readonly isWhole: boolean;
  /** The unit of its parts; null if the metric's name does not show it. */
  readonly unit: string | null;
  readonly evidence: string;
}

/** The value of a label that tells how events ended, and its part of what came on top, 0 to 1. */
export interface OutcomeFact {
  readonly label: string;
  readonly value: string;
  readonly share: number;
}

export type InsideFinding =
  | (Contributors & {
    readonly direction: 'rise' | 'fall';
    /**
     * `mean` and `share`: before and after hold the mean or the share of each leader, and not its
     * part; `all`: its part of what the value is a share of.
     */
    readonly measured: 'amount' | 'mean' | 'share' | 'all';
    /** How nearly all of what came on top ended; of a share only. */
    readonly outcome?: OutcomeFact | null;
  })
  | { readonly kind: 'only'; readonly label: string; readonly value: string }
  | { readonly kind: 'counted'; readonly label: string; readonly values: readonly string[] }
  | {
    readonly kind: 'extreme'; readonly label: string; readonly value: string;
    readonly of: number; readonly isHighest: boolean;
    readonly measured: number; readonly next: number;
  };
