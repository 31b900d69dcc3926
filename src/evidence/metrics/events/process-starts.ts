import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { groupBy } from '../../../lib/group-by.ts';
import type { RangeSeries } from '../../../sources/prometheus-answers.ts';

const startNames: ReadonlySet<string> = new Set([
  'process_start_time_seconds', 'container_start_time_seconds',
]);

/** When the process behind some labels started, in ms, as of a point of the grid; null: unknown. */
export type StartOf = (labels: LabelSet, index: number) => number | null;

/** Looks up when processes started, by pod or else by target. */
export function startsOf(series: readonly RangeSeries[]): StartOf {
  const starts = groupBy(
    series.filter(({ labels }) => startNames.has(labels['__name__'] ?? '')),
    ({ labels }) => processIn(labels));
  return (labels, index) => {
    const known = (starts.get(processIn(labels)) ?? []).flatMap(({ values }) =>
      values.subarray(index, index + pointsLate).find(Number.isFinite) ?? []);
    return known.length === 0 ? null : 1000 * Math.max(...known);
  };
}

/** Other metrics of a target may show this many points later. */
const pointsLate = 2;

/** A pod, or a target that is in none. */
export function processIn(labels: LabelSet): string {
  const pod = labelOf(labels, 'pod');
  const names = pod === null ? ['namespace', 'job', 'instance'] : ['namespace', 'pod'];
  return names.map((name) => labelOf(labels, name) ?? '').join('\0');
}
