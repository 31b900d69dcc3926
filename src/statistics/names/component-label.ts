import type { LabelSet } from '../../alert/labels.ts';
import { workloadOfPod } from './workload-name.ts';

/** What tells the components of a set of series apart. */
export interface ComponentLabel {
  /** The label; `workload` also stands for names derived from pods and their owners. */
  readonly label: string;
  /** The component of a series; null if its labels do not say. */
  readonly valueOf: (labels: LabelSet) => string | null;
  /** It is chosen only where some series has it. */
  readonly needs?: string;
}

const valuesMin = 2;
const valuesMax = 200;
/** A label must be on at least this share of the series. */
const coverageMin = 0.5;
/** A preferred label may cover this much less than the label with the best coverage. */
const coverageSlack = 0.2;

/** Labels of services and workloads, then of pods, then of machines; earlier ones are preferred. */
const choices: readonly ComponentLabel[] = [
  ...['service', 'service_name', 'app', 'application', 'app_kubernetes_io_name',
    'label_app_kubernetes_io_name', 'destination_workload', 'destination_service_name', 'workload',
    'k8s_deployment_name', 'component', 'microservice'].map(plainLabel),
  { label: 'workload', valueOf: derivedWorkload },
  ...['container', 'container_name', 'name', 'pod', 'pod_name'].map(plainLabel),
  // What a collector passes on for others, it marks by whom it has that from.
  {
    label: 'exported_job', needs: 'exported_job',
    valueOf: ({ exported_job: from, job }) => known(from) ?? known(job),
  },
  ...['job', 'backend', 'upstream', 'queue', 'topic', 'database', 'datname'].map(plainLabel),
  {
    label: 'instance',
    valueOf: (labels) => isFromKubeStateMetrics(labels) ? null : hostOf(labels['instance']),
  },
  ...['node', 'nodename', 'hostname', 'host', 'server', 'cluster'].map(plainLabel),
];

/**
 * The label that distinguishes components: on at least half of the series, with 2 to 200 values,
 * and the preferred one among those of similar coverage. Null if there is none, and all series are
 * one component's.
 */
export function chooseComponentLabel(series: readonly LabelSet[]): ComponentLabel | null {
  const fitting: { readonly choice: ComponentLabel; readonly coverage: number }[] = [];
  for (const choice of choices) {
    const { needs } = choice;
    if (needs !== undefined && !series.some((labels) => known(labels[needs]) !== null)) continue;
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
  return fitting.find(({ coverage }) => coverage >= best - coverageSlack)?.choice ?? null;
}

function plainLabel(label: string): ComponentLabel {
  return { label, valueOf: (labels) => known(labels[label]) };
}

const owners = [
  'deployment', 'statefulset', 'daemonset', 'cronjob', 'job_name', 'horizontalpodautoscaler',
  'exported_pod', 'pod',
  'pod_name', 'kubernetes_pod_name', 'k8s_pod_name', 'replicaset',
];

/** The owner if a label names it, else the workload that the pod's name was made from. */
function derivedWorkload(labels: LabelSet): string | null {
  for (const owner of owners) {
    const value = known(labels[owner]);
    if (value === null) continue;
    // Its name lacks only what distinguishes its pods.
    if (owner === 'replicaset') return workloadOfPod(`${value}-22222`);
    return /pod|job_name/.test(owner) ? workloadOfPod(value) : value;
  }
  return null;
}

/** Collectors, which put their own names on the series that they collect for others. */
const collector = new RegExp(
  '^(kubelet|cadvisor|POD|prometheus|kubernetes-(pods|nodes|service-endpoints|cadvisor))$|' +
  '(^|[-_])(kube-state-metrics|exporter|otel-collector)(-|$)',
);

function known(value: string | undefined): string | null {
  if (value === undefined || value === '' || value === 'unknown') return null;
  return collector.test(value) ? null : value;
}

/** Whether it comes from kube-state-metrics, whose `instance` is its own and not the object's. */
export function isFromKubeStateMetrics(labels: LabelSet): boolean {
  return /kube-?state-?metrics/u.test(labels['job'] ?? '');
}

/** Without the port, so that exporters on one machine belong to one component. */
function hostOf(instance: string | undefined): string | null {
  const value = known(instance);
  return value === null ? null : value.replace(/:\d+$/, '');
}
