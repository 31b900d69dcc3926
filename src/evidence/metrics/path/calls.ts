import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { groupBy } from '../../../lib/group-by.ts';
import type { HopFault } from '../../../report/path.ts';
import type { RangeAnswer } from '../../../sources/prometheus-answers.ts';
import { metricWords, words } from '../../../statistics/names/metric-words.ts';
import { unnamedKey } from '../matching-labels.ts';
import { isoAt } from '../series-data.ts';
import {
  countedBy, Presence, rateOf, riseOf, slowingOf, sumOf, type Counted, type Rise, type Slowing,
  type Split,
} from './counting.ts';
import type { Directory } from './directory.ts';
import { edgesOf, type Edge } from './edges.ts';
import { isFailure, isOutcome } from './failures.ts';
import type { Thing } from './things.ts';

type Series = RangeAnswer['series'][number];

/** What a thing's own counters say of one other that it calls, or that calls it. */
export interface CallsTo {
  readonly edge: Edge;
  /** Faults of the calls; none if they succeed as before. */
  readonly faults: readonly HopFault[];
  /** Calls that succeeded lately, per second; null if only failures are counted. */
  readonly successes: number | null;
  /** Time that its calls take more than before, in seconds per second. */
  readonly added: number;
}

/** What a thing's own counters say. */
export interface OwnCounters {
  readonly calls: readonly CallsTo[];
  /** Faults of the requests that it takes. */
  readonly faults: readonly HopFault[];
  /** Requests that succeeded lately, per second; null if it counts none. */
  readonly successes: number | null;
}

/** Points that "lately" covers. */
const lately = 5;
/** From this share of what went wrong on, a label's value tells which part it is. */
const partShare = 0.8;
/** A part that most requests are of is no part worth naming. */
const usualShare = 0.5;
/** From this share of a request's added time on, a call is where it is spent. */
const addedShareMin = 0.3;
const faultsMax = 3;

const requestWords = words('request requests http grpc rpc call calls handled server job jobs ' +
  'task tasks message messages query queries command commands operation operations response ' +
  'responses checkout order orders');

/** Reads who calls whom and with which result off the counters of a thing, over a grid. */
export function readCalls(
  answer: Pick<RangeAnswer, 'series' | 'grid'>,
  from: Thing,
  { directory, split }: { readonly directory: Directory; readonly split: Split },
): OwnCounters {
  const { grid, series } = answer;
  const edgeOf = edgesOf(series.map(({ labels }) => labels), from, directory);
  const presence = new Presence(answer);
  const context = {
    grid, split, from,
    gainsOf: once((each: Series) => countedBy([each], grid, presence).gains),
    keyOf: once((each: Series) => unnamedKey(each.labels)),
  };
  const counters = series.filter(({ labels }) =>
    /_(?:total|count|sum)$/u.test(labelOf(labels, '__name__') ?? ''));
  const byEdge = groupBy(counters, ({ labels }) => {
    const edge = edgeOf(labels);
    return edge === null ? null : `${edge.isCaller ? '<' : '>'}${edge.to?.key ?? edge.value}`;
  });
  const own = byEdge.get(null) ?? [];
  const requests = own.filter(({ labels }) =>
    requestWords.test(metricWords(labelOf(labels, '__name__') ?? '')));
  const ownSlowing = slowestOf(requests, context);
  const calls = [...byEdge].flatMap(([key, group]): CallsTo[] => {
    const edge = key === null ? null : edgeOf(group[0].labels);
    if (edge === null) return [];
    const slow = slowestOf(group, { ...context, edge });
    const isSpent = slow !== null && (ownSlowing === null ||
      slow.slowing.added >= addedShareMin * ownSlowing.slowing.added);
    return [{
      edge, added: slow?.slowing.added ?? 0, successes: successesOf(group, context),
      faults: [
        ...failingOf(group, { ...context, edge }),
        ...(isSpent ? [slowFault(slow, { ...context, edge })] : []),
      ],
    }];
  });
  return {
    calls, successes: successesOf(requests, context),
    faults: [
      ...failingOf(requests, context),
      ...(ownSlowing === null ? [] : [slowFault(ownSlowing, context)]),
    ],
  };
}

