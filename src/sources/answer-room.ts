import { comparedLabels, labelSet, textLengthOf, type LabelSet } from '../alert/labels.ts';
import { FormatError } from '../lib/parse.ts';
import type { JsonReader } from './json-reader.ts';

/**
 * Most text kept of one answer, in UTF-16 units. Dozens of answers are held at a time, and what is
 * derived from a series repeats its labels. 1000 series seldom need as much.
 */
const weightMax = 1024 * 1024;
/** Overhead of one text: short labels take more memory as objects than as characters. */
const textWeight = 16;
/** Charged for refused labels, since throwing and catching millions of errors takes seconds. */
const refusedWeight = 1024;

/** How much text of one answer may still be kept. */
export class AnswerRoom {
  #left = weightMax;

  /** Whether something did not fit, so that the rest of the answer need not be read. */
  get isUsedUp(): boolean {
    return this.#left < 0;
  }

  /** Takes room for the texts; false if they do not fit. */
  take(texts: readonly string[]): boolean {
    return this.#fits(texts.reduce((sum, text) => sum + text.length + textWeight, 0));
  }

  /**
   * Takes room for the labels and returns them, without the longest ones if they are very long.
   * Null if they do not fit or exceed the bounds of an alert's labels: one such series must not
   * cost the others.
   */
  labels(read: () => unknown): LabelSet | null {
    try {
      const labels = comparedLabels(labelSet(read(), 'labels'));
      const weight = textLengthOf(labels) + Object.keys(labels).length * textWeight;
      return this.#fits(weight) ? labels : null;
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.#left -= refusedWeight;
      return null;
    }
  }

  #fits(weight: number): boolean {
    this.#left -= weight;
    return this.#left >= 0;
  }
}

export interface Bounded<T> {
  readonly items: readonly T[];
  /** Items beyond the bounds. */
  readonly omitted: number;
}

/** For {@linkcode readBounded}: an element that is left out without being counted. */
export const unwanted: unique symbol = Symbol('unwanted');

/**
 * Reads the elements of the next list as long as there is room. `read` returns null for one that
 * does not fit.
 */
export function readBounded<T>(
  reader: JsonReader,
  { max, room, orNull = false }: {
    readonly max: number; readonly room: AnswerRoom;
    /** Takes null for an empty list. */
    readonly orNull?: boolean;
  },
  read: () => T | typeof unwanted | null,
): Bounded<T> {
  const items: T[] = [];
  let omitted = 0;
  const visit = (): void => {
    const item = items.length < max && !room.isUsedUp ? read() : null;
    if (item === null) omitted += 1;
    else if (item !== unwanted) items.push(item);
  };
  if (orNull) reader.arrayOrNull(visit);
  else reader.array(visit);
  return { items, omitted };
}
