/**
 * Code fences around what models write. Looked for without a pattern of white space and what
 * follows it: a model that fails goes on with white space until it is cut off.
 */

/**
 * What stands in the fences that are of JSON or of no language, in order. One of another language
 * is skipped whole: its end begins no other.
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

/** The text without the fence that it begins or ends with. */
export function unfenced(text: string): string {
  const begun = text.trim().replace(/^```(?:json)?/, '');
  return (begun.endsWith('```') ? begun.slice(0, -3) : begun).trim();
}
