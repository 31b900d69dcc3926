import { labelOf, type LabelSet } from '../../alert/labels.ts';
import {
  longBeforeMs, type KubernetesFacts, type Sign,
} from '../../evidence/kubernetes/kubernetes-facts.ts';
import { podOf } from '../../evidence/named-in-labels.ts';
import type { Statement } from '../../report/report.ts';
import { signText } from '../sign-text.ts';
import type { Situation } from '../situation.ts';

/** Labels that carry Kubernetes' own reason for why a container stopped or is waiting. */
const reasonLabels = ['reason', 'exit_reason', 'waiting_reason', 'terminated_reason'];

/** Reasons that are a cause and not only a symptom, with the cause in words. */
export const proofs: ReadonlyMap<string, string> = new Map([
  ['OOMKilled', 'The container is killed for using more memory than its limit'],
  ['ImagePullBackOff', 'The image cannot be pulled'],
  ['ErrImagePull', 'The image cannot be pulled'],
  ['InvalidImageName', 'The name of the image is not valid'],
  ['Evicted', 'The node evicted the pod'],
  ['DeadlineExceeded', 'The job ran into its deadline'],
  ['BackoffLimitExceeded', 'The job failed, and so did all of its retries'],
  ['PodFailurePolicy', 'The job failed in a way that its policy does not retry'],
]);

/**
 * The same with reasons that only Kubernetes itself reports, some of them told apart by their
 * message; the earlier one takes precedence.
 */
const stateProofs: ReadonlyMap<string, string> = new Map([
  ...proofs,
  ['ScalingReplicaSet', 'Its workload was scaled down to no pods'],
  ['QuotaExceeded', 'Its pods are rejected: a quota of the namespace is used up'],
  ['WebhookRefusal', 'An admission webhook keeps its pods from being created'],
  ['PodSecurityViolation', 'Its pods are rejected: they violate the pod security standard'],
  ['ServiceAccountMissing', 'Its pods are rejected: their service account does not exist'],
  ['FailedCreate', 'Its pods are rejected when they are created'],
  ['ErrImageNeverPull', 'The image is not on the node, and may not be pulled'],
  ['ConfigMissing', 'A ConfigMap or Secret that it refers to, or a key in one, is missing'],
  ['RunAsNonRoot', 'runAsNonRoot is set, and refuses the user that it would run as'],
  ['CreateContainerError', 'Its container cannot be created'],
  ['ClaimNotBound', 'A volume claim that it needs is not bound'],
  ['Unschedulable', 'No node can take it'],
  ['StartError', 'Its command cannot be started'],
  ['ContainerCannotRun', 'Its command cannot be started'],
  ['RunContainerError', 'Its container cannot be started'],
  ['FailedMount', 'A volume that it needs cannot be mounted'],
  ['FailedAttachVolume', 'A volume that it needs cannot be attached'],
  ['FailedBinding', 'The volume that its claim asks for cannot be provisioned'],
  ['ProvisioningFailed', 'The volume that its claim asks for cannot be provisioned'],
  ['VolumeResizeFailed', 'The volume cannot be expanded'],
  ['FailedCreatePodSandBox', 'Its pod sandbox cannot be set up'],
  ['NetworkPluginNotReady', 'The network plugin of its node does not run'],
  ['RuntimeNotReady', 'The container runtime of its node does not answer'],
  ['NotReady', 'Its node is not ready'],
  ['DiskPressure', 'Its node is short of disk space'],
  ['MemoryPressure', 'Its node is short of memory'],
  ['InitContainerRunning', 'An init container does not finish'],
  ['Completed', 'Its program exits by itself, without an error'],
  ['LivenessProbeFailed', 'Its liveness probe kills it'],
  ['StartupProbeFailed', 'Its startup probe kills it'],
  ['ReadinessProbeFailed', 'Its readiness probe fails'],
]);

/** They explain an alert on the pod's state; for other alerts they are one more effect. */
const probeFailures = new Set([
  'LivenessProbeFailed', 'StartupProbeFailed', 'ReadinessProbeFailed',
]);

/** What reasons that stand for several things mean, by their message; the first match decides. */
const finer: readonly (readonly [reason: string, message: RegExp, meaning: string])[] = [
  ['Killing', /startup probe/, 'StartupProbeFailed'],
  ['Killing', /(?:)/, 'LivenessProbeFailed'],
  ['Unhealthy', /^Liveness probe/, 'LivenessProbeFailed'],
  ['Unhealthy', /^Readiness probe/, 'ReadinessProbeFailed'],
  ['Unhealthy', /^Startup probe/, 'StartupProbeFailed'],
  ['Unschedulable', /persistentvolumeclaim/i, 'ClaimNotBound'],
  ['NotReady', /NetworkPluginNotReady/, 'NetworkPluginNotReady'],
  ['NotReady', /container runtime is down|PLEG is not healthy/, 'RuntimeNotReady'],
  ['FailedCreate', /exceeded quota/, 'QuotaExceeded'],
  ['FailedCreate', /\bwebhook\b/, 'WebhookRefusal'],
  ['FailedCreate', /violates PodSecurity/, 'PodSecurityViolation'],
  ['FailedCreate', /serviceaccount "[^"]*" not found/, 'ServiceAccountMissing'],
  ['CreateContainerConfigError', /(?:configmap|secret).*not found|couldn't find key/i,
    'ConfigMissing'],
  ['CreateContainerConfigError', /non-?root/i, 'RunAsNonRoot'],
  ['CreateContainerConfigError', /(?:)/, 'CreateContainerError'],
];

