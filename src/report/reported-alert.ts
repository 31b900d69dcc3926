import type { LabelSet } from '../alert/labels.ts';
import type { LinkKind } from './kinds.ts';

/** The alert as a report has it. */
export interface ReportedAlert {
  readonly name: string;
  /** The label as sent; null when there is none. */
  readonly severity: string | null;
  readonly namespace: string | null;
  readonly labels: LabelSet;
  readonly annotations: LabelSet;
  readonly startsAt: string | null;
  readonly endsAt: string | null;
  readonly generatorURL: string;
  readonly receiver: string;
  readonly group_key: string;
  readonly group: { readonly listed: number; readonly truncated: number };
  /** Only http and https addresses. */
  readonly links: readonly Link[];
}

export interface Link {
  readonly title: string;
  /** Absent from reports of earlier versions. */
  readonly kind?: LinkKind;
  readonly url: string;
}
