/**
 * The text with no address that chats would turn into a link: URLs lose their scheme. Whoever wrote
 * a text from outside could otherwise choose where a message that people trust leads.
 */
export function unlinked(text: string): string {
  // With all slashes: one that is left could make an address of what comes together here.
  const parts = text.split(/:\/{2,}/);
  return parts.map((part, at) => (at === parts.length - 1 ? part : withoutScheme(part))).join('');
}

/** Without a scheme at its end, as in RFC 3986, 3.1. */
function withoutScheme(text: string): string {
  let end = text.length;
  while (end > 0 && /[a-z\d+.-]/i.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
