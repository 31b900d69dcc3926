/** A question that a person asks about a report: its limits, and the outcome of asking it. */
import { FormatError, objectOf, text, type Parser } from '../lib/parse.ts';

/** In UTF-16 units. */
export const questionLengthMax = 500;
/** Questions about one episode, unanswered ones included. */
export const questionsMax = 10;

const questionText: Parser<string> = (value, path) => {
  const question = text(value, path).replace(/\s+/gu, ' ').trim();
  if (question === '' || question.length > questionLengthMax) {
    throw new FormatError(path, `a text of 1 to ${questionLengthMax} characters`, value);
  }
  return question;
};

export const newQuestion: Parser<{ readonly question: string }> =
  objectOf<{ readonly question: string }>({ question: questionText });

export type AskResult =
  | { readonly kind: 'queued' }
  | { readonly kind: 'not_found' }
  /** There is no finished report to ask about. */
  | { readonly kind: 'not_ready' }
  | { readonly kind: 'no_model' }
  /** The limit of questions on this report is reached. */
  | { readonly kind: 'full' }
  /** Too many questions wait. */
  | { readonly kind: 'busy' };
