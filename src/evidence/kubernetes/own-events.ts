import type { ClusterEvent } from '../../sources/kubernetes/cluster-objects.ts';
import { workloadOfPod } from '../../statistics/names/workload-name.ts';
import type { ClusterAnswers } from './cluster-answers.ts';
import { noDetails, type SingleSign } from './single-signs.ts';

/** Warnings of every kubelet start. */
const idleWarnings = new Set(['InvalidDiskCapacity', 'CheckLimitsForResolvConf']);
/** Repeats a warning that names the image and the reason. */
const idleMessage = /^Error: (?:ErrImagePull|ImagePullBackOff)$/;

/** Warnings about the alert's objects, including pods that are gone. */
export function ownEvents(answers: ClusterAnswers): ClusterEvent[] {
  const { named, pods, workload, node, claim, revisions, window } = answers;
  const ofPods = new Set(pods.items.map(({ name }) => name));
  const others = new Set([workload, node, claim, ...revisions].map((object) => object?.name));
  const isOwn = ({ about: { kind, name } }: ClusterEvent): boolean => {
    if (kind !== 'Pod') return others.has(name);
    if (named.pod !== null) return name === named.pod;
    return ofPods.has(name) || (workload !== null && workloadOfPod(name) === workload.name);
  };
  const isTelling = (event: ClusterEvent): boolean => {
    const { type, reason, message } = event;
    return type === 'Normal' ? isTrouble(event, workload)
      : !idleWarnings.has(reason) && !idleMessage.test(message);
  };
  const seen = new Set<string>();
  return answers.events.items.filter((event) => {
    const { about, reason, message, lastMs, firstMs } = event;
    if ((lastMs ?? 0) < window.fromMs || !isTelling(event) || !isOwn(event)) return false;
    const key = JSON.stringify([about, reason, message, firstMs]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/**
 * Whether an event of type Normal is a sign of trouble: a claim without a provisioner, a kill by a
 * probe, or a scale-down to zero.
 */
function isTrouble(
  { reason, message }: ClusterEvent,
  workload: ClusterAnswers['workload'],
): boolean {
  if (reason === 'ScalingReplicaSet') return workload?.wanted === 0 && / to 0$/.test(message);
  return reason === 'FailedBinding' || (reason === 'Killing' && message.includes(' probe'));
}

export function eventSign(event: ClusterEvent): SingleSign {
  const { about: { kind, name }, reason, message, count, firstMs, lastMs } = event;
  const isPod = kind === 'Pod';
  return {
    ...noDetails, kind: 'event', reason, message, times: count, sinceMs: firstMs, lastMs,
    what: isPod ? 'pod' : `${wordsOf(kind)} ${name}`, pod: isPod ? name : null,
  };
}

/** "replica set" for `ReplicaSet` */
function wordsOf(kind: string): string {
  return kind.replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
