import { noLabels, type LabelSet } from '../../alert/labels.ts';
import { isObjectName } from '../../sources/kubernetes/object-name.ts';
import { workloadOfPod } from '../../statistics/names/workload-name.ts';
import {
  clusterLabels, containerOf, firstOf, hostOf, namespaceOf, podOf, workloadOf,
} from '../named-in-labels.ts';

export const workloadKinds = ['deployment', 'statefulset', 'daemonset', 'job'] as const;

export type WorkloadKind = (typeof workloadKinds)[number];

/** What may be named: of a scheduled job the latest that it made is looked at. */
export type NamedKind = WorkloadKind | 'cronjob';
const namedKinds: readonly NamedKind[] = [...workloadKinds, 'cronjob'];

/** The objects of a cluster that an alert's labels name; null for those they do not. */
export interface NamedObjects {
  /** As the alert calls it; the API that is asked knows no name of its own. */
  readonly cluster: string | null;
  /** Without it only a node can be found. */
  readonly namespace: string | null;
  readonly pod: string | null;
  /** `kinds`: what it may be, where the label does not say. */
  readonly workload: {
    readonly kinds: readonly NamedKind[];
    readonly name: string;
    /** What it may be called where nothing is of that name: services have names of their own. */
    readonly otherwise: string | null;
  } | null;
  readonly container: string | null;
  /** Its name, or its address. */
  readonly node: string | null;
  readonly claim: string | null;
}

/** Labels of kube-state-metrics, which say what kind of workload they name. */
const kindLabels: Readonly<Record<NamedKind, string>> = {
  deployment: 'deployment', statefulset: 'statefulset', daemonset: 'daemonset', job: 'job_name',
  cronjob: 'cronjob',
};

export function namedObjects(labels: LabelSet): NamedObjects {
  const named = (name: string | null): string | null => {
    return name !== null && isObjectName(name) ? name : null;
  };
  const namespace = named(namespaceOf(labels));
  // What is in a namespace cannot be found without it.
  const within = namespace === null ? noLabels : labels;
  const pod = named(podOf(within));
  const claim = named(
    firstOf(within, ['exported_persistentvolumeclaim', 'persistentvolumeclaim']),
  );
  return {
    cluster: firstOf(labels, clusterLabels), namespace, pod, workload: workloadIn(within, pod),
    // The node of a claim is that of who measured it.
    node: pod === null && claim === null ? named(hostOf(labels)) : null,
    claim, container: containerOf(labels),
  };
}

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
  // A pod says itself what it belongs to.
  const name = pod !== null ? workloadOfPod(pod)
    : firstOf(labels, ['horizontalpodautoscaler', 'hpa'], isObjectName) ?? workloadOf(labels);
  const app = pod === null ? firstOf(labels, ['app', 'application'], isObjectName) : null;
  return name === null || !isObjectName(name) ? null
    : { kinds: namedKinds, name, otherwise: app === name ? null : app };
}
