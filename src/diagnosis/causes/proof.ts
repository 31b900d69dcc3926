import { alertNameOf, type Alert } from '../../alert/alert.ts';
import { labelOf, noLabels, type LabelSet } from '../../alert/labels.ts';
import { knowledgeFor } from '../knowledge/knowledge-for.ts';

/** Labels in which Kubernetes' own words for why a container stopped or waits arrive. */
const reasonLabels = ['reason', 'exit_reason', 'waiting_reason', 'terminated_reason'];

/** Reasons that are a cause and not only its sign, with the cause in words. */
export const proofs: ReadonlyMap<string, string> = new Map([
  ['OOMKilled', 'The container is killed for using more memory than its limit'],
  ['ImagePullBackOff', 'The image cannot be pulled'],
  ['ErrImagePull', 'The image cannot be pulled'],
  ['InvalidImageName', 'The name of the image is not valid'],
  ['CreateContainerConfigError', 'A ConfigMap or Secret that the container needs is missing'],
  ['Evicted', 'The node evicted the pod under pressure'],
  ['DeadlineExceeded', 'The job ran into its deadline'],
  ['BackoffLimitExceeded', 'The job failed more often than it may be retried'],
]);

export interface Proof {
  readonly label: string;
  readonly reason: string;
}

/** The label that proves a cause, in the sender's words, or null. */
export function proofIn(labels: LabelSet): Proof | null {
  for (const label of reasonLabels) {
    const reason = labelOf(labels, label);
    if (reason !== null && proofs.has(reason)) return { label, reason };
  }
  return null;
}

/** The alert itself, as what speaks for the cause that it proves. */
export function proofText({ label, reason }: Proof): string {
  return `The alert carries ${label}="${reason}".`;
}

/** Whether a query asks for a reason that is a cause, so that a sample of it proves the cause. */
export function isProof(query: string): boolean {
  const asked = /\breason="([A-Za-z]+)"/u.exec(query)?.[1];
  return asked !== undefined && proofs.has(asked);
}

/**
 * The family's cause that the proving label names when nothing else of the alert is looked at; null
 * without a proof, and when no cause is named by it.
 */
export function provenCauseId(alert: Alert, expression: string | null): string | null {
  const proof = proofIn(alert.labels);
  if (proof === null) return null;
  const labels = { alertname: alertNameOf(alert.labels), [proof.label]: proof.reason };
  const knowledge = knowledgeFor({ ...alert, labels, annotations: noLabels }, expression);
  return knowledge?.causes.find((cause) => cause.suggestedByAlert)?.id ?? null;
}
