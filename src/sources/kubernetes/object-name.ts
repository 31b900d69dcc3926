/**
 * Whether a text can be the name of an object (RFC 1123). Other names are never sent: in a URL `..`
 * leads elsewhere, and a comma ends a selector.
 */
export function isObjectName(text: string): boolean {
  return text.length <= 253 && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(text);
}
