import { isIP } from 'node:net';
import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { escapeRegex } from '../../lib/promql-string.ts';
import type { Matcher } from '../../sources/promql-text.ts';
import { podEnding, workloadOfPod } from '../../statistics/names/workload-name.ts';
import {
  containerOf, firstOf, hostOf, namespaceOf, podOf, workloadOf,
} from '../named-in-labels.ts';

/** An object that an alert is about, and how its log streams may be labelled. */
export interface AlertObject {
  readonly kind: 'pod' | 'workload' | 'host';
  readonly name: string;
  /** Matchers for its streams, the most certain first; any one is enough. */
  readonly matchers: readonly Matcher[];
}

/**
 * Every agent has its own names for stream labels. These are those of Promtail and Alloy, Fluent
 * Bit, Vector, the Docker driver, and OpenTelemetry, whose dots Loki turns into underscores.
 */
const podLabels = ['pod', 'pod_name', 'k8s_pod_name', 'kubernetes_pod_name', 'instance'];
const workloadLabels = [
  'service_name', 'app', 'service', 'app_kubernetes_io_name', 'k8s_deployment_name', 'deployment',
  'k8s_statefulset_name', 'k8s_daemonset_name', 'k8s_cronjob_name', 'container', 'container_name',
  'k8s_container_name', 'kubernetes_container_name', 'compose_service', 'job', 'unit', 'name',
];
export const hostLabels: readonly string[] = [
  'host', 'hostname', 'host_name', 'node', 'node_name', 'nodename', 'k8s_node_name',
  'kubernetes_host', 'instance', 'server',
];
export const containerLabels: readonly string[] = [
  'container', 'container_name', 'k8s_container_name', 'kubernetes_container_name',
];

/** The objects that an alert's labels name, from narrow to wide. */
export function objectsOf(labels: LabelSet): AlertObject[] {
  const pod = podOf(labels);
  const namespace = namespaceOf(labels);
  const workload = workloadOf(labels) ?? (pod === null ? null : workloadOfPod(pod));
  // For a pod its node is not asked for: other logs on that node are not about the alert.
  const host = pod === null ? hostOf(labels) : null;
  const run = pod === null ? firstOf(labels, ['job_name']) : null;
  const objects: AlertObject[] = [];
  if (pod !== null) {
    objects.push({ kind: 'pod', name: pod, matchers: ofPod(pod, namespace, containerOf(labels)) });
  } else if (run !== null) {
    // The pods of a job have its name with a random suffix.
    const form = `${escapeRegex(run)}-.+`;
    const matchers = [...anyOf(podLabels, [form]), podInstance(namespace, form, '.+')];
    objects.push({ kind: 'pod', name: run, matchers });
  }
  if (workload !== null) {
    objects.push({ kind: 'workload', name: workload, matchers: ofWorkload(workload, namespace) });
  }
  if (host !== null) {
    objects.push({ kind: 'host', name: host, matchers: anyOf(hostLabels, hostForms(host)) });
  }
  return objects;
}

export function fits(stream: LabelSet, { name, op, value }: Matcher): boolean {
  const own = labelOf(stream, name);
  if (own === null) return false;
  return op === '=' ? own === value : new RegExp(`^(?:${value})$`, 'u').test(own);
}

/** One matcher per label, each for any of the forms. */
function anyOf(labels: readonly string[], forms: readonly string[]): Matcher[] {
  return labels.map((name) => ({ name, op: '=~', value: forms.join('|') }));
}

/**
 * Without relabelling, Alloy's `loki.source.kubernetes` has the pod only in `instance`, which is
 * `namespace/pod:container` (grafana/alloy: kubetail/target.go).
 */
function podInstance(namespace: string | null, pod: string, container: string): Matcher {
  return { name: 'instance', op: '=~', value: `${placeForm(namespace)}/(${pod}):${container}` };
}

/** Whether the stream has such an `instance`. */
export function hasPodInstance(stream: LabelSet): boolean {
  return /^[^/:]+\/[^/:]+:[^/:]+$/.test(labelOf(stream, 'instance') ?? '');
}

function ofPod(pod: string, namespace: string | null, container: string | null): Matcher[] {
  const form = escapeRegex(pod);
  return [
    ...podLabels.map((name): Matcher => ({ name, op: '=', value: pod })),
    ...(container === null ? [] : [podInstance(namespace, form, escapeRegex(container))]),
    podInstance(namespace, form, '.+'),
  ];
}

function ofWorkload(workload: string, namespace: string | null): Matcher[] {
  const name = escapeRegex(workload);
  return [
    ...anyOf(workloadLabels, workloadForms(workload, namespace)),
    // Swarm puts the name of the stack before that of the service: `shop_cart`.
    ...anyOf(['swarm_service'], [name, `[^_]+_${name}`]),
    podInstance(namespace, `${name}(${podEnding})`, '.+'),
    podInstance(namespace, '.+', name),
  ];
}

function placeForm(namespace: string | null): string {
  return namespace === null ? '.+' : escapeRegex(namespace);
}

/** Promtail's `job` is namespace and application; systemd units have a suffix. */
function workloadForms(workload: string, namespace: string | null): string[] {
  const name = escapeRegex(workload);
  return [name, `${placeForm(namespace)}/${name}`, `${name}\\.service`];
}

/** With or without the domain, and with the port of a scraped target. */
function hostForms(host: string): string[] {
  const port = '(:[0-9]+)?';
  if (isIP(host) !== 0) return [`\\[?${escapeRegex(host)}\\]?${port}`];
  const [short = host] = host.split('.');
  if (short !== host) return [`${escapeRegex(host)}${port}`, `${escapeRegex(short)}${port}`];
  return [`${escapeRegex(host)}(\\..+)?${port}`];
}
