/** The forms a report is served in. */
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
 * The representation an `Accept` field asks for (RFC 9110, section 12.5.1); HTML when it asks for
 * nothing or for nothing we have: something readable serves better than a 406.
 */
export function preferredRepresentation(accept: string | undefined): Representation {
  const ranges = rangesOf(accept ?? '*/*');
  let best: Representation = 'html';
  let bestQuality = 0;
  for (const [representation, mediaType] of mediaTypes) {
    const quality = qualityOf(mediaType, ranges);
    if (quality <= bestQuality) continue;
    best = representation;
    bestQuality = quality;
  }
  return best;
}

/** Whether a browser asks: programs accept anything, only browsers name HTML and prefer it. */
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

/** The most specific range decides: `text/html;q=0, *\/*` accepts everything but HTML. */
function qualityOf(mediaType: string, ranges: readonly Range[]): number {
  const [family] = mediaType.split('/');
  for (const wanted of [mediaType, `${family}/*`, '*/*']) {
    const found = ranges.find(({ type }) => type === wanted);
    if (found !== undefined) return found.quality;
  }
  return 0;
}
