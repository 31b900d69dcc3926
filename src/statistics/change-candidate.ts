import type { LabelSet } from '../alert/labels.ts';
import type { MetricKind } from './names/metric-kind.ts';
import type { Side, Signal } from './names/metric-rule.ts';

/** The component of series without a component label. */
export const noComponent = '';

/** A series on the common grid: rates if it is a counter, NaN where values are missing. */
export interface ChangeCandidate {
  readonly id: string;
  /** The component it belongs to: the value of the label that distinguishes components. */
  readonly component: string;
  /** The label that names it; null if none does. */
  readonly named: { readonly label: string; readonly value: string } | null;
  readonly metric: string;
  readonly values: Float64Array;
  /** Unit of the values, a word that `formatQuantity` knows; null if unknown. */
  readonly unit: string | null;
  readonly signal: Signal;
  readonly side: Side;
  readonly kind: MetricKind;
  /** How it was derived from raw series; absent for a raw series. */
  readonly made?: 'rate' | 'mean' | 'quantile';
  /** Labels other than the metric's name; those of replicas do not keep series apart. */
  readonly labels: LabelSet;
  /** Labels that separate it from the others of its metric and component, if there are others. */
  readonly apart?: readonly string[];
  /** Factor for its score, 1 by default; one half for the mean or a quantile of a few. */
  readonly weight?: number;
  /** First and last index of its NaN samples; null if it has none. */
  readonly valueless: { readonly first: number; readonly last: number } | null;
}