/** Kubernetes' own reason for what is wrong, and where it was found. */
interface Proof {
  /** The cause where no family has words of its own. */
  readonly cause: string;
  /** Id of the family's cause that it names; null where it names none. */
  readonly causeId: string | null;
  /** The alert itself is about it, and not about a possible consequence. */
  readonly isOfAlert: boolean;
  /** See `KubernetesFacts`. */
  readonly isSure: boolean;
  /** As many pods are ready as are wanted, whatever is wrong with others. */
  readonly isSpare: boolean;
  readonly statement: Statement;
}

/** What proves a cause: a label of the alert, or what Kubernetes reports; null without a proof. */
export function proofOf(situation: Situation): Proof | null {
  const { caseFile, evidence: { ids, kubernetes }, now } = situation;
  const labelled = proofIn(caseFile.alert.labels);
  if (labelled === null) return stateProof(situation);
  const { label, reason, cause } = labelled;
  // Kubernetes says more than the label: which image, and why.
  const sign = kubernetes?.isSure === true
    ? kubernetes.signs.find((each) => each.reason === reason && isTelling(each, situation))
    : undefined;
  return {
    cause, causeId: causeNamedBy(reason, situation),
    isOfAlert: true, isSure: true, isSpare: false,
    statement: sign === undefined
      ? { text: `The alert has the label ${label}="${reason}".`, evidence: [ids.labels] }
      : { text: signText(sign, now), evidence: [sign.evidence, ids.labels] },
  };
}

/** The label that proves a cause, in the sender's words. */
function proofIn(labels: LabelSet): { label: string; reason: string; cause: string } | null {
  for (const label of reasonLabels) {
    const reason = labelOf(labels, label) ?? '';
    const cause = proofs.get(reason);
    if (cause !== undefined) return { label, reason, cause };
  }
  return null;
}

function stateProof(situation: Situation): Proof | null {
  const { caseFile, evidence: { kubernetes }, now } = situation;
  if (kubernetes === null) return null;
  const { signs, pods, isSure } = kubernetes;
  const isServing = podOf(caseFile.alert.labels) === null && pods !== null &&
    pods.ready > 0 && pods.ready >= (pods.wanted ?? Infinity);
  // What ends again and again answers no probe.
  const isLooping = signs.some(({ reason }) => reason === 'CrashLoopBackOff');
  const told = signs.filter((sign) => isTelling(sign, situation))
    .map((sign) => ({ sign, reason: reasonIn(sign) }));
  for (const [known, cause] of stateProofs) {
    const sign = told.find(({ reason }) => reason === known)?.sign;
    if (sign === undefined || isSaidAlready(known, kubernetes)) continue;
    const causeId = causeNamedBy(known, situation);
    if (probeFailures.has(known) && causeId === null) continue;
    if (known === 'ReadinessProbeFailed' && isLooping) continue;
    return {
      cause, causeId, isOfAlert: false, isSure,
      isSpare: isServing && sign.kind !== 'ended',
      statement: { text: signText(sign, now), evidence: [sign.evidence] },
    };
  }
  return null;
}

/** The sign is of this episode, and of enough pods to explain more than those few. */
function isTelling(
  { pods, lastMs }: Sign,
  { evidence: { kubernetes, history: { current } } }: Situation,
): boolean {
  const isShared = pods === 0 || pods * 2 >= (kubernetes?.pods?.unready ?? 0);
  return isShared && (lastMs === null ||
    (lastMs >= current.start - longBeforeMs && lastMs <= (current.end ?? Infinity)));
}

/** In an alert on a node, the alert itself says that much. */
const nodeStates = new Set(['NotReady', 'DiskPressure', 'MemoryPressure']);

/** It explains no more than the alert itself, or less than the log that says why a job fails. */
function isSaidAlready(reason: string, { pods, lastWords }: KubernetesFacts): boolean {
  const isOfJob = reason === 'BackoffLimitExceeded' || reason === 'PodFailurePolicy';
  if (isOfJob) return (lastWords?.line ?? null) !== null;
  return pods === null && nodeStates.has(reason);
}

/** The reason, told apart by the message if it stands for several things. */
function reasonIn({ reason, message }: Sign): string {
  const known = finer.find(([own, pattern]) => own === reason && pattern.test(message));
  return known?.[2] ?? reason;
}

/** Whether a query selects a reason that is a cause, so that a sample proves the cause. */
export function isProof(query: string): boolean {
  const asked = /\breason="([A-Za-z]+)"/u.exec(query)?.[1];
  return asked !== undefined && proofs.has(asked);
}

/** The family's cause that the reason names by itself, without the alert's other labels. */
function causeNamedBy(reason: string, { knowledge }: Situation): string | null {
  return knowledge?.family.causes.find(({ when }) => when?.({ reason }))?.id ?? null;
}
