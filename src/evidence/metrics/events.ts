import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { compareText } from '../../lib/compare-text.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { RangeSeries, TimeGrid } from '../../sources/prometheus-answers.ts';
import { valueChanges, type ValueChange } from '../../statistics/series-life.ts';
import { workloadOfPod } from '../../statistics/names/workload-name.ts';
import type { Component, EventFact } from '../metric-facts.ts';
import { imagesApart } from '../shown-images.ts';
import { seriesText } from './derive.ts';
import type { NameCount } from './search-scope.ts';

/** An event without its evidence, with the query that shows it. */
export interface FoundEvent extends Omit<EventFact, 'evidence'> {
  readonly query: string;
  /** How many series show it. */
  readonly count: number;
}

const restarts = 'kube_pod_container_status_restarts_total';
/** When what a component reports on started; its own process may be that of an exporter. */
const servers: ReadonlyMap<string, string> = new Map([
  ['pg_postmaster_start_time_seconds', 'PostgreSQL'], ['redis_start_time_seconds', 'Redis'],
]);
const boot = 'node_boot_time_seconds';
const starts: ReadonlySet<string> = new Set([
  'process_start_time_seconds', 'container_start_time_seconds', boot, ...servers.keys(),
]);
const settings = new RegExp(
  '^kube_(deployment|statefulset|daemonset|replicaset)_(status_observed_generation|' +
  'metadata_generation|spec_replicas)$|^kube_configmap_metadata_resource_version$|' +
  '_config_last_reload_success_timestamp_seconds$|_config_hash$',
);
const versions = /^kube_pod_container_info$|_build_info$|^target_info$/;
/** Counts kills in a container, also of a process whose end does not end the container. */
const containerKills = 'container_oom_events_total';
/** Counts kills on a machine, those in containers that reached their limit included. */
const nodeKills = 'node_vmstat_oom_kill';
const endReasons = 'kube_pod_container_status_last_terminated_reason';
const named: ReadonlySet<string> = new Set([
  restarts, ...starts, containerKills, nodeKills, endReasons,
]);
const seriesMax = 600;
/** The boot time is recomputed at each scrape and varies by a second. */
const bootJitterSeconds = 5;

/** The metrics of a scope that show events, except those with too many series. */
export function eventNames(counts: readonly NameCount[]): NameCount[] {
  return counts
    .filter(({ name, count }) => count <= seriesMax &&
      (named.has(name) || settings.test(name) || versions.test(name)))
    .sort((a, b) => compareText(a.name, b.name));
}

interface EventContext {
  readonly grid: TimeGrid;
  readonly onMs: number;
  readonly componentOf: (labels: LabelSet) => Component | null;
}

const togetherMs = 5 * 60_000;
export const eventsMax = 8;

/** At most 8 events of the window, those nearest to the start of the problem, by time. */
export function findEvents(series: readonly RangeSeries[], context: EventContext): FoundEvent[] {
  const wasKilled = killsIn(series);
  const single = oncePerPod(series.flatMap((each) => eventsOf(each, context, wasKilled)));
  const all = merged([...single, ...versionEvents(series, context)]);
  const distance = ({ atMs }: FoundEvent): number => Math.abs(atMs - context.onMs);
  const weight = { version: 0, config: 1, restart: 1, event: 1 } as const;
  return all
    .sort((a, b) => weight[a.kind] - weight[b.kind] || distance(a) - distance(b) ||
      compareText(a.text, b.text))
    .slice(0, eventsMax)
    .sort((a, b) => a.atMs - b.atMs || compareText(a.text, b.text));
}

function eventsOf(
  { labels, values }: RangeSeries,
  context: EventContext,
  wasKilled: WasKilled,
): FoundEvent[] {
  const name = labels['__name__'] ?? '';
  const { grid } = context;
  const isKill = name === containerKills || name === nodeKills;
  if (name === restarts || isKill) {
    const risen = rises(values);
    const timesMs = risen.map((index) => timeOf(index, grid));
    if (isKill) return killEvents(labels, timesMs, context);
    return restartEvents(labels, timesMs, context).map((event, at) =>
      (wasKilled(labels, risen[at] ?? -1) ? asKilled(event) : event));
  }
  if (starts.has(name)) {
    return restartEvents(labels, valueChanges(values, bootJitterSeconds).map(({ index, to }) => {
      // The value is the exact time, unless a clock is wrong; the grid is late by up to a step.
      const seenMs = timeOf(index, grid);
      return Math.abs(seenMs - to * 1000) <= 2 * grid.stepMs ? to * 1000 : seenMs;
    }), context);
  }
  return settings.test(name) ? settingEvents(labels, valueChanges(values), context) : [];
}

/** Whether a container's last end, as of that point of the grid, was an OOM kill. */
type WasKilled = (labels: LabelSet, index: number) => boolean;

/** Restarts are counted and explained by one exporter, so both are seen at the same point. */
function killsIn(series: readonly RangeSeries[]): WasKilled {
  const kills = series.filter(({ labels }) =>
    labels['__name__'] === endReasons && labelOf(labels, 'reason') === 'OOMKilled');
  const byContainer = new Map(kills.map(({ labels, values }) => [containerIn(labels), values]));
  return (labels, index) => byContainer.get(containerIn(labels))?.[index] === 1;
}

