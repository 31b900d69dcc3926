import type {
  ClusterEvent, Container, Ended, Pod,
} from '../../sources/kubernetes/cluster-objects.ts';
import type { ContainerLog } from '../../sources/kubernetes/kubernetes.ts';
import type { ClusterWindow } from './cluster-answers.ts';
import { signBeforeMs } from './kubernetes-facts.ts';

/** The reason of a container that waits between restarts in a crash loop. */
export const crashLoop = 'CrashLoopBackOff';

/** How a container last ended, if that was in the window and not a normal completion. */
export function lastEndOf(container: Container, { fromMs }: ClusterWindow): Ended | null {
  const ended = container.ended ?? container.lastEnded;
  if (ended === null || ended.atMs === null) return null;
  // A container that completed its work is not restarted.
  if (ended.reason === 'Completed' && container.waiting?.reason !== crashLoop) return null;
  return ended.atMs >= fromMs ? ended : null;
}

export function isReady({ conditions }: Pod): boolean {
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

/** A pod that starts normally is through with each step within this time. */
const startMs = 5 * 60_000;

/** Whether it has been running for longer than a start takes. */
export function isLong({ runningSinceMs }: Container, { toMs }: ClusterWindow): boolean {
  return runningSinceMs !== null && toMs - runningSinceMs >= startMs;
}

/** When a pod ended, by the latest sign of it; when it was created if there is none. */
export function goneAt(pod: Pod, events: readonly ClusterEvent[]): number | null {
  const troubles = [
    ...pod.containers.map(({ ended }) => ended?.atMs ?? null),
    ...pod.conditions.map(({ sinceMs }) => sinceMs),
    ...events.filter(({ about, reason }) => about.name === pod.name && reason === pod.reason)
      .map(({ lastMs }) => lastMs),
  ].filter((ms) => ms !== null);
  return troubles.length === 0 ? pod.createdMs : Math.max(...troubles);
}

/**
 * Which container's log to read: the one that ended last, preferring the named one; or, if none
 * ended recently, one that runs but is not ready or not finished. Null if there is neither.
 */
export function telltaleLog(
  pods: readonly Pod[],
  named: string | null,
  window: ClusterWindow,
): Omit<ContainerLog, 'namespace'> | null {
  const all = pods.flatMap((pod) => pod.containers.flatMap((container) => {
    const ended = lastEndOf(container, window);
    const isNamed = Number(container.name === named);
    return ended === null ? [] : [{ pod, container, isNamed, atMs: ended.atMs ?? 0 }];
  }));
  const [last] = all.sort((a, b) => b.isNamed - a.isNamed || b.atMs - a.atMs);
  if (last === undefined) return unreadyRunning(pods, window);
  const { pod, container, atMs } = last;
  const running = atMs < window.startMs - signBeforeMs ? unreadyRunning(pods, window) : null;
  return running ?? {
    pod: pod.name, container: container.name, isPrevious: container.ended === null,
  };
}

function unreadyRunning(
  pods: readonly Pod[],
  window: ClusterWindow,
): Omit<ContainerLog, 'namespace'> | null {
  const [first] = pods.flatMap((pod) => pod.containers.flatMap((container) => {
    const { isReady, isInit, waiting, ended } = container;
    const isRunning = waiting === null && ended === null;
    // Pods that are starting or being deleted are not expected to be ready.
    const isStarting = isInit || pod.phase !== 'Running';
    const isLate = !isStarting || isLong(container, window);
    return isReady || !isRunning || !isLate || pod.isBeingDeleted ? []
      : [{ pod: pod.name, container: container.name, isPrevious: false }];
  }));
  return first ?? null;
}
