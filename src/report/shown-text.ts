/** Control characters, and those that change the direction of the text around them. */
const unshown = /[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c\u2028\u2029]+/gu;

/**
 * A sender's text fit to be part of a sentence: on one line, without characters that reorder their
 * surroundings, at most `lengthMax` UTF-16 units, ending in an ellipsis if it was cut.
 */
export function shownText(value: string, lengthMax: number): string {
  // Four times the length suffices even if much of it is folded; the rest is never read.
  const folded = value
    .slice(0, lengthMax * 4)
    .replace(unshown, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  if (folded.length <= lengthMax) return value.length > lengthMax * 4 ? `${folded}…` : folded;
  return `${folded.slice(0, lengthMax - 1).replace(/\p{Cs}$/u, '')}…`;
}

/** The same without a full stop at its end, for a sentence that continues. */
export function shownClause(value: string, lengthMax: number): string {
  return shownText(value, lengthMax).replace(/[.\s]+$/u, '');
}
