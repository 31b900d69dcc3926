import type { LabelSet } from '../../alert/labels.ts';
import { isObjectName } from '../../sources/kubernetes/kubernetes.ts';
import { workloadOfPod } from '../../statistics/names/workload-name.ts';
import {
  clusterLabels, firstOf, hostOf, namespaceOf, podOf, workloadOf,
} from '../named-in-labels.ts';

export const workloadKinds = ['deployment', 'statefulset', 'daemonset', 'job'] as const;

export type WorkloadKind = (typeof workloadKinds)[number];

/** The objects of a cluster that an alert's labels name; null for those they do not. */
export interface NamedObjects {
  /** As the alert calls it; the API that is asked knows no name of its own. */
  readonly cluster: string | null;
  /** Without it only a node can be found. */
  readonly namespace: string | null;
  readonly pod: string | null;
  /** `kinds`: what it may be, where the label does not say. */
  readonly workload: { readonly kinds: readonly WorkloadKind[]; readonly name: string } | null;
  /** Its name, or its address. */
  readonly node: string | null;
  readonly claim: string | null;
}

/** Labels of kube-state-metrics, which say what kind of workload they name. */
const kindLabels: Readonly<Record<WorkloadKind, readonly string[]>> = {
  deployment: ['deployment'], statefulset: ['statefulset'], daemonset: ['daemonset'],
  job: ['job_name'],
};

export function namedObjects(labels: LabelSet): NamedObjects {
  const named = (name: string | null): string | null => {
    return name !== null && isObjectName(name) ? name : null;
  };
  const namespace = named(namespaceOf(labels));
  const pod = namespace === null ? null : named(podOf(labels));
  return {
    cluster: firstOf(labels, clusterLabels), namespace, pod,
    workload: namespace === null ? null : workloadIn(labels, pod),
    node: pod === null ? named(hostOf(labels)) : null,
    claim: namespace === null ? null
      : named(firstOf(labels, ['exported_persistentvolumeclaim', 'persistentvolumeclaim'])),
  };
}

function workloadIn(labels: LabelSet, pod: string | null): NamedObjects['workload'] {
  for (const kind of workloadKinds) {
    const name = firstOf(labels, kindLabels[kind], isObjectName);
    if (name !== null) return { kinds: [kind], name };
  }
  const replicaSet = firstOf(labels, ['replicaset'], isObjectName);
  if (replicaSet !== null) {
    return { kinds: ['deployment'], name: replicaSet.replace(/-[a-z0-9]{5,10}$/, '') };
  }
  // A pod says itself what it belongs to.
  const name = pod === null ? workloadOf(labels) : workloadOfPod(pod);
  return name === null || !isObjectName(name) ? null : { kinds: workloadKinds, name };
}
