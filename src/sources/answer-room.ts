import { comparedLabels, labelSet, textLengthOf, type LabelSet } from '../alert/labels.ts';
import { FormatError } from '../lib/parse.ts';

/**
 * Most that is kept of one answer, in UTF-16 units: dozens of answers are held at a time, and what
 * is made of a series holds its labels several times over. 1000 series seldom need as much.
 */
const weightMax = 1024 * 1024;
/** What a text weighs beside its letters: of short labels the objects take more than those. */
const textWeight = 16;
/** What refused labels weigh: throwing and catching millions of errors takes many seconds. */
const refusedWeight = 1024;

/** What the texts of one answer may still take. */
export class AnswerRoom {
  #left = weightMax;

  /** Something did not fit: the rest of the answer need not be read. */
  get isUsedUp(): boolean {
    return this.#left < 0;
  }

  /** Whether the texts fit. */
  take(texts: readonly string[]): boolean {
    return this.#fits(texts.reduce((sum, text) => sum + text.length + textWeight, 0));
  }

  /**
   * The labels by which they are compared. Null for those that do not fit, and for those beyond
   * what an alert may have: one such series must not spoil the others. Of very long ones the
   * shortest, as an answer may hold nothing else.
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
