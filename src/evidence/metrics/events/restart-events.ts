import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { groupBy } from '../../../lib/group-by.ts';
import { formatDuration } from '../../../lib/quantity.ts';
import type { RangeSeries } from '../../../sources/prometheus-answers.ts';
import { valueChanges, type ValueChange } from '../../../statistics/value-changes.ts';
import type { Component } from '../../metric-facts.ts';
import {
  eventOf, exporterOf, isOfExporter, timeOf, objectIn, timeGivenBy, togetherMs, type EventContext,
  type FoundEvent,
} from './found-event.ts';
import { startTimesIn, tellsStart } from './start-times.ts';

const restarts = 'kube_pod_container_status_restarts_total';
/** When what a component reports on started; its own process may be that of an exporter. */
const servers: ReadonlyMap<string, string> = new Map([
  ['pg_postmaster_start_time_seconds', 'PostgreSQL'], ['redis_start_time_seconds', 'Redis'],
]);
const process = 'process_start_time_seconds';
const boot = 'node_boot_time_seconds';
const container = 'container_start_time_seconds';
/** Counts kills in a container, also of a process whose end does not end the container. */
const containerKills = 'container_oom_events_total';
/** Counts kills on a machine, those in containers that reached their limit included. */
const nodeKills = 'node_vmstat_oom_kill';
const endReasons = 'kube_pod_container_status_last_terminated_reason';
const countedNames: ReadonlySet<string> = new Set([
  restarts, containerKills, nodeKills, endReasons,
]);

/** Whether a metric reports restarts or kills. */
export function showsRestarts(name: string): boolean {
  return countedNames.has(name) || tellsStart(name);
}

/** Whether a process tells when it started: no machine, and no server behind an exporter. */
export function isProcessStart(name: string): boolean {
  return tellsStart(name) && name !== boot && !servers.has(name);
}

/** The boot time is recomputed at each scrape and varies by a second. */
const bootJitterSeconds = 5;

/** A restart or kill that one series shows. */
interface Happening extends Omit<FoundEvent, 'text' | 'subject' | 'verb'> {
  /** "cart", "PostgreSQL of db-1:9187"; where a process was killed: "of cart", "on worker-1" */
  readonly whose: string;
  /** The start time moved by this many seconds without a restart; null for anything else. */
  readonly movedBy: number | null;
  /** The restart followed an OOM kill. */
  readonly wasKilled: boolean;
}

/** Restarts of processes, containers and machines, and OOM kills, each listed once. */
export function restartEvents(series: readonly RangeSeries[], context: EventContext): FoundEvent[] {
  const endedByKill = killsIn(series);
  const versions = series.map(({ labels }) => labels)
    .filter((labels) => isOfExporter(labels, series));
  const exporters = new Set(versions.flatMap((labels) =>
    [containerIn(labels), ...(isOfContainer(labels) ? [] : [targetIn(labels)])]));
  const counted = series.filter(({ labels }) => countedNames.has(labels['__name__'] ?? ''));
  const started = startTimesIn(series, context.grid, (name) => name === container);
  const all = [...started, ...counted].flatMap((each) => {
    const { labels } = each;
    const happened = happeningsIn(each, context, endedByKill);
    const own = labels['__name__'] === process ? targetIn(labels)
      : isOfContainer(labels) ? containerIn(labels) : null;
    return own !== null && exporters.has(own) ? happened.map(asOfExporter) : happened;
  });
  return oncePerPod(all).map(({ whose, movedBy, wasKilled, ...event }) => {
    if (movedBy !== null) {
      const text = `The start time of ${whose} moved by ${formatDuration(movedBy)} without a ` +
        'restart, as when a clock is set';
      const owners = series.filter(({ labels }) =>
        labels['__name__'] === event.labels['__name__'] &&
        context.componentOf(labels)?.value === event.component?.value).length;
      return {
        ...event, subject: whose, verb: 'clock_moved', text, owners, clockSeconds: movedBy,
      };
    }
    if (event.kind === 'event') {
      const text = `A process ${whose} was OOM-killed`;
      return { ...event, subject: whose, verb: 'killed', text };
    }
    return wasKilled
      ? {
        ...event, subject: whose, verb: 'killed_and_restarted', isKilled: true,
        text: `${whose} was OOM-killed and restarted`,
      }
      : { ...event, subject: whose, verb: 'restarted', text: `${whose} restarted` };
  });
}

/** Whether it reports one container; an exporter's other metrics report what it reports on. */
function isOfContainer(labels: LabelSet): boolean {
  return /^(?:kube_pod_)?container_/u.test(labels['__name__'] ?? '') &&
    labelOf(labels, 'container') !== null;
}

function targetIn(labels: LabelSet): string {
  return ['namespace', 'job', 'instance'].map((name) => labelOf(labels, name) ?? '').join('\0');
}

/** Unchanged for a component that is an exporter itself. */
function asOfExporter(happening: Happening): Happening {
  const whose = exporterOf(happening.whose);
  return whose === happening.whose ? happening : { ...happening, whose, isOfExporter: true };
}

/** Whether a container's last end, as of that point of the grid, was an OOM kill. */
type EndedByKill = (labels: LabelSet, index: number) => boolean;

