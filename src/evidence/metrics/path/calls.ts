import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { groupBy } from '../../../lib/group-by.ts';
import type { HopFault } from '../../../report/path.ts';
import type { RangeAnswer } from '../../../sources/prometheus-answers.ts';
import { metricWords, words } from '../../../statistics/names/metric-words.ts';
import { isOfOwnCalls } from '../../../statistics/names/own-calls.ts';
import { unnamedKey } from '../matching-labels.ts';
import { isoAt } from '../series-data.ts';
import {
  countedBy, Presence, rateOf, riseOf, sumOf, type Counted, type Rise, type Split,
} from './counting.ts';
import type { Directory } from './directory.ts';
import { edgesOf, type Edge } from './edges.ts';
import { isFailure, isOutcome } from './failures.ts';
import { instanceNamed, oneInstance } from './one-instance.ts';
import type { Thing } from './things.ts';
import { isTimeGauge, slowingOf, timersOf, type Slowing, type Timer } from './times.ts';

type Series = RangeAnswer['series'][number];

/** What a thing's own counters say of one other that it calls, or that calls it. */
export interface CallsTo {
  readonly edge: Edge;
  /** Calls that fail; none if they succeed as before. */
  readonly faults: readonly HopFault[];
  /** Calls that take longer, however much that means to who makes them; null if they do not. */
  readonly slow: { readonly fault: HopFault; readonly slowing: Slowing } | null;
  /** Calls that succeeded lately, per second; null if only failures are counted. */
  readonly successes: number | null;
  /** Whether it is measured how long they take. */
  readonly isTimed: boolean;
  /** That it is called more often for each request than before. */
  readonly repeated: HopFault | null;
}

/** What a thing's own counters say. */
export interface OwnCounters {
  readonly calls: readonly CallsTo[];
  /** Faults of the requests that it takes. */
  readonly faults: readonly HopFault[];
  /** Requests that succeeded lately, per second; null if it counts none. */
  readonly successes: number | null;
  /** How much longer they take; null if they do not, or if that is not measured. */
  readonly slowing: Slowing | null;
}

/** Points that "lately" covers. */
const lately = 5;
/** From this share of what went wrong on, a label's value tells which part it is. */
const partShare = 0.8;
/** A part that most requests are of is no part worth naming. */
const usualShare = 0.5;
const faultsMax = 3;

const requestWords = words('request requests http grpc rpc call calls handled server job jobs ' +
  'task tasks message messages query queries command commands operation operations response ' +
  'responses checkout order orders');

/** Reads who calls whom and with which result off the counters of a thing, over a grid. */
export function readCalls(
  answer: Pick<RangeAnswer, 'series' | 'grid'>,
  from: Thing,
  { directory, split, isSlow, place, isWhole }: {
    readonly directory: Directory; readonly split: Split;
    /** The alert says that something is slow, which is then followed however little it is. */
    readonly isSlow: boolean;
    /** Labels of what the alert is about; the thing's other requests say nothing. */
    readonly place: LabelSet | null;
    /** Whether the answer has all of its targets. */
    readonly isWhole: boolean;
  },
): OwnCounters {
  const { grid, series } = answer;
  const edgeOf = edgesOf(series.map(({ labels }) => labels), from, directory);
  const presence = new Presence(answer);
  const context = {
    grid, split, from, isWhole,
    gainsOf: once((each: Series) => countedBy([each], grid, presence).gains),
    keyOf: once((each: Series) => unnamedKey(each.labels)),
  };
  const counters = series.filter(({ labels }) => {
    const metric = labelOf(labels, '__name__') ?? '';
    return /_(?:total|count|sum)$/u.test(metric) || isTimeGauge(metric);
  });
  const byEdge = groupBy(counters, ({ labels }) => {
    const edge = edgeOf(labels);
    return edge === null ? null : `${edge.isCaller ? '<' : '>'}${edge.to?.key ?? edge.value}`;
  });
  const own = byEdge.get(null) ?? [];
  // What tells how it went is a request as well, whatever it is called.
  const withOutcome = new Set(own.filter(({ labels }) => Object.keys(labels).some(isOutcome))
    .map(({ labels }) => labelOf(labels, '__name__')?.replace(/_(?:sum|count)$/u, '')));
  const requests = own.filter(({ labels }) => {
    const metric = labelOf(labels, '__name__') ?? '';
    return !isOfOwnCalls(metric) && (requestWords.test(metricWords(metric)) ||
      withOutcome.has(metric.replace(/_(?:sum|count)$/u, '')));
  });
  const ownSlowing = slowestOf(timersIn(ofPlace(requests, place), context), { ...context, isSlow });
  const asked = mostCounted(requests, context);
  const calls = [...byEdge].flatMap(([key, group]): CallsTo[] => {
    const edge = key === null ? null : edgeOf(group[0].labels);
    if (edge === null) return [];
    const ofEdge = { ...context, edge };
    const timers = timersIn(group, ofEdge);
    const slow = slowestOf(timers, { ...ofEdge, isSlow });
    return [{
      edge, isTimed: timers.length > 0, successes: successesOf(group, context),
      faults: failingOf(group, ofEdge),
      slow: slow && { fault: slowFault(slow, ofEdge), slowing: slow.slowing },
      repeated: edge.isCaller ? null
        : repeatedFault(mostCounted(group, context), asked, ofEdge),
    }];
  });
  return {
    calls, successes: successesOf(requests, context), slowing: ownSlowing?.slowing ?? null,
    faults: [
      ...calls.flatMap(({ repeated }) => repeated ?? []),
      ...failingOf(requests, context),
      ...(ownSlowing === null ? [] : [slowFault(ownSlowing, context)]),
    ],
  };
}

