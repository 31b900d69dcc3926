import { matchesIn, type RedactionRule, type Span } from './span.ts';

const keyMax = 16_384;

/** A line of a key, or of what stands above it, such as `Proc-Type: 4,ENCRYPTED`. */
const keyLine = new RegExp(
  '[ \\t]{0,8}(?:[A-Za-z\\d+/=]{1,76}|[A-Z][A-Za-z-]{3,20}: [^\\\\\\r\\n]{1,100})?' +
    '(?:(?:\\\\r)?(?:\\\\n|\\r?\\n)|(?=["\']|$))', 'y',
);

/** PEM and PGP private keys; one without an END line as far as its lines go. */
function* privateKeys(text: string): Iterable<Span> {
  const head = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
  for (let match = head.exec(text); match !== null; match = head.exec(text)) {
    const from = match.index;
    const body = text.slice(head.lastIndex, head.lastIndex + keyMax);
    const tail = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/.exec(body);
    const to = head.lastIndex + (tail === null ? linesOf(body) : tail.index + tail[0].length);
    yield { from, to };
    head.lastIndex = to;
  }
}

function linesOf(body: string): number {
  keyLine.lastIndex = 0;
  let end = 0;
  while (end < body.length && keyLine.test(body) && keyLine.lastIndex > end) {
    end = keyLine.lastIndex;
  }
  return body.slice(0, end).trimEnd().length;
}

/** What is left of a key whose beginning is elsewhere; its last line is shorter than the others. */
function* keyEnds(text: string): Iterable<Span> {
  let done = 0;
  for (const { index: to } of matchesIn(text, /-----END [A-Z0-9 ]{0,40}PRIVATE KEY/g)) {
    let from = to;
    while (to - from < keyMax) {
      const before = text.slice(Math.max(done, from - 100), from);
      const [line = ''] = /[A-Za-z\d+/=]{1,76}(?:\\r)?(?:\\n|\r?\n)[ \t]{0,8}$/.exec(before) ?? [];
      if (line === '') break;
      from -= line.length;
    }
    done = to;
    if (from < to) yield { from, to: from + text.slice(from, to).trimEnd().length };
  }
}

/** Lines of a key whose first line is elsewhere, as in a log: their length is fixed. */
function* keyLines(text: string): Iterable<Span> {
  const line = /^[ \t]{0,8}(?=[A-Za-z\d+/]{64})/gm;
  for (const { index, 0: indent } of matchesIn(text, line)) {
    const from = index + indent.length;
    const [body = ''] = /^[A-Za-z\d+/]{64}(?:[A-Za-z\d+/]{6}|[A-Za-z\d+/]{12})?(?=\r?$)/m
      .exec(text.slice(from, from + 80)) ?? [];
    // Not digests in hexadecimal.
    if (/[a-z]/.test(body) && /[A-Z]/.test(body)) yield { from, to: from + body.length };
  }
}

export const privateKeyRules: readonly RedactionRule[] = [
  { name: 'pem', find: privateKeys },
  { name: 'pem', find: keyEnds },
  { name: 'pem', find: keyLines },
];