function once<Value>(work: (series: Series) => Value): (series: Series) => Value {
  const known = new Map<Series, Value>();
  return (series) => {
    const found = known.get(series) ?? work(series);
    known.set(series, found);
    return found;
  };
}

interface Context {
  readonly grid: RangeAnswer['grid'];
  readonly split: Split;
  readonly from: Thing;
  /** What was counted in each step, and the labels without the metric: both worked out once. */
  readonly gainsOf: (series: Series) => Float64Array;
  readonly keyOf: (series: Series) => string;
  /** Null or absent for what it takes itself. */
  readonly edge?: Edge;
}

function byMetric(series: readonly Series[]): Map<string, [Series, ...Series[]]> {
  return groupBy(series, ({ labels }) => labelOf(labels, '__name__') ?? '');
}

function counted(series: readonly Series[], { grid, gainsOf }: Context): Counted {
  const gains = new Float64Array(grid.count);
  for (const each of series) {
    gainsOf(each).forEach((gain, index) => (gains[index] = (gains[index] ?? 0) + gain));
  }
  return { grid, gains };
}

/** Several metrics may count the same failures; the one that counts most is used. */
function failingOf(series: readonly Series[], context: Context): HopFault[] {
  const failures = series.filter(({ labels }) =>
    isFailure(labels) && !(labels['__name__'] ?? '').endsWith('_sum'));
  const found = [...byMetric(failures)].flatMap(([metric, group]) => {
    const rise = riseOf(counted(group, context), context.split);
    return rise === null ? [] : [{ metric, group, rise }];
  });
  return found.sort((a, b) => b.rise.perSecond - a.rise.perSecond).slice(0, 1)
    .map(({ metric, group, rise }) => failFault(metric, { group, rise, series }, context));
}

function failFault(
  metric: string,
  { group, rise, series }: {
    readonly group: readonly Series[]; readonly rise: Rise;
    /** Those that count successes as well. */
    readonly series: readonly Series[];
  },
  context: Context,
): HopFault {
  const weightOf = (each: readonly Series[]): number =>
    sumOf(counted(each, context), rise.from, rise.to);
  const all = series.filter(({ labels }) => labels['__name__'] === metric);
  return {
    kind: 'fails', seen_by: context.edge === undefined ? 'itself' : 'client', what: null, metric,
    labels: distinctiveLabelsOf(group, weightOf, { ...context, all }),
    value: rise.perSecond, before: rise.perSecondBefore, limit: null,
    since: isoAt(context.grid, rise.from), until: endOf(rise.to, context),
  };
}

/** Counters are sparse: what was counted lately goes on. */
function endOf(last: number, { grid, split }: Context): string | null {
  return last > split.until - lately ? null : isoAt(grid, last);
}

interface Slowest {
  readonly metric: string;
  readonly group: readonly Series[];
  readonly slowing: Slowing;
}

/** The histogram, or part of one, that takes most of the added time. */
function slowestOf(series: readonly Series[], context: Context): Slowest | null {
  const sums = byMetric(series.filter(({ labels }) => /_sum$/u.test(labels['__name__'] ?? '')));
  const found = [...sums].flatMap(([metric, group]) => {
    if (!/seconds|duration|latency|time/u.test(metric)) return [];
    const parts = [group, ...partsOf(group, context)];
    return parts.flatMap((part): Slowest[] => {
      const slowing = slowingIn(metric, { part, series, context });
      return slowing === null ? [] : [{ metric, group: part, slowing }];
    });
  });
  return found.sort((a, b) => b.slowing.added - a.slowing.added)[0] ?? null;
}

function slowingIn(
  metric: string,
  { part, series, context }: {
    readonly part: readonly Series[]; readonly series: readonly Series[];
    readonly context: Context;
  },
): Slowing | null {
  const ofCounts = metric.replace(/_sum$/u, '_count');
  const keys = new Set(part.map((each) => context.keyOf(each)));
  const counts = series.filter((each) =>
    each.labels['__name__'] === ofCounts && keys.has(context.keyOf(each)));
  const slowing = slowingOf(counted(part, context), counted(counts, context), context.split);
  if (slowing === null || !metric.includes('milliseconds') && !/_ms_sum$/u.test(metric)) {
    return slowing;
  }
  return {
    ...slowing, seconds: slowing.seconds / 1000, secondsBefore: slowing.secondsBefore / 1000,
    added: slowing.added / 1000,
  };
}

