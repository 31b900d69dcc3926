/** Which objects the labels of an alert or of a log stream name. */
import { isIP } from 'node:net';
import { labelOf, type LabelSet } from '../alert/labels.ts';
import { usuallyNamed } from '../alert/usual-name.ts';

/** Labels of alerts and streams for a namespace, the usual one first. */
export const namespaceLabels: readonly string[] = [
  'namespace', 'namespace_name', 'k8s_namespace_name', 'kubernetes_namespace_name',
];

/** With a label `exported_x`, `x` is the exporter's and `exported_x` the object's own. */
const podLabels = ['exported_pod', 'pod'];
const hostLabels = [
  'exported_node', 'node', 'host', 'exported_instance', 'instance',
];
const workloadLabels = [
  'deployment', 'statefulset', 'daemonset', 'cronjob', 'workload', 'exported_service', 'service',
  'app', 'application', 'exported_container', 'container', 'exported_job', 'job',
];

/** Exporters: their own names say nothing about what an alert is about. */
const measurer = /^node$|exporter|cadvisor|kubelet|kube-?state-?metrics|blackbox|pushgateway|snmp/i;
const stateMeasurer = /kube-?state-?metrics/i;
/** Exporters whose series are about any pods, other exporters included. */
const podMeasurer = /kube-?state-?metrics|kubelet|cadvisor/i;

/** The pod that the labels are about, not the exporter's. */
export function podOf(labels: LabelSet): string | null {
  const job = labelOf(labels, 'job') ?? '';
  return firstOf(usuallyNamed(labels), podLabels, (name) => !isMeasurersOwn(name, job));
}

/**
 * Whether the pod is the exporter's, which Prometheus adds to series without a pod of their own,
 * such as those of a node. Without a job label the rule has aggregated by the pod it is about.
 */
function isMeasurersOwn(pod: string, job: string): boolean {
  if (job === '') return false;
  return podMeasurer.test(job) ? stateMeasurer.test(job) && stateMeasurer.test(pod)
    : measurer.test(pod);
}

/** The workload or program, by the most reliable label. */
export function workloadOf(labels: LabelSet): string | null {
  return firstOf(usuallyNamed(labels), workloadLabels, (name) => !measurer.test(name));
}

/** The host, without the port of the scraped target. */
export function hostOf(labels: LabelSet): string | null {
  const isOfState = stateMeasurer.test(labelOf(labels, 'job') ?? '');
  const names = hostLabels.filter((name) => !isOfState || name !== 'instance');
  return hostIn(firstOf(usuallyNamed(labels), names));
}

/** The host in an instance; null for a loopback address or a probed URL. */
function hostIn(instance: string | null): string | null {
  if (instance === null || instance.includes('/')) return null;
  const bracketed = /^\[(.+)\](?::\d+)?$/.exec(instance)?.[1];
  const host = bracketed ?? (isIP(instance) !== 0 ? instance : instance.replace(/:\d+$/, ''));
  return /^(?:localhost|127\..*|0\.0\.0\.0|::1?|)$/i.test(host) ? null : host;
}

/** The namespace that the labels are about, not the exporter's. */
export function namespaceOf(labels: LabelSet): string | null {
  return firstOf(usuallyNamed(labels), ['exported_namespace', 'namespace']);
}

/** The container that the labels are about, not the exporter's. */
export function containerOf(labels: LabelSet): string | null {
  const names = ['exported_container', 'container'];
  return firstOf(usuallyNamed(labels), names, (name) => !measurer.test(name));
}

/** The longest name that an object can have. */
const nameLengthMax = 253;

/** The value of the first of the labels that has a usable one. */
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
