/** How long each call or request takes, by whatever measures it, and whether that is longer. */
import { labelOf } from '../../../alert/labels.ts';
import { groupBy } from '../../../lib/group-by.ts';
import type { RangeAnswer } from '../../../sources/prometheus-answers.ts';
import type { TimeGrid } from '../../../sources/time-grid.ts';
import { classifyMetric } from '../../../statistics/names/metric-class.ts';
import { metricWords } from '../../../statistics/names/metric-words.ts';
import {
  blocksOf, isOver, lastStretch, ordinary, rateOf, risenMin, sumOf, type Counted, type Split,
} from './counting.ts';

type Series = RangeAnswer['series'][number];

/** How long each takes on average, where that is longer than before. */
export interface Slowing {
  /** The first point that is slow, and the last. */
  readonly from: number;
  readonly to: number;
  readonly seconds: number;
  readonly secondsBefore: number;
  /** How many there are per second, and were before. */
  readonly rate: number;
  readonly rateBefore: number;
  /** Time spent, in seconds per second, more than as many would have taken before. */
  readonly added: number;
}

/** What measures a time: its series, and how the time and the number of a part are counted. */
export interface Timer {
  readonly metric: string;
  readonly series: readonly Series[];
  /** The seconds that some of its series spent in each step, and on how many. */
  readonly of: (part: readonly Series[]) => { readonly sum: Counted; readonly count: Counted };
}

interface Counting {
  readonly grid: TimeGrid;
  readonly count: (series: readonly Series[]) => Counted;
  readonly keyOf: (series: Series) => string;
}

const timeWord = /seconds|duration|latency|time/u;
const millisecondsWord = /milliseconds|_millis(?:_|$)|_ms(?:_|$)/u;
/** Words of a name that say that a time is counted, or a number; what is left names what of. */
const countingWords: ReadonlySet<string> = new Set([
  'seconds', 'milliseconds', 'millis', 'ms', 'duration', 'latency', 'time', 'spent', 'total', 'sum',
  'count', 'number', 'calls',
]);
/** A gauge of a time is asked for if it has no more series. */
const gaugeSeriesMax = 60;

/** Whether a metric is a gauge of how long something takes. */
export function isTimeGauge(metric: string, count = 0): boolean {
  if (count > gaugeSeriesMax) return false;
  const { kind, signal } = classifyMetric(metric);
  return kind === 'gauge' && signal === 'latency' && timeWord.test(metric);
}

/** Whether a rule that reads these metrics is about how long something takes. */
export function areOfTime(metrics: readonly string[]): boolean {
  return metrics.some((metric) => {
    const { kind, signal } = classifyMetric(metric);
    return signal === 'latency' && kind !== 'histogram_count';
  });
}

/**
 * Everything among the series that measures a time: histograms and summaries by sum and count,
 * counters of time beside one of numbers, and gauges, which are weighed by what else is counted.
 */
export function timersOf(series: readonly Series[], counting: Counting): Timer[] {
  const byMetric = groupBy(series, ({ labels }) => labelOf(labels, '__name__') ?? '');
  const timed = [...byMetric].filter(([metric]) => timeWord.test(metric));
  const timers = timed.flatMap(([metric, group]): Timer[] => {
    const counts = countsFor(metric, byMetric);
    return counts === null ? [] : [timerOf(metric, group, { counts, ...counting })];
  });
  if (timers.length > 0) return timers;
  const numbers = [...byMetric].filter(([metric]) => /_(?:total|count)$/u.test(metric));
  return timed.filter(([metric]) => isTimeGauge(metric)).map(([metric, group]) =>
    gaugeOf(metric, group, { ...counting, numbers: numbers.map(([, each]) => each) }));
}

/** The series that count how many took the time of a metric; null if none do. */
function countsFor(
  metric: string,
  byMetric: ReadonlyMap<string, readonly Series[]>,
): readonly Series[] | null {
  if (metric.endsWith('_sum')) return byMetric.get(metric.replace(/_sum$/u, '_count')) ?? null;
  if (!/_(?:seconds|milliseconds|ms|time|duration)_total$/u.test(metric)) return null;
  const stem = stemOf(metric);
  const found = [...byMetric].filter(([other]) =>
    /_(?:total|count)$/u.test(other) && !timeWord.test(other) && stemOf(other) === stem);
  return found.length === 1 ? found[0]?.[1] ?? null : null;
}

function stemOf(metric: string): string {
  return metricWords(metric).split('_').filter((word) => !countingWords.has(word)).join('_');
}

