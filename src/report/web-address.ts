/** A form to silence an alert of 100 labels fits; what is longer is no address to be opened. */
const lengthMax = 8192;

/**
 * The address in its normal form, all of it ASCII; null unless it is http or https, parses, and is
 * not absurdly long.
 */
export function webAddress(text: string): string | null {
  if (text.length > lengthMax || !/^https?:\/\//iu.test(text)) return null;
  return URL.canParse(text) ? new URL(text).href : null;
}