function containerIn(labels: LabelSet): string {
  return ['namespace', 'pod', 'container'].map((name) => labelOf(labels, name) ?? '').join('\0');
}

function settingEvents(
  labels: LabelSet,
  changes: readonly ValueChange[],
  { grid, componentOf }: EventContext,
): FoundEvent[] {
  if (changes.length === 0) return [];
  const name = labels['__name__'] ?? '';
  const isTime = /_seconds$|_hash$|_version$/.test(name);
  const component = componentOf(labels);
  const object = objectOf(labels) ?? component?.value ?? name;
  return changes.map(({ index, from, to }) => {
    const event = eventOf('config', labels, { component, atMs: timeOf(index, grid) });
    return isTime ? { ...event, text: `The configuration of ${object} was reloaded` } : {
      ...event, text: settingText(name, object, from, to), before: String(from), after: String(to),
    };
  });
}

/** The points at which a counter has risen. */
function rises(values: Float64Array): number[] {
  return valueChanges(values).filter(({ from, to }) => to > from).map(({ index }) => index);
}

function asKilled(restart: FoundEvent): FoundEvent {
  return { ...restart, text: restart.text.replace(/restarted$/, killedAndRestarted) };
}

const killedAndRestarted = 'was OOM-killed and restarted';

function isKilled({ text }: FoundEvent): boolean {
  return text.endsWith(killedAndRestarted);
}

/** None for the control groups above containers, which count the same kills again. */
function killEvents(
  labels: LabelSet,
  timesMs: readonly number[],
  { componentOf }: EventContext,
): FoundEvent[] {
  const isOfNode = labels['__name__'] === nodeKills;
  const container = labelOf(labels, 'container') ?? labelOf(labels, 'name') ?? '';
  if (timesMs.length === 0 || (!isOfNode && container === '')) return [];
  const component = componentOf(labels);
  const text = isOfNode
    ? `A process on ${labels['node'] ?? labels['instance'] ?? 'the node'} was OOM-killed`
    : `A process of ${component?.value ?? container} was OOM-killed`;
  return timesMs.map((atMs) => ({ ...eventOf('event', labels, { component, atMs }), text }));
}

function restartEvents(
  labels: LabelSet,
  timesMs: readonly number[],
  { componentOf }: EventContext,
): FoundEvent[] {
  if (timesMs.length === 0) return [];
  const component = componentOf(labels);
  const own = isBoot(labels) ? (labels['node'] ?? labels['instance'] ?? 'The node')
    : (component?.value ?? objectOf(labels) ?? 'A process');
  const server = servers.get(labels['__name__'] ?? '');
  const text = `${server === undefined ? own : `${server} of ${own}`} restarted`;
  return timesMs.map((atMs) => ({ ...eventOf('restart', labels, { component, atMs }), text }));
}

/**
 * A container's restart shows in metrics of the process and of the orchestrator. The process knows
 * the exact time, so the orchestrator's event of the same restart is dropped; whether it was killed
 * only the orchestrator knows. The kill itself is dropped where the restart tells of it.
 */
function oncePerPod(events: readonly FoundEvent[]): FoundEvent[] {
  const byPod = (chosen: readonly FoundEvent[]): EventsByPod =>
    groupBy(chosen, ({ labels }) => podOf(labels));
  const isExact = ({ labels }: FoundEvent): boolean =>
    starts.has(labels['__name__'] ?? '') && !isBoot(labels);
  const isCounted = ({ labels }: FoundEvent): boolean => labels['__name__'] === restarts;
  const exact = byPod(events.filter(isExact));
  const killed = byPod(events.filter(isKilled));
  return events
    .filter((event) => !(isCounted(event) && isNearOneOf(exact, event)))
    .filter((event) => !(event.kind === 'event' && isNearOneOf(killed, event)))
    .map((event) => (isExact(event) && isNearOneOf(killed, event) ? asKilled(event) : event));
}

type EventsByPod = ReadonlyMap<string | null, readonly FoundEvent[]>;

/** Whether one of them happened to the same pod at about the same time. */
function isNearOneOf(events: EventsByPod, { labels, atMs }: FoundEvent): boolean {
  const pod = podOf(labels);
  if (pod === null) return false;
  return events.get(pod)?.some((other) => Math.abs(atMs - other.atMs) <= togetherMs) === true;
}

function isBoot(labels: LabelSet): boolean {
  return labels['__name__'] === boot;
}

/** Identifies a pod; null if the labels name none. */
function podOf(labels: LabelSet): string | null {
  const pod = labelOf(labels, 'pod');
  return pod === null ? null : `${labelOf(labels, 'namespace') ?? ''}\u0000${pod}`;
}

function settingText(name: string, object: string, from: number, to: number): string {
  const change = `from ${from} to ${to}`;
  if (name.endsWith('_spec_replicas')) return `${object} was scaled ${change} replicas`;
  if (name.endsWith('_generation')) return `${object} was changed (generation ${from} to ${to})`;
  return `The configuration of ${object} changed ${change}`;
}

