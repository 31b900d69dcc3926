import { isIP } from 'node:net';
import type { LabelSet } from '../../alert/labels.ts';
import { escapeRegex } from '../../lib/promql-string.ts';
import type { Matcher } from '../../sources/promql-text.ts';
import { workloadOfPod } from '../../statistics/names/workload-name.ts';
import { firstOf, hostOf, namespaceOf, podOf, workloadOf } from '../named-in-labels.ts';

/** An object that an alert is about, and how the streams of its logs may be labelled with it. */
export interface AlertObject {
  readonly kind: 'pod' | 'workload' | 'host';
  /** Its name, as the alert has it. */
  readonly name: string;
  /** Labels that streams may have it in, the surest first; one of them is enough. */
  readonly labels: readonly string[];
  /** What the value of such a label has to be. */
  readonly value: Pick<Matcher, 'op' | 'value'>;
}

/**
 * Agents name the labels of streams as they like. These are the names of Promtail and Alloy, Fluent
 * Bit, Vector, the Docker driver, and of OpenTelemetry, whose dots Loki turns into underscores.
 */
const podLabels = ['pod', 'pod_name', 'k8s_pod_name', 'kubernetes_pod_name', 'instance'];
const workloadLabels = [
  'service_name', 'app', 'service', 'app_kubernetes_io_name', 'k8s_deployment_name', 'deployment',
  'k8s_statefulset_name', 'k8s_daemonset_name', 'k8s_cronjob_name', 'container', 'container_name',
  'k8s_container_name', 'kubernetes_container_name', 'compose_service', 'swarm_service', 'job',
  'unit', 'name',
];
export const hostLabels: readonly string[] = [
  'host', 'hostname', 'host_name', 'node', 'node_name', 'nodename', 'k8s_node_name',
  'kubernetes_host', 'instance', 'server',
];
export const containerLabels: readonly string[] = [
  'container', 'container_name', 'k8s_container_name', 'kubernetes_container_name',
];

/** The objects of an alert, from narrow to wide; none where its labels name none. */
export function objectsOf(labels: LabelSet): AlertObject[] {
  const pod = podOf(labels);
  const namespace = namespaceOf(labels);
  const workload = workloadOf(labels) ?? (pod === null ? null : workloadOfPod(pod));
  // Of a pod its node is not asked for: what else runs there is another matter.
  const host = pod === null ? hostOf(labels) : null;
  const run = pod === null ? firstOf(labels, ['job_name']) : null;
  const objects: AlertObject[] = [];
  if (pod !== null) {
    objects.push({ kind: 'pod', name: pod, labels: podLabels, value: { op: '=', value: pod } });
  } else if (run !== null) {
    // The pods of a job have its name and random letters.
    const value = anyOf([`${escapeRegex(run)}-.+`]);
    objects.push({ kind: 'pod', name: run, labels: podLabels, value });
  }
  if (workload !== null) {
    const value = anyOf(workloadForms(workload, namespace));
    objects.push({ kind: 'workload', name: workload, labels: workloadLabels, value });
  }
  if (host !== null) {
    objects.push({ kind: 'host', name: host, labels: hostLabels, value: anyOf(hostForms(host)) });
  }
  return objects;
}

/** Whether a stream may have this value in one of the object's labels. */
export function fits({ op, value }: AlertObject['value'], text: string | null): boolean {
  if (text === null) return false;
  return op === '=' ? text === value : new RegExp(`^(?:${value})$`, 'u').test(text);
}

function anyOf(expressions: readonly string[]): AlertObject['value'] {
  return { op: '=~', value: expressions.join('|') };
}

/** Promtail makes jobs of namespace and application; units of systemd have an ending. */
function workloadForms(workload: string, namespace: string | null): string[] {
  const name = escapeRegex(workload);
  return [name, `${namespace === null ? '.+' : escapeRegex(namespace)}/${name}`,
    `${name}\\.service`];
}

/** With and without its domain, and with the port of whoever was scraped there. */
function hostForms(host: string): string[] {
  const port = '(:[0-9]+)?';
  if (isIP(host) !== 0) return [`\\[?${escapeRegex(host)}\\]?${port}`];
  const [short = host] = host.split('.');
  if (short !== host) return [`${escapeRegex(host)}${port}`, `${escapeRegex(short)}${port}`];
  return [`${escapeRegex(host)}(\\..+)?${port}`];
}
