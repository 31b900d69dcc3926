import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import type { RawSeries } from '../../../sources/prometheus-answers.ts';
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
  /** The pods or instances that it happened to; several where one series stands for them. */
  readonly targets?: readonly string[];
  /** What restarted had been killed, which is no part of a release. */
  readonly isKilled?: boolean;
  /** How many instances it is known of; absent where events are not distinguished by instance. */
  readonly owners?: number;
}

/** When something happened: between two looks at it, in ms. */
export interface EventTime {
  /** When it was first seen to have happened. */
  readonly atMs: number;
  /** When it was last seen not to have happened; absent where `atMs` is exact. */
  readonly sinceMs?: number;
}

/** Sightings of one event in several series may be this far apart. */
export const togetherMs: number = 5 * 60_000;

export interface EventContext {
  readonly grid: TimeGrid;
  readonly onMs: number;
  readonly componentOf: (labels: LabelSet) => Component | null;
  /** The samples of a series around the problem as they were scraped; undefined if unknown. */
  readonly rawOf?: (labels: LabelSet) => RawSeries | undefined;
}

/** When the series first had such a value, which the grid first shows at this point. */
export function timeOf(
  labels: LabelSet,
  index: number,
  { grid, rawOf }: EventContext,
  isSuch: (value: number) => boolean = () => true,
): EventTime {
  const seen = { atMs: timeAt(grid, index), sinceMs: timeAt(grid, index - 1) };
  const raw = rawOf?.(labels);
  const first = raw?.timesMs.findIndex((ms, at) =>
    ms > seen.sinceMs && ms <= seen.atMs && isSuch(raw.values[at] ?? Number.NaN)) ?? -1;
  const atMs = raw?.timesMs[first];
  if (atMs === undefined) return seen;
  return { atMs, sinceMs: raw?.timesMs[first - 1] ?? seen.sinceMs };
}

/** An event that one series shows. */
export function eventOf(
  kind: FoundEvent['kind'],
  labels: LabelSet,
  { component, ...moment }: Pick<FoundEvent, 'component'> & EventTime,
): Omit<FoundEvent, 'text' | 'subject' | 'verb'> {
  const { __name__: name = '', ...others } = labels;
  const query = seriesText(name, others);
  return { kind, ...moment, component, labels, count: 1, before: null, after: null, query };
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
export function objectIn(labels: LabelSet): string | null {
  for (const name of ['deployment', 'statefulset', 'daemonset', 'replicaset', 'configmap']) {
    const value = labelOf(labels, name);
    if (value !== null) return value;
  }
  const pod = labelOf(labels, 'pod');
  return pod === null ? labelOf(labels, 'instance') : workloadOfPod(pod);
}

/**
 * The time of a change whose new value is itself a time in seconds. The value is exact unless a
 * clock is wrong.
 */
export function timeGivenBy(
  labels: LabelSet,
  change: ValueChange,
  context: EventContext,
): EventTime {
  const { index, to } = change;
  const { grid } = context;
  return Math.abs(timeAt(grid, index) - to * 1000) <= 2 * grid.stepMs ? { atMs: to * 1000 }
    : timeOf(labels, index, context, (value) => value === to);
}
