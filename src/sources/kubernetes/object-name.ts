/**
 * Whether a text may be the name of an object (RFC 1123). What is none is not asked for: in an
 * address `..` leads elsewhere, and commas end a selector.
 */
export function isObjectName(text: string): boolean {
  return text.length <= 253 && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(text);
}
