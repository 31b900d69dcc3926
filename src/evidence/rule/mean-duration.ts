import { textOf, type Token } from '../../lib/promql/promql-tokens.ts';
import {
  allParts, bare, parsePromql, selectorsIn, type Call, type Node,
} from '../../lib/promql/promql-tree.ts';

/** The time that something takes, as queries for each series of a histogram or summary. */
interface MeanDuration {
  /** Time spent per second. */
  readonly spent: string;
  /** How many per second there were. */
  readonly count: string;
  /** The labels by which the rule keeps them apart; null if by all that its series have. */
  readonly by: readonly string[] | null;
}

/**
 * What a rule on a latency measures: `histogram_quantile(0.9, sum by (le) (rate(x_bucket[5m])))` or
 * `rate(x_sum[5m]) / rate(x_count[5m])`, in which anything may be added up. Null for any other
 * expression. A quantile has no parts, but the time that it is about has.
 */
export function meanDurationIn(expression: string): MeanDuration | null {
  const tree = parsePromql(expression);
  if (tree === null) return null;
  for (const part of allParts(tree)) {
    const found = part.kind === 'call' && part.name === 'histogram_quantile'
      ? ofBuckets(part) : part.kind === 'binary' && part.operator === '/' ? ofQuotient(part) : null;
    if (found !== null) return found;
  }
  return null;
}

function ofBuckets({ arguments: [, buckets] }: Call): MeanDuration | null {
  const rate = buckets === undefined ? null : rateIn(buckets, '_bucket');
  if (buckets === undefined || rate === null) return null;
  const by = groupingIn(buckets);
  return {
    spent: renamed(rate, '_bucket', '_sum'), count: renamed(rate, '_bucket', '_count'),
    by: by?.filter((name) => name !== 'le') ?? null,
  };
}

function ofQuotient({ left, right }: Extract<Node, { kind: 'binary' }>): MeanDuration | null {
  const [spent, count] = [rateIn(left, '_sum'), rateIn(right, '_count')];
  if (spent === null || count === null) return null;
  const isOfOne = metricOf(spent)?.replace(/_sum$/u, '') ===
    metricOf(count)?.replace(/_count$/u, '');
  if (!isOfOne) return null;
  const by = groupingIn(left);
  return {
    spent: renamed(spent, '_sum', '_sum'), count: renamed(count, '_count', '_count'),
    by: by ?? null,
  };
}

const rates: ReadonlySet<string> = new Set(['rate', 'irate', 'increase']);

/** The one rate of the one metric with this ending; null if there is anything else. */
function rateIn(whole: Node, ending: string): Call | null {
  const found = allParts(whole).filter((part): part is Call & Node =>
    part.kind === 'call' && rates.has(part.name));
  const selectors = selectorsIn(whole);
  const [rate] = found;
  return rate !== undefined && found.length === 1 && selectors.length === 1 &&
    selectors[0]?.metric?.endsWith(ending) === true ? rate : null;
}

function metricOf(call: Call): string | null {
  return selectorsIn(call as Node)[0]?.metric ?? null;
}

/** Undefined where nothing is added up, null where it is not known by what. */
function groupingIn(whole: Node): readonly string[] | null | undefined {
  const node = bare(whole);
  if (node.kind !== 'call' || rates.has(node.name)) return undefined;
  if (node.name !== 'sum' && node.name !== 'avg') return null;
  return node.grouping === null ? [] : node.grouping.isBy ? node.grouping.names : null;
}

/** Its text with another ending of the metric's name. */
function renamed(call: Call, ending: string, other: string): string {
  const metric = metricOf(call) ?? '';
  const name = metric.slice(0, metric.length - ending.length) + other;
  return textOf(call.tokens().map((token): Token =>
    token.text === metric ? { ...token, text: name, written: name } : token));
}
