/** A page's text with relative times such as `5 min ago` replaced, because they change. */
export function withoutPassingTimes(text: string): string {
  return text.replace(/\bjust now\b|(\bin )?\b\d+ (s|min)( \d+ s)?\b( ago\b)?/g, 'a while ago');
}
