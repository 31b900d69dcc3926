import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { selector, type Matcher } from '../../../sources/promql-text.ts';
import type { Alternatives } from '../alike.ts';
import type { Asker } from '../asking.ts';
import { exactMatchers } from '../matching-labels.ts';

/** A part of the server's series, and how many of them may be fetched. */
export interface Scope {
  readonly matchers: readonly Matcher[];
  readonly seriesMax: number;
}

export interface SearchScopes {
  /** From narrow to wide; a wider scope excludes the series of the narrower one. */
  readonly scopes: readonly Scope[];
  /** "namespace shop", "job api", "the whole server". */
  readonly text: string;
  /** Matchers for all series of all scopes. */
  readonly widest: readonly Matcher[];
}

/** A metric name in a scope, with its number of series. */
export interface NameCount {
  readonly name: string;
  readonly count: number;
}

export const candidatesMax = 1000;
const narrowMax = 400;
/** Series of the other instances of the alert's job. */
const besideMax = 250;
const headSeriesMax = 20_000;
/** Every server knows the size of what it scrapes; its own only if it scrapes itself. */
const serverSize =
  'sum(scrape_samples_post_metric_relabeling) or max(prometheus_tsdb_head_series)';
const wideLabels = ['namespace', 'exported_namespace', 'job', 'cluster'] as const;
const narrowLabels = ['pod', 'instance', 'node'] as const;

interface Searched {
  readonly labels: LabelSet;
  /** Instances of other alerts that are asked about together with this one. */
  readonly alternatives: Alternatives;
  /** What distinguishes the alert's world from others. */
  readonly world: readonly Matcher[];
}

function excluding(matcher: Matcher): Matcher {
  return { ...matcher, op: matcher.op === '=~' ? '!~' : '!=' };
}

/**
 * Where to look for causes: the alert's own pod, instance or node, then its whole namespace, or
 * without one its job or cluster. Null if the alert has none of these labels.
 */
function scopesOf({ labels, alternatives, world }: Searched): SearchScopes | null {
  const wide = wideLabels.find((name) => (labelOf(labels, name) ?? '') !== '');
  const narrow = narrowLabels.find((name) => (labelOf(labels, name) ?? '') !== '');
  const inner = narrow === undefined ? [] : exactMatchers(labels, [narrow], alternatives);
  const worldNames = new Set(world.map(({ name }) => name));
  if (wide === undefined) {
    if (narrow === undefined) return null;
    const widest = [...inner, ...world];
    const scopes = [{ matchers: widest, seriesMax: candidatesMax }];
    return { scopes, widest, text: `${narrow} ${labelOf(labels, narrow) ?? ''}` };
  }
  const outer = [
    ...exactMatchers(labels, [...new Set([wide, 'cluster'])])
      .filter(({ name }) => !worldNames.has(name)),
    ...world,
  ];
  const others = inner.map(excluding);
  const own = { matchers: [...outer, ...inner], seriesMax: narrowMax };
  const rest = { matchers: [...outer, ...others], seriesMax: candidatesMax };
  return {
    scopes: narrow === undefined ? [rest] : [own, rest],
    widest: outer,
    text: `${wide} ${labelOf(labels, wide) ?? ''}`,
  };
}

/**
 * As {@linkcode scopesOf}; for an alert without a namespace also the rest of the server, if that is
 * small enough: the cause is then as likely in other jobs as in its own.
 */
export async function askScopes(
  asker: Asker,
  { now, ...searched }: Searched & { readonly now: number },
): Promise<SearchScopes | null> {
  const { labels, alternatives, world } = searched;
  const known = scopesOf(searched);
  const hasNamespace = wideLabels.slice(0, 2).some((name) => labelOf(labels, name) !== null);
  if (hasNamespace) return known;
  const size = await asker.query('search', serverSize, now);
  const series = size?.samples[0]?.value ?? Infinity;
  if (series > headSeriesMax) return known;
  const everything: Matcher[] = [{ name: '__name__', op: '!=', value: '' }, ...world];
  // From the narrowest on; each excludes what those before it have fetched.
  const own = exactMatchers(labels, [...narrowLabels, 'job'], alternatives);
  const others = own.map(excluding);
  const scopes = own.map((matcher, index) => {
    const seriesMax = index === 0 ? narrowMax : besideMax;
    return { matchers: [matcher, ...others.slice(0, index), ...world], seriesMax };
  });
  return {
    scopes: [...scopes, { matchers: [...everything, ...others], seriesMax: candidatesMax }],
    widest: everything, text: 'the whole server',
  };
}

/** Counts the series of each metric in a scope, which may have too many to fetch. */
export async function askNames(
  asker: Asker,
  scope: Scope,
  now: number,
): Promise<readonly NameCount[] | null> {
  const text = selector(null, scope.matchers);
  if (text === null) return [];
  const query = `count by (__name__) (${text})`;
  const answer = await asker.query('search', query, now);
  return answer?.samples.flatMap(({ labels, value }) => {
    const name = labels['__name__'];
    return name === undefined ? [] : [{ name, count: value }];
  }) ?? null;
}
