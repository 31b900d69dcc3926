/**
 * Code fences in a model's text. Found by `indexOf`, not by patterns with runs of white space: a
 * model that fails may write white space until it is cut off.
 */

/**
 * The contents of the fences for JSON or without a language, in order. A fence of another language
 * is skipped as a whole, so that its end is not taken for the start of the next one.
 */
export function fencesIn(text: string): string[] {
  const fences: string[] = [];
  let at = text.indexOf('```');
  while (at !== -1) {
    const lineEnd = text.indexOf('\n', at);
    const to = lineEnd === -1 ? -1 : text.indexOf('```', lineEnd);
    if (to === -1) return fences;
    const language = text.slice(at + 3, Math.min(lineEnd, at + 3 + languageMax)).trim();
    if (/^(?:json)?$/i.test(language)) fences.push(text.slice(lineEnd, to).trim());
    at = text.indexOf('```', to + 3);
  }
  return fences;
}

const languageMax = 40;

/** The text without a fence at its start and at its end. */
export function unfenced(text: string): string {
  const begun = text.trim().replace(/^```(?:json)?/, '');
  return (begun.endsWith('```') ? begun.slice(0, -3) : begun).trim();
}
