import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { compareText } from '../../../lib/compare-text.ts';
import type { RangeSeries } from '../../../sources/prometheus-answers.ts';
import { selector } from '../../../sources/promql-text.ts';
import type { IndexSpan } from '../../../sources/time-grid.ts';
import type { ChangeCandidate } from '../../../statistics/change-candidate.ts';
import {
  bucketQuantile, counterRate, resemblesCounter, meanOfObserved, trafficWeight,
} from '../../../statistics/counter-rate.ts';
import { classifyMetric, type MetricClass } from '../../../statistics/names/metric-class.ts';
import { isShare, rateUnit } from '../../../statistics/names/metric-unit.ts';
import { exactMatchers, labelKey } from '../matching-labels.ts';

const quantile = 0.9;
/** Fewer buckets give a poor quantile; more are not a classic histogram. */
const bucketsMin = 3;
const bucketsMax = 100;

/** A series to compare: a level, rate, mean or quantile derived from raw series. */
export interface Derived extends Omit<ChangeCandidate, 'component' | 'named'> {
  /** "Mean of", "Rate of"; empty for a series as it is. */
  readonly what: string;
  /** Metric names of the raw series that it is derived from. */
  readonly sources: readonly string[];
  /** The same as a query, for people to run. */
  readonly query: string;
}

interface Parts {
  readonly base: string;
  readonly labels: LabelSet;
  sum: Float64Array | null;
  count: Float64Array | null;
  readonly buckets: { upperBound: number; values: Float64Array }[];
}

/**
 * Derives comparable series from the raw series of one grid: rates of counters, means and 90 %
 * quantiles of histograms, means of summaries, everything else as it is. NaN is no value.
 */
export function deriveSeries(
  series: readonly RangeSeries[],
  stepSeconds: number,
  /** Further names that the server has: they decide whether `_count` is part of a histogram. */
  known: readonly string[] = [],
): Derived[] {
  const names = new Set([...known, ...series.map(({ labels }) => labels['__name__'] ?? '')]);
  const classes = new Map<string, MetricClass>();
  const derived: Derived[] = [];
  const histograms = new Map<string, Parts>();
  for (const { labels: all, values, valueless } of series) {
    const { __name__: name = '', ...labels } = all;
    if (name === '') continue;
    const metric = classOf(name, labels, { names, classes });
    const raw = { name, labels, values, valueless, metric };
    if (!partOf(histograms, raw)) derived.push(plain(raw, stepSeconds));
  }
  for (const parts of histograms.values()) derived.push(...ofHistogram(parts, stepSeconds));
  return derived.sort((a, b) => compareText(a.id, b.id));
}

interface Raw {
  readonly name: string;
  readonly labels: LabelSet;
  readonly values: Float64Array;
  readonly valueless: IndexSpan | null;
  readonly metric: MetricClass;
}

const classLabels = [
  'code', 'status', 'status_code', 'response_code', 'http_status_code', 'outcome', 'result',
  'grpc_code', 'grpc_status', 'mode', 'condition', 'phase', 'state', 'quantile', 'le',
];

/** The class of a metric, cached by its name and the labels that matter for it. */
function classOf(
  name: string,
  labels: LabelSet,
  { names, classes }: {
    readonly names: ReadonlySet<string>; readonly classes: Map<string, MetricClass>;
  },
): MetricClass {
  const classValues = classLabels.map((label) => {
    const value = labelOf(labels, label);
    return value === null ? '' : label === 'le' || label === 'quantile' ? '1' : value;
  });
  const key = `${name}\u0000${classValues.join('\u0001')}`;
  const known = classes.get(key) ?? classifyMetric(name, { labels, names });
  classes.set(key, known);
  return known;
}

