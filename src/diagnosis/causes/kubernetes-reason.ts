import { labelOf, type LabelSet } from '../../alert/labels.ts';
import {
  signBeforeMs, type KubernetesFacts, type Sign,
} from '../../evidence/kubernetes/kubernetes-facts.ts';
import { podOf } from '../../evidence/named-in-labels.ts';
import type { Statement } from '../../report/report.ts';
import { signText } from '../sign-text.ts';
import type { Situation } from '../situation.ts';
import { reasonCauses, finerReason, stateCauses } from './reason-causes.ts';

/** Labels that carry Kubernetes' own reason for why a container stopped or is waiting. */
const reasonLabels = ['reason', 'exit_reason', 'waiting_reason', 'terminated_reason'];

/** They explain an alert on the pod's state; for other alerts they are one more effect. */
const probeFailures = new Set([
  'LivenessProbeFailed', 'StartupProbeFailed', 'ReadinessProbeFailed',
]);

/** Kubernetes' own reason for what is wrong, which proves a cause, and where it was found. */
export interface KubernetesReason {
  /** Kubernetes' word for it, and the cause where no family has words of its own. */
  readonly name: string;
  readonly cause: string;
  /** Id of the family's cause that it names; null where it names none. */
  readonly causeId: string | null;
  /** A label of the alert has it: the alert is about it, and not about a possible consequence. */
  readonly isLabelled: boolean;
  /** See `KubernetesFacts`. */
  readonly isSure: boolean;
  /** As many pods are ready as are wanted, whatever is wrong with others. */
  readonly enoughAreReady: boolean;
  readonly statement: Statement;
}

/** From a label of the alert, or as Kubernetes reports it; null where neither has one. */
export function kubernetesReasonOf(situation: Situation): KubernetesReason | null {
  const { caseFile, evidence: { ids, kubernetes }, now } = situation;
  const labelled = labelledReason(caseFile.alert.labels);
  if (labelled === null) return reportedReason(situation);
  const { label, reason, cause } = labelled;
  // Kubernetes says more than the label: which image, and why.
  const sign = kubernetes?.isSure === true
    ? kubernetes.signs.find((each) => each.reason === reason && isRelevant(each, situation))
    : undefined;
  return {
    name: reason, cause, causeId: causeNamedBy(reason, situation),
    isLabelled: true, isSure: true, enoughAreReady: false,
    statement: sign === undefined
      ? { text: `The alert has the label ${label}="${reason}".`, evidence: [ids.labels] }
      : { text: signText(sign, now), evidence: [sign.evidence, ids.labels] },
  };
}

/** The label that proves a cause, in the sender's words. */
function labelledReason(
  labels: LabelSet,
): { label: string; reason: string; cause: string } | null {
  for (const label of reasonLabels) {
    const reason = labelOf(labels, label) ?? '';
    const cause = reasonCauses.get(reason);
    if (cause !== undefined) return { label, reason, cause };
  }
  return null;
}

function reportedReason(situation: Situation): KubernetesReason | null {
  const { caseFile, evidence: { kubernetes }, now } = situation;
  if (kubernetes === null) return null;
  const { signs, pods, isSure } = kubernetes;
  const isServing = podOf(caseFile.alert.labels) === null && pods !== null &&
    pods.ready > 0 && pods.ready >= (pods.wanted ?? Infinity);
  // What ends again and again answers no probe.
  const isLooping = signs.some(({ reason }) => reason === 'CrashLoopBackOff');
  const relevant = signs.filter((sign) => isRelevant(sign, situation))
    .map((sign) => ({ sign, reason: finerReason(sign) }));
  for (const [known, cause] of stateCauses) {
    const sign = relevant.find(({ reason }) => reason === known)?.sign;
    if (sign === undefined || isStatedAlready(known, kubernetes)) continue;
    const causeId = causeNamedBy(known, situation);
    if (probeFailures.has(known) && causeId === null) continue;
    if (known === 'ReadinessProbeFailed' && isLooping) continue;
    return {
      name: known, cause, causeId, isLabelled: false, isSure,
      enoughAreReady: isServing && sign.kind !== 'ended',
      statement: { text: signText(sign, now), evidence: [sign.evidence] },
    };
  }
  return null;
}

/** The sign is of this episode, and of enough pods to explain more than those few. */
function isRelevant(
  { pods, lastMs }: Sign,
  { evidence: { kubernetes, history: { current } } }: Situation,
): boolean {
  const isShared = pods === 0 || pods * 2 >= (kubernetes?.pods?.unready ?? 0);
  return isShared && (lastMs === null ||
    (lastMs >= current.start - signBeforeMs && lastMs <= (current.end ?? Infinity)));
}

/** In an alert on a node, the alert itself says that much. */
const nodeStates = new Set(['NotReady', 'DiskPressure', 'MemoryPressure']);

/** It explains no more than the alert itself, or less than the log that says why a job fails. */
function isStatedAlready(reason: string, { pods, lastWords }: KubernetesFacts): boolean {
  const isOfJob = reason === 'BackoffLimitExceeded' || reason === 'PodFailurePolicy';
  if (isOfJob) return (lastWords?.line ?? null) !== null;
  return pods === null && nodeStates.has(reason);
}

/** The family's cause that the reason names by itself, without the alert's other labels. */
function causeNamedBy(reason: string, { knowledge }: Situation): string | null {
  return knowledge?.family.causes.find(({ when }) => when?.({ reason }))?.id ?? null;
}
