import { compareText } from '../../../lib/compare-text.ts';
import { classifyMetric } from '../../../statistics/names/metric-class.ts';
import type { Signal } from '../../../statistics/names/metric-rule.ts';
import { metricWords } from '../../../statistics/names/metric-words.ts';
import { isOfOwnCalls } from '../../../statistics/names/own-calls.ts';
import type { NameCount } from './search-scope.ts';

/** A metric with more series than this would crowd out the others. */
const wideMax = 250;
/** The same limit for the most telling metrics. */
const wideDistinctiveMax = 500;

interface NameChoice {
  readonly chosen: readonly NameCount[];
  /** Names that there was no room for. */
  readonly left: readonly string[];
}

export interface ChoiceContext {
  readonly seriesMax: number;
  readonly ruleMetrics: readonly string[];
  /** The alert's name, whose words point to related metrics. */
  readonly alertName: string;
}

interface Rated {
  readonly names: readonly NameCount[];
  readonly count: number;
  readonly tier: number;
  /** How many words it shares with the alert and its rule. */
  readonly shared: number;
  /** It measures a component's internals, where causes are. */
  readonly isInside: boolean;
  /** A limit or a size: compared only where it was changed, so that none is missed. */
  readonly isSetting: boolean;
}

/**
 * Chooses the metrics of a scope to fetch, whole names at a time: first those of the rule, then
 * those that show why something fails, then those that show that it does, then settings and the
 * rest, and last histogram buckets, since sum and count already give the mean. Ties go to metrics
 * that share words with the alert, then to internals. What is never compared is left out.
 */
export function chooseNames(
  counts: readonly NameCount[],
  { seriesMax, ruleMetrics, alertName }: ChoiceContext,
): NameChoice {
  const all = new Set(counts.map(({ name }) => name));
  const about = new Set([alertName, ...ruleMetrics].flatMap(distinctiveWords));
  const groups = new Map<string, Rated>();
  for (const each of counts) {
    const rated = rate(each, all, ruleMetrics);
    if (rated === null) continue;
    const known = groups.get(rated.group);
    groups.set(rated.group, {
      names: [...(known?.names ?? []), each],
      count: (known?.count ?? 0) + each.count,
      tier: Math.min(known?.tier ?? tierMax, rated.tier),
      shared: known?.shared ?? distinctiveWords(each.name).filter((word) => about.has(word)).length,
      isInside: rated.isInside, isSetting: rated.isSetting,
    });
  }
  const ordered = [...groups.entries()].sort(([nameA, a], [nameB, b]) =>
    a.tier - b.tier || Number(isWide(a)) - Number(isWide(b)) || b.shared - a.shared ||
    Number(b.isInside) - Number(a.isInside) || compareText(nameA, nameB));
  const chosen: NameCount[] = [];
  const left: string[] = [];
  let room = seriesMax;
  for (const [, group] of ordered) {
    const limit = group.tier <= distinctiveTier ? wideDistinctiveMax : wideMax;
    if (group.count > Math.min(room, limit * group.names.length)) {
      if (!group.isSetting) left.push(...group.names.map(({ name }) => name));
      continue;
    }
    room -= group.count;
    chosen.push(...group.names.toSorted((a, b) => compareText(a.name, b.name)));
  }
  return { chosen, left };
}

const distinctiveTier = 1;
const tierMax = 4;
const tiers: Readonly<Record<Signal, number>> = {
  saturation: 1, errors: 1, restarts: 1, utilization: 1, latency: 2, traffic: 2, state: 2,
  other: 3, config: 3, skip: 4,
};

function isWide({ count, names }: Rated): boolean {
  return count > wideMax * names.length;
}

/** Words so common that sharing them means nothing. */
const commonWords: ReadonlySet<string> = new Set([
  'total', 'count', 'sum', 'bucket', 'seconds', 'milliseconds', 'bytes', 'ratio', 'percent', 'info',
  'status', 'high', 'low', 'too', 'many', 'is', 'the', 'of', 'alert', 'kube', 'node', 'container',
  'process', 'service', 'server', 'rate', 'usage', 'current', 'max', 'min',
]);

/** The distinct words of a name that tell what it is about, in the singular. */
export function distinctiveWords(name: string): string[] {
  const parts = metricWords(name).split('_').map((part) => part.replace(/s$/u, ''));
  return [...new Set(parts)].filter((part) =>
    part.length > 1 && !commonWords.has(part) && !commonWords.has(`${part}s`));
}

/** A setting of more things than this is one of each of many objects, and not of a program. */
const settingsMax = 40;

/** Groups a histogram's sum and count, which are fetched together; buckets are separate. */
function rate(
  { name, count }: NameCount,
  names: ReadonlySet<string>,
  ruleMetrics: readonly string[],
): Pick<Rated, 'tier' | 'isInside' | 'isSetting'> & { group: string } | null {
  const { kind, signal, side } = classifyMetric(name, { names });
  if (side === 'skip' || signal === 'skip') return null;
  if (kind === 'timestamp' || kind === 'info') return null;
  if (signal === 'config' && (kind !== 'gauge' || count > settingsMax)) return null;
  if (name.startsWith('ALERTS') || name.includes(':') && ruleMetrics.includes(name)) return null;
  const base = name.replace(/_(sum|count|bucket)$/, '');
  const isOfRule = ruleMetrics.some((metric) =>
    metric === name || metric.replace(/_(sum|count|bucket)$/, '') === base);
  const isBucket = kind === 'histogram_bucket';
  const isPart = kind === 'histogram_sum' || kind === 'histogram_count';
  const isInside = side === 'internal';
  const isSetting = signal === 'config';
  if (isBucket) return { group: name, tier: tierMax, isInside, isSetting };
  // Without them it is unknown who calls whom, and callers pass for causes.
  const tier = isOfRule ? 0 : isNegligible.test(name) ? 3
    : isOfOwnCalls(name) || ofResolvers.test(name) ? distinctiveTier : tiers[signal];
  return { group: isPart ? `${base} sum and count` : name, tier, isInside, isSetting };
}

/** What resolvers answer, on which everything depends that calls anything. */
const ofResolvers = /^(coredns|kubedns|bind|unbound|pdns)_\w*(responses|answers|rcodes)_total$/;

/** About the collection rather than the component, or hardly ever useful. */
const isNegligible =
  /^(scrape_|go_(gc|memstats|memory|cpu_classes|sched)|promhttp_|prometheus_|net_conntrack_)/;