/** Collects the parts of a histogram; false if the series is not one. */
function partOf(histograms: Map<string, Parts>, { name, labels, values, metric }: Raw): boolean {
  const { kind } = metric;
  const isPart = kind === 'histogram_sum' || kind === 'histogram_count' ||
    kind === 'histogram_bucket';
  // A series that falls other than by a restart is not a counter.
  if (!isPart || !resemblesCounter(values)) return false;
  const base = name.replace(/_(sum|count|bucket)$/, '');
  const { le, ...others } = labels;
  const key = `${base}\u0000${labelKey(others)}`;
  const empty: Parts = { base, labels: others, sum: null, count: null, buckets: [] };
  const parts = histograms.get(key) ?? empty;
  histograms.set(key, parts);
  if (kind === 'histogram_sum') parts.sum = values;
  else if (kind === 'histogram_count') parts.count = values;
  else parts.buckets.push({ upperBound: le === '+Inf' ? Infinity : Number(le), values });
  return true;
}

function plain({ name, labels, values, valueless, metric }: Raw, stepSeconds: number): Derived {
  const { kind, signal, side, unit } = metric;
  const text = seriesText(name, labels);
  const isCounted = kind === 'counter' || kind.startsWith('histogram_');
  const common = { id: text, metric: name, labels, signal, side, valueless, sources: [name] };
  if (!isCounted || !resemblesCounter(values)) {
    // Above 1 it is a multiple, or a percentage whose name says otherwise.
    const shownUnit = unit === 'ratio' && !isShare(values) ? null : unit;
    return {
      ...common, values, kind: isCounted ? 'gauge' : kind, unit: shownUnit, what: '', query: text,
    };
  }
  const rates = counterRate(values, stepSeconds);
  return {
    ...common, kind, values: rates, unit: rateUnit(name, unit, rates),
    what: 'Rate of', made: 'rate',
    query: `rate(${text}[${rangeOf(stepSeconds)}])`,
  };
}

function ofHistogram({ base, labels, sum, count, buckets }: Parts, stepSeconds: number): Derived[] {
  const names = new Set([`${base}_sum`, `${base}_count`, `${base}_bucket`]);
  const range = rangeOf(stepSeconds);
  const rate = (part: string): string => `rate(${seriesText(`${base}_${part}`, labels)}[${range}])`;
  const about = (part: string): MetricClass => classifyMetric(`${base}_${part}`, { labels, names });
  const counted: Derived | null = count && {
    ...about('count'), id: seriesText(`${base}_count`, labels), metric: `${base}_count`, labels,
    kind: 'histogram_count', values: counterRate(count, stepSeconds), valueless: null,
    unit: 'per_second', what: 'Rate of', made: 'rate', query: rate('count'),
    sources: [`${base}_count`],
  };
  const weight = count === null ? 0.5 : trafficWeight(count);
  // The histogram exists while it has a count, even without observations to give a mean.
  const valueless = count && {
    first: count.findIndex(Number.isFinite), last: count.findLastIndex(Number.isFinite),
  };
  const mean: Derived | null = sum && count && {
    ...about('sum'), id: `${seriesText(base, labels)} mean`, metric: base, labels, kind: 'gauge',
    values: meanOfObserved(sum, count), what: 'Mean of', made: 'mean', weight, valueless,
    sources: [`${base}_sum`, `${base}_count`], query: `${rate('sum')} / ${rate('count')}`,
  };
  const isReadable = buckets.length >= bucketsMin && buckets.length <= bucketsMax;
  const high: Derived | null = isReadable ? {
    ...about('bucket'), id: `${seriesText(base, labels)} p90`, metric: base,
    labels: { ...labels, quantile: String(quantile) }, kind: 'summary_quantile',
    values: bucketQuantile(buckets, quantile), unit: about('sum').unit, what: '90 % quantile of',
    made: 'quantile', weight, valueless, sources: [`${base}_bucket`, `${base}_count`],
    query: `histogram_quantile(${quantile}, ${rate('bucket')})`,
  } : null;
  return [counted, mean, high].filter((each) => each !== null);
}

/** A series as a selector, without labels whose names need quotes, which old servers refuse. */
export function seriesText(name: string, labels: LabelSet): string {
  return selector(name, exactMatchers(labels, Object.keys(labels).sort())) ?? name;
}

/** Four steps always hold enough samples for a rate. */
function rangeOf(stepSeconds: number): string {
  return `${Math.max(300, 4 * stepSeconds)}s`;
}
