/** The formats a report is served in. */
export type Representation = 'html' | 'json' | 'markdown';

const mediaTypes: readonly (readonly [Representation, string])[] = [
  ['html', 'text/html'],
  ['json', 'application/json'],
  ['markdown', 'text/markdown'],
];

interface Range {
  readonly type: string;
  readonly quality: number;
}

/**
 * The representation that an `Accept` header asks for (RFC 9110, section 12.5.1). HTML if it asks
 * for nothing or nothing available: a readable answer is better than a 406. Of equal preferences
 * the most specific wins, as libraries send `application/json, *\/*`.
 */
export function preferredRepresentation(accept: string | undefined): Representation {
  const ranges = rangesOf(accept ?? '*/*');
  const [best] = mediaTypes
    .map(([representation, mediaType]) => ({ representation, ...wishFor(mediaType, ranges) }))
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
  /** 2 for the exact type, 1 for `type/*`, 0 for a wildcard. */
  readonly specificity: number;
}

/** The most specific range decides: `text/html;q=0, *\/*` accepts everything but HTML. */
function wishFor(mediaType: string, ranges: readonly Range[]): Wish {
  const [family] = mediaType.split('/');
  for (const [index, wanted] of [mediaType, `${family}/*`, '*/*'].entries()) {
    const found = ranges.find(({ type }) => type === wanted);
    if (found !== undefined) return { quality: found.quality, specificity: 2 - index };
  }
  return { quality: 0, specificity: 0 };
}
