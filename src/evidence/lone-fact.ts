import type { ChangeCandidate } from '../statistics/change-candidate.ts';
import type { LonePart } from '../statistics/lone-parts.ts';

/** A thing that moved alone among those of its kind: one client of ten, one process of twelve. */
export interface LoneFact {
  /** The labels that name it. */
  readonly labels: readonly { readonly label: string; readonly value: string }[];
  /** What of it moved, one for each metric, farthest first; at least one. */
  readonly parts: readonly LonePartFact[];
  /** Where it is a machine, what goes on in that, the most telling first; absent without any. */
  readonly machine?: { readonly changes: readonly MachineChange[]; readonly evidence: string };
  readonly evidence: string;
}

/** Something of a machine that is used up, took one step or fails. */
export interface MachineChange {
  readonly candidate: ChangeCandidate;
  readonly before: number;
  readonly after: number;
  /** The limit that it reached; null where it is none. */
  readonly limit: number | null;
  readonly sinceMs: number;
}

export interface LonePartFact extends Pick<
  LonePart, 'label' | 'value' | 'of' | 'within' | 'before' | 'after' | 'othersBefore' |
  'othersAfter' | 'z' | 'stoodStill'
> {
  /** The series that moved most of it. */
  readonly candidate: ChangeCandidate;
  /** When it left its usual level, wall time in milliseconds. */
  readonly onsetMs: number;
  /** That is seen at the interval of the scrapes, and not on the grid. */
  readonly isExact: boolean;
  /** The rule reads this metric. */
  readonly isOfRule: boolean;
  /** By its name, its component or its job it has to do with what the alert is about. */
  readonly isAkin: boolean;
}