/** Restarts are counted and explained by one exporter, so both are seen at the same point. */
function killsIn(series: readonly RangeSeries[]): EndedByKill {
  const kills = series.filter(({ labels }) =>
    labels['__name__'] === endReasons && labelOf(labels, 'reason') === 'OOMKilled');
  const byContainer = new Map(kills.map(({ labels, values }) => [containerIn(labels), values]));
  return (labels, index) => byContainer.get(containerIn(labels))?.[index] === 1;
}

function containerIn(labels: LabelSet): string {
  return ['namespace', 'pod', 'container'].map((name) => labelOf(labels, name) ?? '').join('\0');
}

function happeningsIn(
  { labels, values }: RangeSeries,
  context: EventContext,
  endedByKill: EndedByKill,
): Happening[] {
  const { grid, componentOf } = context;
  const name = labels['__name__'] ?? '';
  const component = componentOf(labels);
  if (tellsStart(name)) {
    const whose = restartedIn(labels, component);
    return valueChanges(values, bootJitterSeconds).map((change, place, all) => {
      const since = all[place - 1]?.index ?? values.findIndex(Number.isFinite);
      const moment = timeGivenBy(labels, change, context);
      // What says that it has just started has.
      const movedBy = moment.atMs === change.to * 1000 ? null
        : clockMovedBy(change, since, grid.stepMs / 1000);
      const event = eventOf(
        movedBy === null ? 'restart' : 'event', labels, { component, ...moment });
      return { ...event, whose, movedBy, wasKilled: false };
    });
  }
  const isRestart = name === restarts;
  const whose = isRestart ? restartedIn(labels, component) : killedIn(labels, component);
  if (whose === null) return [];
  return valueChanges(values).filter(({ from, to }) => to > from).map(({ index, to }) => ({
    ...eventOf(isRestart ? 'restart' : 'event', labels, {
      component, ...timeOf(labels, index, context, (value) => value >= to),
    }),
    whose, movedBy: null, wasKilled: isRestart && endedByKill(labels, index),
  }));
}

/**
 * By how many seconds a start time, known from point `since` on, moved though nothing restarted;
 * null for a restart. A process that lived on until then cannot have started less far apart.
 */
function clockMovedBy(
  { index, from, to }: ValueChange,
  since: number,
  stepSeconds: number,
): number | null {
  const livedSeconds = (index - 1 - since) * stepSeconds;
  return to - from < livedSeconds - 2 * stepSeconds ? to - from : null;
}

function restartedIn(labels: LabelSet, component: Component | null): string {
  const own = isBoot(labels) ? (labels['node'] ?? labels['instance'] ?? 'The node')
    : (component?.value ?? objectIn(labels) ?? 'A process');
  const server = servers.get(labels['__name__'] ?? '');
  return server === undefined ? own : `${server} of ${own}`;
}

/** Null for other metrics, and for control groups above containers, which count kills again. */
function killedIn(labels: LabelSet, component: Component | null): string | null {
  const name = labels['__name__'];
  if (name === nodeKills) return `on ${labels['node'] ?? labels['instance'] ?? 'the node'}`;
  const container = labelOf(labels, 'container') ?? labelOf(labels, 'name') ?? '';
  if (name !== containerKills || container === '') return null;
  return `of ${component?.value ?? container}`;
}

/**
 * A container's restart shows in metrics of the process and of the orchestrator. The process knows
 * the exact time, so the orchestrator's event of the same restart is dropped; whether it was killed
 * only the orchestrator knows. The kill itself is dropped where the restart reports it.
 */
function oncePerPod(all: readonly Happening[]): Happening[] {
  const byPod = (chosen: readonly Happening[]): HappeningsByPod =>
    groupBy(chosen, podOf);
  const isExact = ({ labels }: Happening): boolean =>
    tellsStart(labels['__name__'] ?? '') && !isBoot(labels);
  const isCounted = ({ labels }: Happening): boolean => labels['__name__'] === restarts;
  const exact = byPod(all.filter(isExact));
  const killed = byPod(all.filter(({ wasKilled }) => wasKilled));
  return all
    .filter((each) => !(isCounted(each) && isNearOneOf(exact, each)))
    .filter((each) => !(each.kind === 'event' && isNearOneOf(killed, each)))
    .map((each) => ({
      ...each, wasKilled: each.wasKilled || (isExact(each) && isNearOneOf(killed, each)),
    }));
}

type HappeningsByPod = ReadonlyMap<string | null, readonly Happening[]>;

/** Whether one of them happened to the same pod at about the same time. */
function isNearOneOf(happenings: HappeningsByPod, happening: Happening): boolean {
  const pod = podOf(happening);
  return pod !== null && happenings.get(pod)?.some(({ atMs }) =>
    Math.abs(happening.atMs - atMs) <= togetherMs) === true;
}

function isBoot(labels: LabelSet): boolean {
  return labels['__name__'] === boot;
}

/** Identifies a pod, or the exporter in it; null if the labels name none. */
function podOf({ labels, ...happening }: Happening): string | null {
  const pod = labelOf(labels, 'pod');
  return pod === null ? null
    : [labelOf(labels, 'namespace') ?? '', pod, happening.isOfExporter === true].join('\0');
}
