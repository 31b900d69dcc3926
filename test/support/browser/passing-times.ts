/** A page's text without how long ago things were, which differs from one look to the next. */
export function withoutPassingTimes(text: string): string {
  return text.replace(/\bjust now\b|(\bin )?\b\d+ (s|min)( \d+ s)?\b( ago\b)?/g, 'a while ago');
}