/** The series of each value of each label by which they differ. */
function partsOf(group: readonly Series[], context: Context): Series[][] {
  return partLabels(group, context).flatMap((name) =>
    [...groupBy(group, ({ labels }) => labelOf(labels, name)).values()]);
}

const partValuesMax = 30;

/** The labels by which the series differ, other than those of their targets. */
function partLabels(group: readonly Series[], { from, edge }: Context): string[] {
  const names = new Set(group.flatMap(({ labels }) => Object.keys(labels)));
  return [...names].filter((name) => {
    if (name === '__name__' || name === 'job' || name === edge?.label) return false;
    if (from.targets.some(({ labels }) => Object.hasOwn(labels, name))) return false;
    const values = new Set(group.map(({ labels }) => labelOf(labels, name))).size;
    return values > 1 && values <= partValuesMax;
  });
}

function slowFault({ metric, group, slowing }: Slowest, context: Context): HopFault {
  return {
    kind: 'slow', seen_by: context.edge === undefined ? 'itself' : 'client', what: null,
    metric, labels: sharedParts(group, context),
    value: slowing.seconds, before: slowing.secondsBefore, limit: null,
    since: isoAt(context.grid, slowing.from), until: endOf(slowing.to, context),
  };
}

/** Labels that all of the series share and their targets do not have. */
function sharedParts(group: readonly Series[], { from, edge }: Context): LabelSet {
  const [first] = group;
  return Object.fromEntries(Object.entries(first?.labels ?? {}).filter(([name, value]) =>
    name !== '__name__' && name !== 'job' && name !== edge?.label &&
    !from.targets.some(({ labels }) => Object.hasOwn(labels, name)) &&
    group.every(({ labels }) => labelOf(labels, name) === value)));
}

/**
 * Labels whose one value has most of what failed and no more than its share of what did not, how
 * it went first.
 */
function distinctiveLabelsOf(
  group: readonly Series[],
  weightOf: (series: readonly Series[]) => number,
  { all, ...context }: Context & { readonly all: readonly Series[] },
): LabelSet {
  const failed = weightOf(group);
  const succeeded = all.filter((each) => !group.includes(each));
  const isUsual = (name: string, value: string): boolean => {
    const whole = weightOf(succeeded);
    const part = weightOf(succeeded.filter(({ labels }) => labelOf(labels, name) === value));
    return whole > 0 && part > usualShare * whole;
  };
  const outcomes = Object.keys(group[0]?.labels ?? {}).filter(isOutcome);
  const names = [...new Set([...outcomes, ...partLabels(group, context)])]
    .sort((a, b) => Number(isOutcome(b)) - Number(isOutcome(a)));
  const parts = names.flatMap((name) => {
    const [best] = [...groupBy(group, ({ labels }) => labelOf(labels, name) ?? '')]
      .map(([value, each]) => ({ value, weight: weightOf(each) }))
      .sort((a, b) => b.weight - a.weight);
    return best === undefined || best.value === '' || best.weight < partShare * failed ||
      (!isOutcome(name) && isUsual(name, best.value)) ? [] : [[name, best.value] as const];
  });
  return Object.fromEntries(parts.slice(0, faultsMax));
}

/** Lately, by the metric that counts most; failures that another one counts are taken off. */
function successesOf(series: readonly Series[], context: Context): number | null {
  const { until } = context.split;
  const recent = (each: readonly Series[]): number =>
    rateOf(counted(each, context), until - lately + 1, until);
  const plain = series.filter(({ labels }) => !/_sum$/u.test(labels['__name__'] ?? ''));
  const tried = [...byMetric(plain.filter(({ labels }) => !isFailure(labels)))];
  if (tried.length === 0) return null;
  const failures = byMetric(plain.filter(({ labels }) => isFailure(labels)));
  const failed = Math.max(0, ...[...failures.values()].map(recent));
  const rates = tried.map(([metric, group]) =>
    failures.has(metric) ? recent(group) : Math.max(0, recent(group) - failed));
  return Math.max(...rates);
}
