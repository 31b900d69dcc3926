import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { timeAt, type TimeGrid } from '../../../sources/time-grid.ts';
import { workloadOfPod } from '../../../statistics/names/workload-name.ts';
import type { ValueChange } from '../../../statistics/value-changes.ts';
import type { Component, EventFact } from '../../metric-facts.ts';
import { seriesText } from '../search/derive.ts';

/** An event without its evidence, with the query that shows it. */
export interface FoundEvent extends Omit<EventFact, 'evidence'> {
  readonly query: string;
  /** How many series show it. */
  readonly count: number;
  /** Of how many instances it is known; absent where an event is not told by instance. */
  readonly owners?: number;
}

/** Sightings of one event in several series may be this far apart. */
export const togetherMs: number = 5 * 60_000;

export interface EventContext {
  readonly grid: TimeGrid;
  readonly onMs: number;
  readonly componentOf: (labels: LabelSet) => Component | null;
}

/** An event that one series shows. */
export function eventOf(
  kind: FoundEvent['kind'],
  labels: LabelSet,
  { component, atMs }: Pick<FoundEvent, 'component' | 'atMs'>,
): Omit<FoundEvent, 'text'> {
  const { __name__: name = '', ...others } = labels;
  const query = seriesText(name, others);
  return { kind, atMs, component, labels, count: 1, before: null, after: null, query };
}

/**
 * Whether the series is the version of an exporter, or the image of one beside what it reports on:
 * neither is that of what it reports on. JMX is left out, since it mostly runs inside of it.
 */
export function isOfExporter(
  labels: LabelSet,
  series: readonly { readonly labels: LabelSet }[],
): boolean {
  const isExporter = (of: LabelSet): boolean => /exporter/iu.test(labelOf(of, 'container') ?? '');
  const name = labels['__name__'] ?? '';
  if (name !== 'kube_pod_container_info') return /^(?!jmx_).*exporter_build_info$/u.test(name);
  const ofPod = ['__name__', 'namespace', 'pod'];
  return isExporter(labels) && series.some(({ labels: other }) => !isExporter(other) &&
    ofPod.every((each) => labelOf(other, each) === labelOf(labels, each)));
}

/** What happens to the exporter that reports on a component happens to "redis exporter". */
export function exporterOf(component: string): string {
  return /exporter/iu.test(component) ? component : `${component} exporter`;
}

/** The object that the labels name, rather than the exporter. */
export function objectOf(labels: LabelSet): string | null {
  for (const name of ['deployment', 'statefulset', 'daemonset', 'replicaset', 'configmap']) {
    const value = labelOf(labels, name);
    if (value !== null) return value;
  }
  const pod = labelOf(labels, 'pod');
  return pod === null ? labelOf(labels, 'instance') : workloadOfPod(pod);
}

/**
 * The time of a change, in ms, whose new value is itself a time in seconds. The value is exact
 * unless a clock is wrong; the grid is up to a step late.
 */
export function timeGivenBy({ index, to }: ValueChange, grid: TimeGrid): number {
  const seenMs = timeAt(grid, index);
  return Math.abs(seenMs - to * 1000) <= 2 * grid.stepMs ? to * 1000 : seenMs;
}