/** The object that the labels name, rather than the exporter. */
function objectOf(labels: LabelSet): string | null {
  for (const name of ['deployment', 'statefulset', 'daemonset', 'replicaset', 'configmap']) {
    const value = labelOf(labels, name);
    if (value !== null) return value;
  }
  const pod = labelOf(labels, 'pod');
  return pod === null ? labelOf(labels, 'instance') : workloadOfPod(pod);
}

function timeOf(index: number, { startMs, stepMs }: TimeGrid): number {
  return startMs + index * stepMs;
}

/** An event that one series shows. */
function eventOf(
  kind: FoundEvent['kind'],
  labels: LabelSet,
  { component, atMs }: Pick<FoundEvent, 'component' | 'atMs'>,
): Omit<FoundEvent, 'text'> {
  const { __name__: name = '', ...others } = labels;
  const query = seriesText(name, others);
  return { kind, atMs, component, labels, count: 1, before: null, after: null, query };
}

interface VersionSighting {
  readonly version: string;
  readonly index: number;
  readonly labels: LabelSet;
  count: number;
}

/**
 * Changes of a workload's image or version. Pods with the same image come and go, so only the first
 * sighting of each version counts.
 */
function versionEvents(series: readonly RangeSeries[], context: EventContext): FoundEvent[] {
  const workloads = new Map<string, Map<string, VersionSighting>>();
  for (const { labels, values } of series) {
    const said = versionOf(labels);
    const index = values.findIndex(Number.isFinite);
    if (said === null || index < 0) continue;
    const known = workloads.get(said.key) ?? new Map<string, VersionSighting>();
    workloads.set(said.key, known);
    const earlier = known.get(said.version);
    if (earlier === undefined || index < earlier.index) {
      const count = (earlier?.count ?? 0) + 1;
      known.set(said.version, { version: said.version, index, labels, count });
    } else earlier.count += 1;
  }
  return [...workloads.values()].flatMap((sightings) => successions(sightings, context));
}

function successions(
  sightings: ReadonlyMap<string, VersionSighting>,
  context: EventContext,
): FoundEvent[] {
  const ordered = [...sightings.values()].sort((a, b) =>
    a.index - b.index || compareText(a.version, b.version));
  return ordered.slice(1).flatMap((next, place) => {
    const previous = ordered[place];
    if (previous === undefined || next.index <= previous.index) return [];
    const { labels } = next;
    const component = context.componentOf(labels);
    const name = component?.value ?? objectOf(labels) ?? labels['container'] ?? 'a component';
    const [before, after] = imagesApart(previous.version, next.version);
    const what = labels['__name__'] === 'kube_pod_container_info' ? 'image' : 'version';
    return [{
      ...eventOf('version', labels, { component, atMs: timeOf(next.index, context.grid) }),
      count: next.count, text: `The ${what} of ${name} changed from ${before} to ${after}`,
      before, after,
    }];
  });
}

function versionOf(labels: LabelSet): { key: string; version: string } | null {
  const name = labels['__name__'] ?? '';
  if (!versions.test(name)) return null;
  const isImage = name === 'kube_pod_container_info';
  const version = isImage ? (labelOf(labels, 'image_spec') ?? labelOf(labels, 'image'))
    : (labelOf(labels, 'version') ?? labelOf(labels, 'service_version') ??
      labelOf(labels, 'revision'));
  if (version === null || version === '') return null;
  const pod = labelOf(labels, 'pod');
  const owner = pod === null ? (labelOf(labels, 'instance') ?? '') : workloadOfPod(pod);
  const place = ['namespace', 'job', 'container'].map((label) => labelOf(labels, label) ?? '');
  return { key: [name, owner, ...place].join('\u0000'), version };
}

interface Group {
  readonly first: FoundEvent;
  readonly objects: Set<string>;
  lastMs: number;
}

/** Merges the same event of many replicas or several metrics into one, at its first time. */
function merged(events: readonly FoundEvent[]): FoundEvent[] {
  const groups: Group[] = [];
  const latest = new Map<string, Group>();
  const ordered = events.toSorted((a, b) =>
    a.atMs - b.atMs || compareText(a.text, b.text) || compareText(a.query, b.query));
  for (const event of ordered) {
    const object = event.labels['pod'] ?? event.labels['instance'] ?? '';
    const group = latest.get(event.text);
    if (group !== undefined && event.atMs - group.lastMs <= togetherMs) {
      group.lastMs = event.atMs;
      group.objects.add(object);
    } else {
      const next = { first: event, objects: new Set([object]), lastMs: event.atMs };
      groups.push(next);
      latest.set(event.text, next);
    }
  }
  return groups.map(({ first, objects }) => {
    const count = Math.max(first.count, objects.size);
    const isMany = (first.kind === 'restart' || first.kind === 'event') && count > 1;
    return { ...first, count, text: isMany ? `${first.text} (${count} instances)` : first.text };
  });
}
