import { comparedLabels, labelSet, textLengthOf, type LabelSet } from '../alert/labels.ts';
import { FormatError } from '../lib/parse.ts';

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
