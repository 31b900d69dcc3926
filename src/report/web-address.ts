/** Enough for the link that silences an alert of 100 labels. */
const lengthMax = 8192;

/** The address in its normal form, all ASCII; null unless it is a valid http or https address. */
export function webAddress(text: string): string | null {
  if (text.length > lengthMax || !/^https?:\/\//iu.test(text)) return null;
  return URL.canParse(text) ? new URL(text).href : null;
}