interface Most {
  readonly metric: string;
  readonly all: Counted;
}

/** What is counted by the metric that counts most; null if none does. */
function mostCounted(series: readonly Series[], context: Context): Most | null {
  const plain = series.filter(({ labels }) => /_(?:total|count)$/u.test(labels['__name__'] ?? ''));
  const [most] = [...byMetric(plain)]
    .map(([metric, group]) => ({ metric, all: counted(group, context) }))
    .sort((a, b) => sumOf(b.all, 0, Infinity) - sumOf(a.all, 0, Infinity));
  return most ?? null;
}

/** Calls that are made for each request at least, to be worth telling. */
const repeatedMin = 0.5;
/** With more requests than this many times as before, more calls need no other reason. */
const busierMax = 1.3;

function repeatedFault(
  calls: Most | null, requests: Most | null, { edge, grid, split }: Context & { edge: Edge },
): HopFault | null {
  const more = calls === null || requests === null ? null
    : slowingOf({ sum: calls.all, count: requests.all }, split, false);
  if (calls === null || more === null || more.seconds < repeatedMin ||
    more.rate > busierMax * more.rateBefore) return null;
  return {
    kind: 'repeats', seen_by: 'itself', what: edge.to?.name ?? edge.value, metric: calls.metric,
    labels: {}, value: more.seconds, before: more.secondsBefore, limit: null,
    rate: more.rate, rate_before: more.rateBefore,
    since: isoAt(grid, more.from), until: endOf(more.to, { grid, split }),
  };
}

