import type { Cited } from './match-number.ts';
import type { SaidQuantity } from './quantity-text.ts';

/** A claim as relations see it. */
export interface Context extends Cited {
  /** 1 where the rule fires on high values, -1 on low ones; null where that is unknown. */
  readonly badWay: 1 | -1 | null;
}

/** A part of a sentence, and what it is compared to. */
export interface Place extends Context {
  /** In lower case. */
  readonly clause: string;
  readonly found: readonly SaidQuantity[];
}

/** Words that say how two things in the evidence relate. */
export interface Relation {
  readonly words: RegExp;
  /** Words in the clause with which the relation is not claimed. */
  readonly unless?: RegExp;
  /** Whether the evidence says otherwise. What it does not say is not false. */
  readonly isFalse: (place: Place, words: RegExpExecArray) => boolean;
}

/** Whether there are values and none is as it is said. */
export function areNone<T>(values: readonly T[], isAsSaid: (value: T) => boolean): boolean {
  return values.length > 0 && !values.some(isAsSaid);
}
