import type { Sign } from '../../evidence/kubernetes/kubernetes-facts.ts';

/** Reasons that are a cause and not only a symptom, with the cause in words. */
export const reasonCauses: ReadonlyMap<string, string> = new Map([
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
 * The same with reasons that only Kubernetes itself reports, some of them distinguished by their
 * message; the earlier one takes precedence.
 */
export const stateCauses: ReadonlyMap<string, string> = new Map([
  ...reasonCauses,
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

/** The reason, distinguished by the message if it stands for several things. */
export function finerReason({ reason, message }: Sign): string {
  const known = finer.find(([own, pattern]) => own === reason && pattern.test(message));
  return known?.[2] ?? reason;
}

/** Whether a query selects a reason that is a cause, so that a sample proves the cause. */
export function asksForReason(query: string): boolean {
  const asked = /\breason="([A-Za-z]+)"/u.exec(query)?.[1];
  return asked !== undefined && reasonCauses.has(asked);
}
