/** Control characters, and those that turn the direction of the text around them. */
const unshown = /[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c\u2028\u2029]+/gu;

/**
 * A sender's text as part of a sentence: on one line, nothing in it that reorders its
 * surroundings, at most `lengthMax` UTF-16 units with an ellipsis where it was cut.
 */
export function shownText(value: string, lengthMax: number): string {
  // Four times the length is enough to fill it, whatever is folded; the rest is never looked at.
  const folded = value
    .slice(0, lengthMax * 4)
    .replace(unshown, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  if (folded.length <= lengthMax) return value.length > lengthMax * 4 ? `${folded}…` : folded;
  return `${folded.slice(0, lengthMax - 1).replace(/\p{Cs}$/u, '')}…`;
}

/** Such a text without the full stop at its end, for a sentence that goes on. */
export function shownClause(value: string, lengthMax: number): string {
  return shownText(value, lengthMax).replace(/[.\s]+$/u, '');
}
