import type { LabelSet } from '../alert/labels.ts';

/** Values at even steps; null is a missing sample. */
export interface SeriesStretch {
  /** RFC 3339; the moment of the first value. */
  readonly start: string;
  readonly step_seconds: number;
  /** At most 361, with 4 significant digits. */
  readonly values: readonly (number | null)[];
  /** What each value is compared with, if that is a series. */
  readonly limits?: readonly (number | null)[];
}

/**
 * The `data` of an evidence item that holds a series for a chart. `before`, `after` and `z` are set
 * only for a ranked series. The optional members are only the alert's own's; null is nothing.
 */
export interface SeriesData extends SeriesStretch {
  readonly labels: LabelSet;
  readonly unit: string | null;
  /** Index of the first value that counts as after. */
  readonly split: number;
  readonly threshold: number | null;
  readonly before: number | null;
  readonly after: number | null;
  readonly z: number | null;
  /** The rate of a counter. */
  readonly is_rate?: true;
  /** RFC 3339; when it began to move, or for the alert's own series, when the problem began. */
  readonly onset: string | null;
  /** From the end of the window to now or to the end of the alert. */
  readonly later?: SeriesStretch | null;
  /** The same time of the day before, at a coarser step. */
  readonly yesterday?: SeriesStretch | null;
  /** The same time of the week before, coarser still. */
  readonly last_week?: SeriesStretch | null;
}
