import { workloadOfPod } from './workload-name.ts';

type Labels = Readonly<Record<string, string>>;

/** What tells the components of a set of series apart. */
export interface ComponentLabel {
  /** The label, or `workload` where it is derived from names of pods and their owners. */
  readonly label: string;
  /** The component a series belongs to; null for one that does not say. */
  readonly valueOf: (labels: Labels) => string | null;
}

const valuesMin = 2;
const valuesMax = 200;
/** A label on fewer of the series than this tells too few of them apart. */
const coverageMin = 0.5;
/** A better name is taken although it is on this much fewer of the series than a worse one. */
const coverageGiven = 0.2;

/** Names of services and workloads before pods before machines; earlier is better. */
const choices: readonly ComponentLabel[] = [
  ...['service', 'service_name', 'app', 'application', 'app_kubernetes_io_name',
    'label_app_kubernetes_io_name', 'destination_workload', 'destination_service_name', 'workload',
    'k8s_deployment_name', 'component', 'microservice'].map(plainLabel),
  { label: 'workload', valueOf: derivedWorkload },
  ...['container', 'container_name', 'name', 'pod', 'pod_name', 'job', 'backend', 'upstream',
    'queue', 'topic', 'database', 'datname'].map(plainLabel),
  { label: 'instance', valueOf: (labels) => isListed(labels) ? null : hostOf(labels['instance']) },
  ...['node', 'nodename', 'hostname', 'host', 'server', 'cluster'].map(plainLabel),
];

/**
 * The label that tells components apart: on most of the series, with 2 to 200 values, and the best
 * name among those that are on about as many. Null when none is, and all is one component.
 */
export function chooseComponentLabel(series: readonly Labels[]): ComponentLabel | null {
  const fitting: { readonly choice: ComponentLabel; readonly coverage: number }[] = [];
  for (const choice of choices) {
    const values = new Set<string>();
    let covered = 0;
    for (const labels of series) {
      const value = choice.valueOf(labels);
      if (value === null) continue;
      covered += 1;
      values.add(value);
    }
    const coverage = covered / series.length;
    if (coverage < coverageMin || values.size < valuesMin || values.size > valuesMax) continue;
    fitting.push({ choice, coverage });
  }
  const best = Math.max(...fitting.map(({ coverage }) => coverage));
  return fitting.find(({ coverage }) => coverage >= best - coverageGiven)?.choice ?? null;
}

function plainLabel(label: string): ComponentLabel {
  return { label, valueOf: (labels) => known(labels[label]) };
}

const owners = [
  'deployment', 'statefulset', 'daemonset', 'cronjob', 'job_name', 'horizontalpodautoscaler',
  'exported_pod', 'pod',
  'pod_name', 'kubernetes_pod_name', 'k8s_pod_name', 'replicaset',
];

/** The owner where it is named, else what the pod's name was made from. */
function derivedWorkload(labels: Labels): string | null {
  for (const owner of owners) {
    const value = known(labels[owner]);
    if (value === null) continue;
    if (owner === 'replicaset') return workloadOfPod(`${value}-22222`);
    return /pod|job_name/.test(owner) ? workloadOfPod(value) : value;
  }
  return null;
}

/** Names of those who collect for others and put their own name on what they collected. */
const collector = new RegExp(
  '^(kubelet|cadvisor|POD|prometheus|kubernetes-(pods|nodes|service-endpoints|cadvisor))$|' +
  '(^|[-_])(kube-state-metrics|exporter|otel-collector)(-|$)',
);

function known(value: string | undefined): string | null {
  if (value === undefined || value === '' || value === 'unknown') return null;
  return collector.test(value) ? null : value;
}

/** Whether kube-state-metrics tells it: the `instance` is then its own, not that of the object. */
export function isListed(labels: Labels): boolean {
  return /kube-?state-?metrics/u.test(labels['job'] ?? '');
}

/** Without the port, so that exporters on one machine are of one component. */
function hostOf(instance: string | undefined): string | null {
  const value = known(instance);
  return value === null ? null : value.replace(/:\d+$/, '');
}
