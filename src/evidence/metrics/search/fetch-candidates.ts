import { compareText } from '../../../lib/compare-text.ts';
import type { RangeSeries } from '../../../sources/prometheus-answers.ts';
import { anyOf, chunkNames, selector, type Matcher } from '../../../sources/promql-text.ts';
import type { RangeWindow } from '../../../sources/time-grid.ts';
import type { Asker, Part } from '../asking.ts';
import { labelKey } from '../matching-labels.ts';
import { deriveSeries, type Derived } from './derive.ts';
import type { NameCount } from './search-scope.ts';

/** Series per query, so that many answers can be read at the same time. */
const chunkSeries = 300;

export interface Fetch {
  readonly matchers: readonly Matcher[];
  readonly names: readonly NameCount[];
}

export interface Fetched {
  readonly series: readonly RangeSeries[];
  readonly isTruncated: boolean;
  readonly warnings: readonly string[];
  /** Queries without an answer. */
  readonly missing: number;
}

/** The selectors to query, each for some 300 series. */
export function fetchSelectors({ matchers, names }: Fetch): string[] {
  const groups: NameCount[][] = [];
  let room = 0;
  for (const each of names) {
    const current = groups.at(-1);
    if (current === undefined || each.count > room) {
      groups.push([each]);
      room = chunkSeries - each.count;
    } else {
      current.push(each);
      room -= each.count;
    }
  }
  return groups.flatMap((group) => chunkNames(group.map(({ name }) => name))).flatMap((chunk) => {
    const byName = { name: '__name__', op: '=~', value: anyOf(chunk) } as const;
    const others = matchers.filter(({ name }) => name !== '__name__');
    return selector(null, [byName, ...others]) ?? [];
  });
}

interface Fetching {
  readonly part: Part;
  readonly window: RangeWindow;
  /** Most queries. */
  readonly budget: number;
}

/** Fetches the raw series of all selectors, without duplicates, sorted by labels. */
export async function fetchSeries(
  asker: Asker,
  { part, selectors, window, budget }: Fetching & { readonly selectors: readonly string[] },
): Promise<Fetched> {
  const asked = selectors.slice(0, Math.max(0, budget));
  const answers = await Promise.all(asked.map((query) => asker.queryRange(part, query, window)));
  const found = new Map<string, RangeSeries>();
  for (const answer of answers) {
    for (const series of answer?.series ?? []) found.set(labelKey(series.labels), series);
  }
  const known = answers.filter((answer) => answer !== null);
  return {
    series: [...found.entries()].sort(([a], [b]) => compareText(a, b)).map(([, series]) => series),
    isTruncated: asked.length < selectors.length ||
      known.some(({ omitted, notes }) => omitted > 0 || notes.isPartial),
    warnings: [...new Set(known.flatMap(({ notes }) => notes.warnings))].sort(),
    missing: selectors.length - known.length,
  };
}

/** Most series that are fetched a second time. */
const againMax = 600;

/** The derived series of the search, by candidate id. */
export type DerivedById = ReadonlyMap<string, Derived>;

/**
 * Fetches the metrics that some candidates were derived from once more, for another time, and
 * derives series from them in the same way: those of the candidates, and others of these metrics.
 * Null if there is nothing to fetch.
 */
export async function fetchAgain(
  asker: Asker,
  ids: readonly string[],
  { derivedOf, matchers, ...asked }: Fetching & {
    readonly derivedOf: DerivedById; readonly matchers: readonly Matcher[];
  },
): Promise<readonly Derived[] | null> {
  const selectors = fetchSelectors({ matchers, names: sourceNames(ids, derivedOf) });
  if (selectors.length === 0) return null;
  const { series } = await fetchSeries(asker, { ...asked, selectors });
  const known = [...derivedOf.values()].flatMap(({ sources }) => sources);
  return deriveSeries(series, asked.window.stepSeconds, known)
    .filter(({ id, what }) => (derivedOf.get(id)?.what ?? what) === what);
}

/** The metric names behind derived series, as long as they do not have too many series. */
export function sourceNames(
  ids: readonly string[],
  derivedOf: ReadonlyMap<string, Pick<Derived, 'sources'>>,
): NameCount[] {
  const counts = new Map<string, number>();
  for (const { sources } of derivedOf.values()) {
    for (const source of sources) counts.set(source, 1 + (counts.get(source) ?? 0));
  }
  const chosen = new Map<string, number>();
  let room = againMax;
  for (const id of ids) {
    const all = derivedOf.get(id)?.sources ?? [];
    const sources = all.filter((name) => !chosen.has(name));
    const count = sources.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
    if (count > room) continue;
    room -= count;
    for (const name of sources) chosen.set(name, counts.get(name) ?? 0);
  }
  return [...chosen].map(([name, count]) => ({ name, count }))
    .sort((a, b) => compareText(a.name, b.name));
}
