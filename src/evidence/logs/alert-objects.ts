import { isIP } from 'node:net';
import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { escapeRegex } from '../../lib/promql-string.ts';
import type { Matcher } from '../../sources/promql-text.ts';
import { workloadOfPod } from '../../statistics/names/workload-name.ts';

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
export const namespaceLabels: readonly string[] = [
  'namespace', 'namespace_name', 'k8s_namespace_name', 'kubernetes_namespace_name',
];
export const clusterLabels: readonly string[] = ['cluster', 'k8s_cluster_name'];
export const containerLabels: readonly string[] = [
  'container', 'container_name', 'k8s_container_name', 'kubernetes_container_name',
];

/** A label `exported_x` is the object's own where `x` is that of who measured it. */
const podOf = ['exported_pod', ...podLabels.slice(0, -1)];
const workloadOf = [
  'deployment', 'statefulset', 'daemonset', 'cronjob', 'workload', 'exported_service', 'service',
  'service_name', 'app', 'application', 'exported_container', 'container', 'exported_job', 'job',
];
const hostOf = ['exported_node', 'node', 'host', 'hostname', 'nodename', 'exported_instance',
  'instance'];

/** Who measures others: their own logs say nothing of what an alert is about. */
const measurer = /^node$|exporter|cadvisor|kubelet|kube-?state-?metrics|blackbox|pushgateway|snmp/i;
const stateMeasurer = /kube-?state-?metrics/i;
/** Those whose series are about pods of whatever kind, other measurers among them. */
const podMeasurer = /kube-?state-?metrics|kubelet|cadvisor/i;

/** The objects of an alert, from narrow to wide; none where its labels name none. */
export function objectsOf(labels: LabelSet): AlertObject[] {
  const job = labelOf(labels, 'job') ?? '';
  const pod = firstOf(labels, podOf, (name) => !isMeasurersOwn(name, job));
  const namespace = namespaceOf(labels);
  const workload = firstOf(labels, workloadOf, (name) => !measurer.test(name)) ??
    (pod === null ? null : workloadOfPod(pod));
  // Of a pod its node is not asked for: what else runs there is another matter.
  const isOfState = stateMeasurer.test(job);
  const hosts = hostOf.filter((name) => !isOfState || name !== 'instance');
  const host = pod === null ? hostIn(firstOf(labels, hosts)) : null;
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

/**
 * The pod of the target that was scraped, which a series has where its own labels name none: of a
 * node, say. A rule that leaves out the job adds up by the pod that it is about.
 */
function isMeasurersOwn(pod: string, job: string): boolean {
  if (job === '') return false;
  return podMeasurer.test(job) ? stateMeasurer.test(job) && stateMeasurer.test(pod)
    : measurer.test(pod);
}

export function namespaceOf(labels: LabelSet): string | null {
  return firstOf(labels, ['exported_namespace', ...namespaceLabels]);
}

export function containerOf(labels: LabelSet): string | null {
  return firstOf(labels, ['exported_container', 'container'], (name) => !measurer.test(name));
}

/** No object has a longer name. */
const nameLengthMax = 253;

/** The value of the first of the labels that has one fit for a name. */
export function firstOf(
  labels: LabelSet,
  names: readonly string[],
  isUsable: (value: string) => boolean = () => true,
): string | null {
  for (const name of names) {
    const value = labelOf(labels, name) ?? '';
    if (value !== '' && value.length <= nameLengthMax && isUsable(value)) return value;
  }
  return null;
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

/** Null for what tells no machine: a loopback address, or the page that somebody probes. */
function hostIn(instance: string | null): string | null {
  if (instance === null || instance.includes('/')) return null;
  const bracketed = /^\[(.+)\](?::\d+)?$/.exec(instance)?.[1];
  const host = bracketed ?? (isIP(instance) !== 0 ? instance : instance.replace(/:\d+$/, ''));
  return /^(?:localhost|127\..*|0\.0\.0\.0|::1?|)$/i.test(host) ? null : host;
}
