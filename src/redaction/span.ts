/** A stretch of a text, in UTF-16 units: `from` is its first, `to` the one behind its last. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * One kind of secret: where it stands in a text, in order and apart from each other. Every finder
 * looks at each character a bounded number of times, whatever the text is.
 */
export interface RedactionRule {
  readonly name: string;
  readonly find: (text: string) => Iterable<Span>;
}

/** Where the run of characters of a class that begins at `from` ends; `lengthMax` long at most. */
export function runEnd(text: string, from: number, run: Run): number {
  const end = Math.min(text.length, from + run.lengthMax);
  let at = from;
  while (at < end && run.has(text.charCodeAt(at))) at += 1;
  return at;
}

export interface Run {
  readonly has: (code: number) => boolean;
  readonly lengthMax: number;
}

/**
 * A class of ASCII characters as the inside of `[…]`, compiled into a table. `other` says whether
 * characters beyond ASCII belong to it.
 */
export function charClass(inside: string, other = false): (code: number) => boolean {
  const pattern = new RegExp(`^[${inside}]$`);
  const table = Array.from({ length: 128 }, (_, code) => pattern.test(String.fromCharCode(code)));
  return (code) => table[code] ?? other;
}

/** What `spanAt` finds behind each match of the pattern that is not within what it found before. */
export function* spansBehind(
  text: string,
  pattern: RegExp,
  spanAt: (text: string, at: number) => Span | null,
): Iterable<Span> {
  let done = 0;
  for (const match of matchesIn(text, pattern)) {
    const span = match.index < done ? null : spanAt(text, match.index + match[0].length);
    if (span === null) continue;
    done = span.to;
    yield span;
  }
}

/** The matches of a pattern for all; one that has none costs a search alone. */
export function matchesIn(text: string, pattern: RegExp): Iterable<RegExpExecArray> {
  return text.search(pattern) === -1 ? [] : text.matchAll(pattern);
}
