import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { RangeSeries } from '../../sources/prometheus-answers.ts';
import { timeAt } from '../../sources/time-grid.ts';
import { valueChanges } from '../../statistics/value-changes.ts';
import {
  eventOf, objectOf, timeGivenBy, togetherMs, type EventContext, type FoundEvent,
} from './found-event.ts';

const restarts = 'kube_pod_container_status_restarts_total';
/** When what a component reports on started; its own process may be that of an exporter. */
const servers: ReadonlyMap<string, string> = new Map([
  ['pg_postmaster_start_time_seconds', 'PostgreSQL'], ['redis_start_time_seconds', 'Redis'],
]);
const boot = 'node_boot_time_seconds';
const starts: ReadonlySet<string> = new Set([
  'process_start_time_seconds', 'container_start_time_seconds', boot, ...servers.keys(),
]);
/** Counts kills in a container, also of a process whose end does not end the container. */
const containerKills = 'container_oom_events_total';
/** Counts kills on a machine, those in containers that reached their limit included. */
const nodeKills = 'node_vmstat_oom_kill';
const endReasons = 'kube_pod_container_status_last_terminated_reason';
/** Names of metrics that tell of restarts and kills. */
export const restartNames: ReadonlySet<string> = new Set([
  restarts, ...starts, containerKills, nodeKills, endReasons,
]);
/** The boot time is recomputed at each scrape and varies by a second. */
const bootJitterSeconds = 5;

/** Restarts of processes, containers and machines, and OOM kills, each told once. */
export function restartEvents(series: readonly RangeSeries[], context: EventContext): FoundEvent[] {
  const wasKilled = killsIn(series);
  return oncePerPod(series.flatMap((each) => eventsOf(each, context, wasKilled)));
}

function eventsOf(
  { labels, values }: RangeSeries,
  context: EventContext,
  wasKilled: WasKilled,
): FoundEvent[] {
  const name = labels['__name__'] ?? '';
  if (starts.has(name)) {
    const changes = valueChanges(values, bootJitterSeconds);
    return restartsAt(labels, changes.map((change) => timeGivenBy(change, context.grid)), context);
  }
  if (name !== restarts && name !== containerKills && name !== nodeKills) return [];
  const risen = valueChanges(values).filter(({ from, to }) => to > from).map(({ index }) => index);
  const timesMs = risen.map((index) => timeAt(context.grid, index));
  if (name !== restarts) return killsAt(labels, timesMs, context);
  return restartsAt(labels, timesMs, context).map((event, at) =>
    (wasKilled(labels, risen[at] ?? -1) ? asKilled(event) : event));
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

function asKilled(restart: FoundEvent): FoundEvent {
  return { ...restart, text: restart.text.replace(/restarted$/, killedAndRestarted) };
}

const killedAndRestarted = 'was OOM-killed and restarted';

/** None for the control groups above containers, which count the same kills again. */
function killsAt(
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

function restartsAt(
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
  const killed = byPod(events.filter(({ text }) => text.endsWith(killedAndRestarted)));
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