function timerOf(
  metric: string,
  series: readonly Series[],
  { counts, count, keyOf }: Counting & { readonly counts: readonly Series[] },
): Timer {
  const byKey = groupBy(counts, keyOf);
  return {
    metric, series,
    of: (part) => ({
      sum: inSeconds(metric, count(part)),
      count: count([...new Set(part.map(keyOf))].flatMap((key) => byKey.get(key) ?? [])),
    }),
  };
}

/** As if each step had as many as are counted elsewhere, or one a second. */
function gaugeOf(
  metric: string,
  series: readonly Series[],
  { grid, numbers, count }: Counting & { readonly numbers: readonly (readonly Series[])[] },
): Timer {
  const [most] = numbers.map(count).sort((a, b) => sumOf(b, 0, Infinity) - sumOf(a, 0, Infinity));
  const gains = most?.gains ?? new Float64Array(grid.count).fill(grid.stepMs / 1000);
  const meanAt = (part: readonly Series[], index: number): number => {
    const values = part.map(({ values: each }) => each[index] ?? Number.NaN)
      .filter(Number.isFinite);
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  return {
    metric, series,
    of: (part) => {
      const isKnown = gains.map((_, index) => Number(Number.isFinite(meanAt(part, index))));
      const counts = gains.map((gain, index) => gain * (isKnown[index] ?? 0));
      const spent = counts.map((gain, index) => (gain === 0 ? 0 : gain * meanAt(part, index)));
      return {
        sum: inSeconds(metric, { grid, gains: spent }), count: { grid, gains: counts },
      };
    },
  };
}

function inSeconds(metric: string, counted: Counted): Counted {
  return millisecondsWord.test(metric)
    ? { ...counted, gains: counted.gains.map((gain) => gain / 1000) } : counted;
}

/** By itself, a time that is three times as long is no chance. */
const slowerMin = 3;
const addedSecondsMin = 0.02;
/** Where it is known that something is slow, what stands out from its own ordinary values is. */
const slowerMinKnown = 1.2;
const addedSecondsMinKnown = 0.005;
const deviationsMin = 4;
const deviationOfMedian = 1.4826;
/** From this share of the rise on, it has begun. */
const risenShare = 0.25;

/** Whether a time is so much longer that it is no chance, whatever else is known. */
export function isFarSlower({ seconds, secondsBefore }: Slowing): boolean {
  return seconds >= leastFar(secondsBefore);
}

function leastFar(secondsBefore: number): number {
  return Math.max(slowerMin * secondsBefore, secondsBefore + addedSecondsMin);
}

/**
 * Whether each takes longer than before, up to the last minutes; null if not, and where there was
 * none before to compare with. By itself that takes three times as long; if `isKnown`, longer than
 * the ordinary times before, as far as these vary.
 */
export function slowingOf(
  { sum, count }: { readonly sum: Counted; readonly count: Counted },
  split: Split,
  isKnown: boolean,
): Slowing | null {
  const meanOf = (first: number, last: number): number =>
    sumOf(sum, first, last) / sumOf(count, first, last);
  const blocks = blocksOf(split.before, meanOf);
  if (blocks.length === 0) return null;
  const secondsBefore = ordinary(blocks);
  const least = isKnown
    ? secondsBefore + Math.max((slowerMinKnown - 1) * secondsBefore,
      deviationsMin * deviationOf(blocks), addedSecondsMinKnown)
    : leastFar(secondsBefore);
  const hasAny = (index: number): boolean => (count.gains[index] ?? 0) > 0;
  const stretch = lastStretch((index) => hasAny(index) &&
    Math.min(meanOf(index, index), meanOf(index, index + 1)) > least, split,
  (index) => hasAny(index) && meanOf(index, index) <= least);
  const stepSeconds = sum.grid.stepMs / 1000;
  if (stretch === null || isOver(stretch, split, stepSeconds)) return null;
  const { last } = stretch;
  const risen = risenShare * (meanOf(stretch.first, last) - secondsBefore);
  let { first } = stretch;
  while (first < last && !(meanOf(first, first) - secondsBefore >= risen)) first += 1;
  const [times, seconds] = [sumOf(count, first, last), meanOf(first, last)];
  if (times < risenMin || seconds < least) return null;
  return {
    from: first, to: last, seconds, secondsBefore,
    rate: rateOf(count, first, last), rateBefore: rateOf(count, 1, split.before),
    added: times * (seconds - secondsBefore) / ((last - first + 1) * stepSeconds),
  };
}

/** The standard deviation of what is mostly ordinary, by the median of the distances. */
function deviationOf(values: readonly number[]): number {
  const median = (of: readonly number[]): number =>
    of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0;
  const middle = median(values);
  return deviationOfMedian * median(values.map((value) => Math.abs(value - middle)));
}