/** Those with the alert's labels, where they have such labels; all of them if none is left. */
function ofPlace(series: readonly Series[], place: LabelSet | null): readonly Series[] {
  const own = place === null ? [] : series.filter(({ labels }) => Object.keys(place)
    .every((name) => (labelOf(labels, name) ?? place[name]) === place[name]));
  return own.length === 0 ? series : own;
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
  readonly isWhole: boolean;
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
  const plain = series.filter(({ labels }) => !(labels['__name__'] ?? '').endsWith('_sum'));
  const failures = plain.filter(({ labels }) => isFailure(labels));
  const all = failures.length === 0 ? null : counted(plain, context);
  const found = [...byMetric(failures)].flatMap(([metric, group]) => {
    const rise = riseOf(counted(group, context), context.split, all);
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
  const succeeded = all.filter((each) => !group.includes(each));
  const usual = weightOf(succeeded);
  const isUsual = (part: (labels: LabelSet) => boolean): boolean => usual > 0 &&
    weightOf(succeeded.filter(({ labels }) => part(labels))) > usualShare * usual;
  return {
    kind: 'fails', seen_by: context.edge === undefined ? 'itself' : 'client', what: null, metric,
    labels: {
      ...distinctiveLabelsOf(group, weightOf, { ...context, isUsual }),
      ...instanceOf(group, weightOf, { ...context, succeeded }),
    },
    value: rise.perSecond, before: rise.perSecondBefore, limit: null,
    since: isoAt(context.grid, rise.from), until: endOf(rise.to, context),
  };
}

/** Counters are sparse: what was counted lately goes on. */
function endOf(
  last: number, { grid, split }: Pick<Context, 'grid' | 'split'>,
): string | null {
  return last > split.until - lately ? null : isoAt(grid, last);
}

/** The one instance, of all that it has, or that what it calls has. */
function instanceOf(
  group: readonly Series[],
  weightOf: (series: readonly Series[]) => number,
  { from, edge, isWhole, succeeded = [] }: Context & { readonly succeeded?: readonly Series[] },
): LabelSet {
  if (edge === undefined) return isWhole ? oneInstance(group, from, weightOf, succeeded) : {};
  const { to, label } = edge;
  return to === null ? {} : oneInstance(group, to, weightOf, succeeded, (labels) =>
    instanceNamed(labelOf(labels, label) ?? '', to));
}

interface Slowest {
  readonly metric: string;
  readonly group: readonly Series[];
  readonly slowing: Slowing;
  readonly of: Timer['of'];
}

function timersIn(series: readonly Series[], context: Context): Timer[] {
  return timersOf(series, {
    grid: context.grid, keyOf: context.keyOf, count: (each) => counted(each, context),
  });
}

/** The timer, or part of one, that takes most of the added time. */
function slowestOf(
  timers: readonly Timer[],
  { isSlow, ...context }: Context & { readonly isSlow: boolean },
): Slowest | null {
  const found = timers.flatMap(({ metric, series, of }) => {
    const parts = [series, ...partsOf(series, context)];
    return parts.flatMap((part): Slowest[] => {
      const slowing = slowingOf(of(part), context.split, isSlow);
      return slowing === null ? [] : [{ metric, group: part, slowing, of }];
    });
  });
  return found.sort((a, b) => b.slowing.added - a.slowing.added)[0] ?? null;
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

function slowFault({ metric, group, slowing, of }: Slowest, context: Context): HopFault {
  const addedBy = (part: readonly Series[]): number =>
    slowingOf(of(part), context.split, true)?.added ?? 0;
  const countBefore = (part: readonly Series[]): number =>
    sumOf(of(part).count, 1, context.split.before);
  const isUsual = (part: (labels: LabelSet) => boolean): boolean =>
    countBefore(group.filter(({ labels }) => part(labels))) > usualShare * countBefore(group);
  return {
    kind: 'slow', seen_by: context.edge === undefined ? 'itself' : 'client', what: null,
    metric,
    labels: {
      ...sharedParts(group, context),
      ...distinctiveLabelsOf(group, addedBy, { ...context, isUsual }),
      ...instanceOf(group, addedBy, context),
    },
    value: slowing.seconds, before: slowing.secondsBefore, limit: null,
    rate: slowing.rate, rate_before: slowing.rateBefore,
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
 * Labels whose one value has most of what went wrong and no more than its share of the rest, how it
 * went first.
 */
function distinctiveLabelsOf(
  group: readonly Series[],
  weightOf: (series: readonly Series[]) => number,
  { isUsual, ...context }: Context & {
    /** Whether most of what goes well is of that part too. */
    readonly isUsual: (part: (labels: LabelSet) => boolean) => boolean;
  },
): LabelSet {
  const failed = weightOf(group);
  const outcomes = Object.keys(group[0]?.labels ?? {}).filter(isOutcome);
  const names = [...new Set([...outcomes, ...partLabels(group, context)])]
    .sort((a, b) => Number(isOutcome(b)) - Number(isOutcome(a)));
  const parts = names.flatMap((name) => {
    const [best] = [...groupBy(group, ({ labels }) => labelOf(labels, name) ?? '')]
      .map(([value, each]) => ({ value, weight: weightOf(each) }))
      .sort((a, b) => b.weight - a.weight);
    if (best === undefined || best.value === '' || best.weight < partShare * failed) return [];
    const isPart = (labels: LabelSet): boolean => labelOf(labels, name) === best.value;
    return !isOutcome(name) && isUsual(isPart) ? [] : [[name, best.value] as const];
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
