/** What piles up where something is too slow, by whatever it is counted: who waits for a turn. */
import { labelOf } from '../../../alert/labels.ts';
import { groupBy } from '../../../lib/group-by.ts';
import type { HopFault } from '../../../report/path.ts';
import type { RangeAnswer } from '../../../sources/prometheus-answers.ts';
import { classifyMetric } from '../../../statistics/names/metric-class.ts';
import { metricWords, words } from '../../../statistics/names/metric-words.ts';
import { holders, stretchOf, sumAt, timesOf, type Context } from './short-list.ts';

type Series = RangeAnswer['series'][number];

const waitingWords = words('waiting waiters pending blocked backlog queued queue threads_running ' +
  'currentqueue');
/** Words of numbers that are no amount of those who wait now. */
const otherWords = words('total count sum bucket max maximum limit capacity length_max seconds ' +
  'bytes ratio time');
/** Messages that are stored for later are no requests that wait. */
const storedFor: ReadonlySet<string> = new Set([
  'queue', 'topic', 'stream', 'subscription', 'consumergroup', 'vhost',
]);
/** A gauge with more series counts something for each of many. */
const seriesMax = 60;

/** Matches the metrics that may count who waits, where their names are not known; anchored. */
export const waitingMetrics =
  '.*(waiting|waiters|pending|blocked|backlog|queued|[qQ]ueue|threads_running).*';

/** Whether a metric with so many series counts who waits. */
export function isWaiting(metric: string, count = 0): boolean {
  if (count > seriesMax) return false;
  const plain = metricWords(metric);
  return waitingWords.test(plain) && !otherWords.test(plain) &&
    classifyMetric(metric).kind === 'gauge';
}

const faultsMax = 2;
/** Fewer wait now and then anywhere. */
const leastMin = 5;
const timesMin = 2;
/** Ordinary values are no higher than this share of those before. */
const usualShare = 0.9;

/** The metrics by which far more wait than before the split, most first. */
export function waitFaults(all: readonly Series[], context: Context): HopFault[] {
  const counting = all.filter(({ labels }) =>
    isWaiting(labelOf(labels, '__name__') ?? '') &&
    Object.keys(labels).every((name) => !storedFor.has(name)));
  const byMetric = groupBy(counting, ({ labels }) => labelOf(labels, '__name__') ?? '');
  return [...byMetric].filter(([, group]) => group.length <= seriesMax)
    .flatMap(([metric, group]): HopFault[] => {
      const usual = usualOf(group, context);
      if (usual === null) return [];
      const least = Math.max(leastMin, timesMin * usual + 1);
      const span = stretchOf((index) => sumAt(group, index) >= least, context);
      if (span === null) return [];
      return [{
        kind: 'waiting', seen_by: 'itself', what: null, metric,
        labels: holders(group, { first: context.split.before, last: span.last }, context),
        value: sumAt(group, span.last), before: usual, limit: null, ...timesOf(span, context),
      }];
    })
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0)).slice(0, faultsMax);
}

/** How many waited before, at the worst of ordinary times; null if that is not known. */
function usualOf(group: readonly Series[], { split }: Context): number | null {
  const sums = Array.from({ length: split.before + 1 }, (_, index) => index)
    .filter((index) => group.some(({ values }) => Number.isFinite(values[index])))
    .map((index) => sumAt(group, index)).sort((a, b) => a - b);
  return sums[Math.floor(usualShare * (sums.length - 1))] ?? null;
}
