import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { groupBy } from '../../../lib/group-by.ts';
import { workloadOfPod } from '../../../statistics/names/workload-name.ts';
import { hostOf } from '../../named-in-labels.ts';
import { machineLabels } from '../../place.ts';
import { togetherMs, type FoundEvent } from './found-event.ts';
import { processIn } from './process-starts.ts';
import { isProcessStart } from './restart-events.ts';

/** A release replaces the process and loads a configuration within this time. */
const replacedMs = 60_000;

/**
 * A release shows as a new version, as a new image, as a new generation of the workload, as a
 * restart and as a configuration that was loaded. All of one are joined into the event that says
 * most, at the earliest of their times.
 */
export function joinReleases(events: readonly FoundEvent[]): FoundEvent[] {
  const byPlace = groupBy(
    events.filter(({ kind }) => kind === 'version' || kind === 'config')
      .flatMap((event) => placesOf(event).map((place) => ({ event, place }))),
    ({ place }) => place);
  const partsOf = new Map<FoundEvent, FoundEvent[]>();
  const joined = new Set<FoundEvent>();
  for (const part of events) {
    const whole = placesOf(part).flatMap((place) => byPlace.get(place) ?? [])
      .find(({ event }) => isPartOf(part, event))?.event;
    if (whole === undefined) continue;
    joined.add(part);
    partsOf.set(whole, [...(partsOf.get(whole) ?? []), part]);
  }
  const signsOf = (event: FoundEvent): FoundEvent[] =>
    [event, ...(partsOf.get(event) ?? []).flatMap(signsOf)];
  return events.filter((event) => !joined.has(event)).map((event) => {
    const [first] = signsOf(event).sort((a, b) => a.atMs - b.atMs);
    if (first === undefined || first === event) return event;
    const { sinceMs: _, ...rest } = event;
    const { atMs, sinceMs } = first;
    return { ...rest, atMs, ...(sinceMs !== undefined && { sinceMs }) };
  }).map(withRestarted(events));
}

/**
 * A version that another thing of the machine tells, such as its collector, came with the restart
 * of what runs there.
 */
function withRestarted(all: readonly FoundEvent[]): (event: FoundEvent) => FoundEvent {
  const restarts = groupBy(all.filter((event) => isStart(event) && machineIn(event) !== null),
    machineIn);
  return (event) => {
    if (event.kind !== 'version' || event.component === null) return event;
    const others = (restarts.get(machineIn(event)) ?? []).filter((restart) =>
      processIn(restart.labels) !== processIn(event.labels) &&
      Math.abs(restart.atMs - event.atMs) <= replacedMs);
    const restarted = new Set(others.flatMap(({ component }) => component?.value ?? [])
      .filter((name) => name !== event.component?.value));
    return restarted.size === 0 ? event : { ...event, restarted: [...restarted].sort() };
  };
}

function isStart({ kind, isOfExporter, labels }: FoundEvent): boolean {
  return kind === 'restart' && isOfExporter !== true &&
    isProcessStart(labelOf(labels, '__name__') ?? '');
}

function machineIn({ labels }: FoundEvent): string | null {
  if (labelOf(labels, 'pod') !== null) return null;
  return machineLabels.map((name) => labelOf(labels, name)).find((value) => value !== null) ??
    hostOf({ instance: labelOf(labels, 'instance') ?? '' });
}

/** By which the signs of one release find each other. */
function placesOf({ labels }: FoundEvent): string[] {
  const workload = workloadIn(labels);
  return [`process ${processIn(labels)}`, ...(workload === null ? [] : [`workload ${workload}`])];
}

/** Whether the first is only another sign of the second. */
function isPartOf(part: FoundEvent, whole: FoundEvent): boolean {
  if (orderOf(whole) === 0 || orderOf(part) <= orderOf(whole)) return false;
  if (part.isOfExporter !== whole.isOfExporter) return false;
  const fromMs = Math.min(whole.sinceMs ?? whole.atMs, whole.atMs);
  if (isOfOneWorkload(part, whole)) {
    return part.kind !== 'restart' && Math.abs(part.atMs - whole.atMs) <= togetherMs;
  }
  // A pod's new version comes with a new pod; one that restarts does so for a reason of its own.
  return labelOf(part.labels, 'pod') === null && isOfTarget(part.labels) &&
    processIn(part.labels) === processIn(whole.labels) &&
    part.atMs >= fromMs - replacedMs && part.atMs <= whole.atMs + replacedMs;
}

/** What says more comes first; nothing is part of a scaling, nor of what is no release. */
function orderOf({ kind, labels, isKilled }: FoundEvent): number {
  const name = labelOf(labels, '__name__') ?? '';
  if (kind === 'event' || isKilled === true || name.endsWith('_spec_replicas')) return 0;
  if (kind === 'version') return name === 'kube_pod_container_info' ? 2 : 1;
  if (kind === 'restart') return isProcessStart(name) ? 4 : 0;
  return 3;
}

function isOfTarget(labels: LabelSet): boolean {
  return labelOf(labels, 'instance') !== null;
}

function isOfOneWorkload(a: FoundEvent, b: FoundEvent): boolean {
  const [one, other] = [workloadIn(a.labels), workloadIn(b.labels)];
  if (one === null || one !== other) return false;
  // Two images belong to two containers.
  const [inA, inB] = [labelOf(a.labels, 'container'), labelOf(b.labels, 'container')];
  return inA === null || inB === null || inA === inB;
}

function workloadIn(labels: LabelSet): string | null {
  const pod = labelOf(labels, 'pod');
  const name = pod === null
    ? labelOf(labels, 'deployment') ?? labelOf(labels, 'statefulset') ??
      labelOf(labels, 'daemonset')
    : workloadOfPod(pod);
  return name === null ? null : `${labelOf(labels, 'namespace') ?? ''}\0${name}`;
}
