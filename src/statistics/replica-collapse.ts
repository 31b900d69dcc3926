import type { LabelSet } from '../alert/labels.ts';
import { compareText } from '../lib/compare-text.ts';
import { groupBy } from '../lib/group-by.ts';
import { notableZ } from './strength.ts';

/** Labels that only tell one replica, or CPU, from another. */
export const replicaLabels: ReadonlySet<string> = new Set([
  'pod', 'pod_name', 'pod_ip', 'pod_uid', 'uid', 'instance', 'id', 'name', 'container_id',
  'exported_instance', 'exported_pod', 'kubernetes_pod_name', 'host', 'hostname', 'host_ip', 'node',
  'ip', 'image_id', 'service_instance_id', 'replica', 'endpoint_address', 'target',
  'cpu',
]);

/** These labels name replicas of containers, but parts of anything else, such as memory pools. */
const containerLabels: ReadonlySet<string> = new Set(['id', 'name']);

export function isReplicaLabel(label: string, metric: string): boolean {
  // A channel of RabbitMQ is named by its process, which lives as long as its client wants.
  if (label === 'channel' || label === 'connection') return metric.startsWith('rabbitmq_');
  return replicaLabels.has(label) &&
    (!containerLabels.has(label) || metric.startsWith('container_'));
}

/** Equal for series that measure the same thing on different replicas of a component. */
export function replicaKey(
  component: string,
  metric: string,
  labels: LabelSet,
): string {
  const others = Object.keys(labels)
    .filter((label) => label !== '__name__' && !isReplicaLabel(label, metric))
    .sort()
    .map((label) => `${label}\u0001${labels[label]}`);
  return [component, metric, ...others].join('\u0000');
}

/** What to call the series of one key: `CPUs` if they differ by `cpu`, else `replicas`. */
export function replicaWord(labels: LabelSet): string {
  return Object.hasOwn(labels, 'cpu') ? 'CPUs' : 'replicas';
}

export interface ReplicaGroup<T> {
  /** The series that stands for the group. */
  readonly representative: T;
  /** Number of series, and how many of them moved in the representative's direction. */
  readonly replicas: number;
  readonly moved: number;
}

interface Measured {
  readonly id: string;
  readonly z: number;
  readonly replicaKey: string;
}

/**
 * One line per group of replicas, in order of first appearance. When at least half moved in one
 * direction, the median mover represents the group ("10 of 12"). When only a few moved, they must
 * not be averaged away: the one that moved most represents it ("1 of 12").
 */
export function collapseReplicas<T extends Measured>(series: readonly T[]): ReplicaGroup<T>[] {
  return [...groupBy(series, (each) => each.replicaKey).values()].map(lineOf);
}

function lineOf<T extends Measured>(group: readonly [T, ...T[]]): ReplicaGroup<T> {
  const up = group.filter(({ z }) => z >= notableZ);
  const down = group.filter(({ z }) => z <= -notableZ);
  const movers = up.length >= down.length ? up : down;
  const many = 2 * movers.length >= group.length;
  const ranked = (movers.length === 0 ? group : movers).toSorted(
    (a, b) => Math.abs(b.z) - Math.abs(a.z) || compareText(a.id, b.id),
  );
  const place = many || movers.length === 0 ? Math.floor((ranked.length - 1) / 2) : 0;
  return {
    representative: ranked[place] ?? group[0], replicas: group.length, moved: movers.length,
  };
}
