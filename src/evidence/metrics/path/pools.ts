import { labelOf, type LabelSet } from '../../../alert/labels.ts';

const usedWords: ReadonlySet<string> = new Set([
  'in', 'use', 'used', 'active', 'busy', 'acquired', 'borrowed', 'checked', 'out', 'current',
]);
const limitWords: ReadonlySet<string> = new Set([
  'max', 'maximum', 'limit', 'capacity', 'size', 'open', 'total', 'config', 'configured', 'pool',
]);
const poolWords = /(?:^|_)(?:pool|connections?|conns?|threads?|workers?|slots?|permits?)(?:_|$)/u;

/** The name without the words that say which of a pair it is, and which of the two. */
function stemOf(metric: string): { readonly stem: string; readonly is: 'used' | 'limit' } | null {
  const parts = metric.split('_');
  const isLimit = parts.some((part) => part === 'max' || part === 'limit' || part === 'capacity' ||
    part === 'maximum' || part === 'size');
  const isUsed = parts.some((part) => usedWords.has(part) && part !== 'in' && part !== 'out');
  if (!poolWords.test(metric) || isLimit === isUsed) return null;
  const stem = parts.filter((part) => !usedWords.has(part) && !limitWords.has(part)).join('_');
  return { stem, is: isLimit ? 'limit' : 'used' };
}

/**
 * The metrics that count what of a pool is in use, each with the one that says how much there is,
 * by their names alone: `db_pool_connections_in_use` and `db_pool_connections_max`.
 */
export function poolPairs(metrics: readonly string[]): ReadonlyMap<string, string> {
  const limits = new Map<string, string>();
  for (const metric of metrics) {
    const found = stemOf(metric);
    if (found?.is === 'limit') limits.set(found.stem, metric);
  }
  return new Map(metrics.flatMap((metric) => {
    const found = stemOf(metric);
    const limit = found?.is === 'used' ? limits.get(found.stem) : undefined;
    return limit === undefined ? [] : [[metric, limit] as const];
  }));
}

/** What a pool's metric counts, in the plural: `threads`; `connections` if it does not say. */
export function pooledIn(metric: string): string {
  const [word = 'connections'] = /(?:connection|thread|worker|slot|permit)s?/u.exec(metric) ?? [];
  return word.endsWith('s') ? word : `${word}s`;
}

/** The labels of a series without its metric, by which those of a pair agree. */
export function pairKey({ __name__: _, ...labels }: LabelSet): string {
  return JSON.stringify(Object.keys(labels).sort().map((name) => [name, labelOf(labels, name)]));
}

const connectionWords = /(?:^|_)(?:connections?|conns?|sessions?)(?:_|$)/u;
const heldWords =
  /(?:^|_)(?:in_use|used|active|busy|acquired|borrowed|checked_?out|open|opened)(?:_|$)/u;
const heldSeriesMax = 60;

/** Whether a metric with so many series says how many connections a program has taken. */
export function isHeld(metric: string, count = 0): boolean {
  return count <= heldSeriesMax && connectionWords.test(metric) && heldWords.test(metric) &&
    !/_(?:total|count|sum|bucket|max|seconds|limit)$/u.test(metric);
}
