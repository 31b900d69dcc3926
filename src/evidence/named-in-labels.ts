/** Which objects the labels of an alert, or of a stream of logs, name. */
import { isIP } from 'node:net';
import { labelOf, type LabelSet } from '../alert/labels.ts';

/** Labels of streams and alerts that name a namespace, and a cluster, the usual one first. */
export const namespaceLabels: readonly string[] = [
  'namespace', 'namespace_name', 'k8s_namespace_name', 'kubernetes_namespace_name',
];
export const clusterLabels: readonly string[] = ['cluster', 'k8s_cluster_name'];

/** A label `exported_x` is the object's own where `x` is that of who measured it. */
const podLabels = ['exported_pod', 'pod', 'pod_name', 'k8s_pod_name', 'kubernetes_pod_name'];
const hostLabels = [
  'exported_node', 'node', 'host', 'hostname', 'nodename', 'exported_instance', 'instance',
];
const workloadLabels = [
  'deployment', 'statefulset', 'daemonset', 'cronjob', 'workload', 'exported_service', 'service',
  'service_name', 'app', 'application', 'exported_container', 'container', 'exported_job', 'job',
];

/** Who measures others: their own names say nothing of what an alert is about. */
const measurer = /^node$|exporter|cadvisor|kubelet|kube-?state-?metrics|blackbox|pushgateway|snmp/i;
const stateMeasurer = /kube-?state-?metrics/i;
/** Those whose series are about pods of whatever kind, other measurers among them. */
const podMeasurer = /kube-?state-?metrics|kubelet|cadvisor/i;

/** The pod that it is about, and not the one that measured it. */
export function podOf(labels: LabelSet): string | null {
  const job = labelOf(labels, 'job') ?? '';
  return firstOf(labels, podLabels, (name) => !isMeasurersOwn(name, job));
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

/** The workload or program, by the label that names one most surely. */
export function workloadOf(labels: LabelSet): string | null {
  return firstOf(labels, workloadLabels, (name) => !measurer.test(name));
}

/** The machine, without the port of whoever was scraped there. */
export function hostOf(labels: LabelSet): string | null {
  const isOfState = stateMeasurer.test(labelOf(labels, 'job') ?? '');
  return hostIn(firstOf(labels, hostLabels.filter((name) => !isOfState || name !== 'instance')));
}

/** Null for what tells no machine: a loopback address, or the page that somebody probes. */
function hostIn(instance: string | null): string | null {
  if (instance === null || instance.includes('/')) return null;
  const bracketed = /^\[(.+)\](?::\d+)?$/.exec(instance)?.[1];
  const host = bracketed ?? (isIP(instance) !== 0 ? instance : instance.replace(/:\d+$/, ''));
  return /^(?:localhost|127\..*|0\.0\.0\.0|::1?|)$/i.test(host) ? null : host;
}

/** The namespace that it is about, and not that of who measured it. */
export function namespaceOf(labels: LabelSet): string | null {
  return firstOf(labels, ['exported_namespace', ...namespaceLabels]);
}

/** The container that it is about, and not the one that measured it. */
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
