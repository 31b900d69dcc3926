import type { Container, Ended, Pod } from '../../sources/kubernetes/kubernetes-answers.ts';
import type { ContainerLog } from '../../sources/kubernetes/kubernetes.ts';
import type { ClusterWindow } from './ask-kubernetes.ts';

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

/** The log of the container that ended last of all; null where none did. */
export function lastEnded(
  pods: readonly Pod[],
  window: ClusterWindow,
): Omit<ContainerLog, 'namespace'> | null {
  const all = pods.flatMap((pod) => pod.containers.flatMap((container) => {
    const ended = endOf(container, window);
    return ended === null ? [] : [{ pod, container, atMs: ended.atMs ?? 0 }];
  }));
  const last = all.sort((a, b) => b.atMs - a.atMs)[0];
  if (last === undefined) return null;
  const { pod, container } = last;
  return { pod: pod.name, container: container.name, isPrevious: container.ended === null };
}
