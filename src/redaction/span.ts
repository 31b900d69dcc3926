/** A range of a text in UTF-16 units, `to` exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * One kind of secret. `find` returns where it occurs in a text, in order and without overlaps. It
 * looks at each character only a bounded number of times, whatever the text is.
 */
export interface RedactionRule {
  readonly name: string;
  readonly find: (text: string) => Iterable<Span>;
}

/** The end of the run of matching characters that begins at `from`. */
export function runEnd(text: string, from: number, run: Run): number {
  const end = Math.min(text.length, from + (run.lengthMax ?? Infinity));
  let at = from;
  while (at < end && run.has(text.charCodeAt(at))) at += 1;
  return at;
}

interface Run {
  readonly has: (code: number) => boolean;
  readonly lengthMax?: number;
}

/**
 * Compiles a character class, given as the inside of `[…]`, into a table for ASCII. `other` says
 * whether all other characters belong to it.
 */
export function charClass(inside: string, other = false): (code: number) => boolean {
  const pattern = new RegExp(`^[${inside}]$`);
  const table = Array.from({ length: 128 }, (_, code) => pattern.test(String.fromCharCode(code)));
  return (code) => table[code] ?? other;
}

/** The secret that belongs to a match which ends at `at`; null if there is none. */
type SpanAt = (text: string, at: number, match: RegExpExecArray) => Span | null;

/** A rule that looks at what follows each match of a pattern. */
export function ruleBehind(name: string, pattern: RegExp, spanAt: SpanAt): RedactionRule {
  return { name, find: (text) => spansBehind(text, pattern, spanAt) };
}

/** The spans of all matches, except of those inside an earlier span. */
export function* spansBehind(text: string, pattern: RegExp, spanAt: SpanAt): Iterable<Span> {
  let done = 0;
  for (const match of matchesIn(text, pattern)) {
    const span = match.index < done ? null : spanAt(text, match.index + match[0].length, match);
    if (span === null) continue;
    done = span.to;
    yield span;
  }
}

/** All matches of a global pattern; without any, it costs only one search. */
export function matchesIn(text: string, pattern: RegExp): Iterable<RegExpExecArray> {
  return text.search(pattern) === -1 ? [] : text.matchAll(pattern);
}
