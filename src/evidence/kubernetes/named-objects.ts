import { clusterLabels, noLabels, type LabelSet } from '../../alert/labels.ts';
import { isObjectName } from '../../sources/kubernetes/object-name.ts';
import { workloadOfPod } from '../../statistics/names/workload-name.ts';
import {
  containerOf, firstOf, hostOf, namespaceOf, podOf, workloadOf,
} from '../named-in-labels.ts';

export const workloadKinds = ['deployment', 'statefulset', 'daemonset', 'job'] as const;

export type WorkloadKind = (typeof workloadKinds)[number];

/** What a label may name; for a cron job its latest job is looked at. */
type NamedKind = WorkloadKind | 'cronjob';
const namedKinds: readonly NamedKind[] = [...workloadKinds, 'cronjob'];

/** The cluster objects that an alert's labels name; null for those that they do not. */
export interface NamedObjects {
  /** The alert's name for it; the API itself does not tell the cluster's name. */
  readonly cluster: string | null;
  /** Without it, only a node can be found. */
  readonly namespace: string | null;
  readonly pod: string | null;
  /** `kinds`: the possible kinds, if the label does not tell. */
  readonly workload: {
    readonly kinds: readonly NamedKind[];
    readonly name: string;
    /** Another name to try: a service may be named differently from its workload. */
    readonly otherwise: string | null;
  } | null;
  readonly container: string | null;
  /** Its name, or its address. */
  readonly node: string | null;
  readonly claim: string | null;
}

/** Labels of kube-state-metrics, which tell the kind of the workload. */
const kindLabels: Readonly<Record<NamedKind, string>> = {
  deployment: 'deployment', statefulset: 'statefulset', daemonset: 'daemonset', job: 'job_name',
  cronjob: 'cronjob',
};

export function namedObjects(labels: LabelSet): NamedObjects {
  const named = (name: string | null): string | null =>
    name !== null && isObjectName(name) ? name : null;
  const namespace = named(namespaceOf(labels));
  // Namespaced objects cannot be found without the namespace.
  const within = namespace === null ? noLabels : labels;
  const pod = named(podOf(within));
  const claim = named(firstOf(within, ['exported_persistentvolumeclaim', 'persistentvolumeclaim']));
  return {
    cluster: firstOf(labels, clusterLabels), namespace, pod, workload: workloadIn(within, pod),
    // With a claim, the node label is that of the kubelet that measured it.
    node: pod === null && claim === null ? named(hostOf(labels)) : null,
    claim, container: containerOf(labels),
  };
}

/** What is added to a workload's name to name its autoscaler; the prefix is KEDA's. */
const autoscalerName = /^keda-hpa-|(?<=.)-(?:hpa|autoscaler|scaler)$/g;

function workloadIn(labels: LabelSet, pod: string | null): NamedObjects['workload'] {
  for (const kind of namedKinds) {
    const name = firstOf(labels, [kindLabels[kind]], isObjectName);
    if (name !== null) return { kinds: [kind], name, otherwise: null };
  }
  const replicaSet = firstOf(labels, ['replicaset'], isObjectName);
  if (replicaSet !== null) {
    const name = replicaSet.replace(/-[a-z0-9]{5,10}$/, '');
    return { kinds: ['deployment'], name, otherwise: null };
  }
  // For a pod, the label of a workload may be that of the exporter.
  const scaler = pod !== null ? null
    : firstOf(labels, ['horizontalpodautoscaler', 'hpa'], isObjectName);
  if (scaler !== null) {
    const bare = scaler.replace(autoscalerName, '');
    return { kinds: namedKinds, name: scaler, otherwise: bare === scaler ? null : bare };
  }
  const name = pod !== null ? workloadOfPod(pod) : workloadOf(labels);
  const app = pod === null ? firstOf(labels, ['app', 'application'], isObjectName) : null;
  return name === null || !isObjectName(name) ? null
    : { kinds: namedKinds, name, otherwise: app === name ? null : app };
}
