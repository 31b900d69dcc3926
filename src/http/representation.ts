export type Representation = 'html' | 'json' | 'markdown';

/** With the ranges that include each, from the most specific to the widest. */
const mediaRanges: readonly (readonly [Representation, readonly string[]])[] = [
  ['html', ['text/html', 'text/*', '*/*']],
  ['json', ['application/json', 'application/*', '*/*']],
  ['markdown', ['text/markdown', 'text/*', '*/*']],
];

interface Range {
  readonly type: string;
  readonly quality: number;
}

/**
 * The representation that an `Accept` header asks for (RFC 9110, section 12.5.1). HTML if it asks
 * for nothing or nothing available: a readable answer is better than a 406. The most specific
 * of equal preferences wins, as libraries send `application/json, *\/*`.
 */
export function preferredRepresentation(accept: string | undefined): Representation {
  const ranges = rangesOf(accept ?? '*/*');
  const [best] = mediaRanges
    .map(([representation, names]) => ({ representation, ...wishFor(names, ranges) }))
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality || b.specificity - a.specificity);
  return best?.representation ?? 'html';
}

/** Whether the client is a browser: programs accept anything, only browsers prefer HTML by name. */
export function isBrowser(accept: string | undefined): boolean {
  const namesHtml = rangesOf(accept ?? '').some(
    ({ type, quality }) => type === 'text/html' && quality > 0,
  );
  return namesHtml && preferredRepresentation(accept) === 'html';
}

/** Whether an `Accept-Encoding` header accepts gzip (RFC 9110, section 12.5.3). */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  return wishFor(['gzip', '*'], rangesOf(acceptEncoding ?? '')).quality > 0;
}

const rangesMax = 32;

function rangesOf(accept: string): Range[] {
  return accept.split(',', rangesMax).map((entry) => {
    const [type = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    const [, sent] = /^q=(\d(?:\.\d{0,3})?)$/.exec(parameters.at(-1) ?? '') ?? [];
    return { type, quality: sent === undefined ? 1 : Math.min(1, Number(sent)) };
  });
}

interface Wish {
  readonly quality: number;
  /** Higher for earlier names. */
  readonly specificity: number;
}

/** The first name that is given decides: `text/html;q=0, *\/*` accepts everything but HTML. */
function wishFor(names: readonly string[], ranges: readonly Range[]): Wish {
  for (const [index, name] of names.entries()) {
    const found = ranges.find(({ type }) => type === name);
    if (found !== undefined) return { quality: found.quality, specificity: -index };
  }
  return { quality: 0, specificity: -names.length };
}
