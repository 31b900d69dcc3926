import type {
  ClusterEvent, Container, Ended, Pod,
} from '../../sources/kubernetes/cluster-objects.ts';
import type { ContainerLog } from '../../sources/kubernetes/kubernetes.ts';
import type { ClusterWindow } from './cluster-answers.ts';
import { longBeforeMs } from './kubernetes-facts.ts';

/** Kubernetes waits before it starts a container again that ends soon after each start. */
export const crashLoop = 'CrashLoopBackOff';

/** How a container ended the last time, where that was in the window and not as it should. */
export function endOf(container: Container, { fromMs }: ClusterWindow): Ended | null {
  const ended = container.ended ?? container.lastEnded;
  if (ended === null || ended.atMs === null) return null;
  // What has done its work is not started again.
  if (ended.reason === 'Completed' && container.waiting?.reason !== crashLoop) return null;
  return ended.atMs >= fromMs ? ended : null;
}

export function isReady({ conditions }: Pod): boolean {
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

/** When a pod that has ended did so, as far as anything tells; at least when it was made. */
export function goneAt(pod: Pod, events: readonly ClusterEvent[]): number | null {
  const told = [
    ...pod.containers.map(({ ended }) => ended?.atMs ?? null),
    ...pod.conditions.map(({ sinceMs }) => sinceMs),
    ...events.filter(({ about, reason }) => about.name === pod.name && reason === pod.reason)
      .map(({ lastMs }) => lastMs),
  ].filter((ms) => ms !== null);
  return told.length === 0 ? pod.createdMs : Math.max(...told);
}

/**
 * Whose log is to be read: the container's that ended last of all, or of that name where it did; of
 * one that is not ready where none did lately. Null where neither is.
 */
export function telltaleLog(
  pods: readonly Pod[],
  named: string | null,
  window: ClusterWindow,
): Omit<ContainerLog, 'namespace'> | null {
  const all = pods.flatMap((pod) => pod.containers.flatMap((container) => {
    const ended = endOf(container, window);
    const isNamed = Number(container.name === named);
    return ended === null ? [] : [{ pod, container, isNamed, atMs: ended.atMs ?? 0 }];
  }));
  const [last] = all.sort((a, b) => b.isNamed - a.isNamed || b.atMs - a.atMs);
  if (last === undefined) return unreadyRunning(pods);
  const { pod, container, atMs } = last;
  const running = atMs < window.startMs - longBeforeMs ? unreadyRunning(pods) : null;
  return running ?? {
    pod: pod.name, container: container.name, isPrevious: container.ended === null,
  };
}

function unreadyRunning(pods: readonly Pod[]): Omit<ContainerLog, 'namespace'> | null {
  const [first] = pods.flatMap((pod) => pod.containers.flatMap((container) => {
    const { isReady, isInit, waiting, ended } = container;
    const isRunning = waiting === null && ended === null;
    // What is being started, or deleted, is not ready yet, or any more.
    return isReady || isInit || !isRunning || pod.isBeingDeleted || pod.phase !== 'Running' ? []
      : [{ pod: pod.name, container: container.name, isPrevious: false }];
  }));
  return first ?? null;
}
