/**
 * Code fences around what models write. Looked for without a pattern of white space and what
 * follows it: a model that fails goes on with white space until it is cut off.
 */

/** What stands in the first fence; null where there is none, or where it never ends. */
export function fencedIn(text: string): string | null {
  const begin = /```(?:json)?[^\S\n]*\n/iu.exec(text);
  if (begin === null) return null;
  const from = begin.index + begin[0].length;
  const to = text.indexOf('```', from);
  return to === -1 ? null : text.slice(from, to).trim();
}

/** The text without the fence that it begins or ends with. */
export function unfenced(text: string): string {
  const begun = text.trim().replace(/^```(?:json)?/, '');
  return (begun.endsWith('```') ? begun.slice(0, -3) : begun).trim();
}
