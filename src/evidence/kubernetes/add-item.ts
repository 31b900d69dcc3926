import type { NewEvidence } from '../ledger.ts';
import type { ClusterAnswers } from './ask-kubernetes.ts';

/** Adds an item of Kubernetes, and returns its id. */
export type AddItem = (item: Omit<NewEvidence, 'source' | 'kind'>) => string;

/** What items are about: "deployment cart", "pod cart-1". */
export function ownerOf({ workload, pod, claim, node, named }: ClusterAnswers): string {
  if (workload !== null) return `${workload.kind} ${workload.name}`;
  if (pod !== null) return `pod ${pod.name}`;
  if (claim !== null) return `volume claim ${claim.name}`;
  if (node !== null) return `node ${node.name}`;
  return named.pod === null ? 'the workload' : `pod ${named.pod}`;
}
