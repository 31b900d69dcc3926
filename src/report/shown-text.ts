import { shorten } from './plain-text.ts';

/** Control characters, and those that change the direction of the text around them. */
const unshown = /[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c\u2028\u2029]/gu;

/**
 * A sender's text fit to be part of a sentence: on one line, without characters that reorder their
 * surroundings, at most `lengthMax` UTF-16 units, ending in an ellipsis if it was cut.
 */
export function shownText(value: string, lengthMax: number): string {
  // One character more than is ever read, which tells that the text goes on.
  return shorten(value.slice(0, lengthMax * 4 + 1).replace(unshown, ' '), lengthMax);
}

/** The same without a full stop at its end, for a sentence that continues. */
export function shownClause(value: string, lengthMax: number): string {
  return shownText(value, lengthMax).replace(/[.\s]+$/u, '');
}
