/**
 * How strongly two alerts are related, judged by their labels and start times. The score is
 * `T (1 - (1 - 0.8 L)(1 - 0.7 G))`: T decays with the time between their starts, L is the
 * similarity of their labels, and G is how close their objects are.
 */
import { alertNameOf } from './alert.ts';
import { clusterOf, labelOf, textLengthOf, type LabelSet } from './labels.ts';
import { severityOf } from './severity.ts';
import { usuallyNamed } from './usual-name.ts';

/** Two alerts with at least this score belong together. */
export const togetherScoreMin = 0.35;
/** Starting this far apart reduces the score to 1/e. */
const decaySeconds = 600;

/** The most telling first. What all alerts of a Prometheus share tells nothing. */
const weights: ReadonlyMap<string, number> = new Map([
  ['pod', 3], ['instance', 3], ['node', 3], ['service', 2.5], ['workload', 2.5],
  ['deployment', 2.5], ['statefulset', 2.5], ['daemonset', 2.5], ['persistentvolumeclaim', 2],
  ['namespace', 2], ['job', 1.5], ['container', 1.5], ['device', 1.5],
  ['alertname', 1], ['severity', 0.2], ['replica', 0], ['prometheus', 0], ['cluster', 0],
  ['region', 0], ['datacenter', 0], ['environment', 0], ['env', 0],
]);
const weightOther = 0.7;

/** Most labels kept of an open alert: there may be a hundred thousand open alerts. */
const distinctiveMax = 32;
/** Names and values together, in UTF-16 units. */
const distinctiveLengthMax = 2 * 1024;

/** The labels that say where an alert is, for telling people what two alerts share. */
const sharedNames = [...weights.keys()]
  .filter((name) => labelWeight(name) >= 1 && name !== 'alertname');

const unrelatedNames = new Set(['Watchdog', 'InfoInhibitor', 'DeadMansSwitch']);

/** Whether an alert can be related to others at all: some always fire, or only control others. */
export function isCorrelated(labels: LabelSet): boolean {
  return !unrelatedNames.has(alertNameOf(labels)) && severityOf(labels) !== 'none';
}

/** Whether what this label says is known: where something is, what it is, or how grave. */
export function isKnownLabel(name: string): boolean {
  return weights.has(name);
}

/** How much it means that two alerts have the same value of this label. */
export function labelWeight(name: string): number {
  return weights.get(name) ?? weightOther;
}

/**
 * The labels by which an open alert is compared with others: all of them or, if they are many or
 * long, the most telling ones, as they take memory for as long as the alert fires.
 */
export function distinctiveLabels(labels: LabelSet): LabelSet {
  const names = Object.keys(labels);
  if (names.length <= distinctiveMax && textLengthOf(labels) <= distinctiveLengthMax) return labels;
  const known = names.filter((name) => weights.has(name)).sort((a, b) => rankOf(b) - rankOf(a));
  const others = names.filter((name) => !weights.has(name));
  const kept: [string, string][] = [];
  let left = distinctiveLengthMax;
  for (const name of [...known, ...others]) {
    if (kept.length === distinctiveMax) break;
    const value = labelOf(labels, name) ?? '';
    const length = name.length + value.length;
    if (length > left) continue;
    left -= length;
    kept.push([name, value]);
  }
  return Object.fromEntries(kept);
}

/** The severity comes first, as it decides whether an alert is compared at all. */
function rankOf(name: string): number {
  return name === 'severity' ? Infinity : labelWeight(name);
}

/** Its series have the object's namespace; those of other exporters have the object's instance. */
const stateCollector = /kube-?state-?metrics/i;
const exporters: readonly RegExp[] = [
  stateCollector, /(node|windows)-?exporter/i, /kubelet|cadvisor/i,
];
/** Labels of the process that is scraped, which is never the object that it reports on. */
const scrapedNames = ['service', 'endpoint', 'metrics_path'] as const;
/** Labels of this weight name an object, or where it is. */
const objectWeightMin = 2;

/**
 * The labels without those of the exporter itself, which all that it reports on in a cluster share:
 * the pods and workloads of every team, the trouble of every machine. All of them if they name
 * nothing else: then the alert is about the exporter.
 */
export function labelsOfObject(labels: LabelSet): LabelSet {
  const job = labelOf(labels, 'job') ?? '';
  const exporter = exporters.find((each) => each.test(job));
  if (exporter === undefined) return labels;
  const isOfState = exporter === stateCollector;
  const own = new Set<string>([...scrapedNames, ...(isOfState ? ['job', 'instance'] : [])]);
  for (const name of ['pod', 'container']) {
    if (exporter.test(labelOf(labels, name) ?? '')) own.add(name);
  }
  if (own.has('pod') && !isOfState) own.add('namespace');
  const others = Object.entries(labels).filter(([name]) => !own.has(name));
  const isOfObject = others.some(([name]) => labelWeight(name) >= objectWeightMin);
  return isOfObject ? Object.fromEntries(others) : labels;
}

/**
 * Weighted Jaccard similarity of label pairs, 0 to 1: `shared` is the weight of the pairs that both
 * have, `total` that of the labels of one plus that of the other. Half of it stands for the union,
 * in which a label that only one has counts half: it tells less than one on which both differ.
 */
export function jaccard(shared: number, total: number): number {
  return total === 0 ? 0 : shared / (total / 2);
}

/** The names of the objects that an alert is about; null without a label, or with an empty one. */
export interface ObjectNames {
  readonly pod: string | null;
  readonly namespace: string | null;
  readonly instance: string | null;
  /** The instance without its port. */
  readonly host: string | null;
  readonly node: string | null;
  readonly workload: string | null;
  readonly service: string | null;
  /** What distinguishes environments: the cluster and the like, each null without its label. */
  readonly environment: readonly (string | null)[];
}

const environmentLabels = ['environment', 'env', 'stage', 'region', 'datacenter'] as const;

export function objectNamesOf(told: LabelSet): ObjectNames {
  const labels = usuallyNamed(told);
  const instance = labelOf(labels, 'instance') || null;
  return {
    pod: labelOf(labels, 'pod') || null,
    namespace: labelOf(labels, 'namespace') || null,
    instance,
    host: instance?.replace(/:\d+$/u, '') ?? null,
    node: labelOf(labels, 'node') || null,
    workload: labelOf(labels, 'workload') || null,
    service: labelOf(labels, 'service') || null,
    environment: [clusterOf(labels), ...environmentLabels.map((name) =>
      labelOf(labels, name) || null)],
  };
}

/** Whether they are in different clusters or the like, where equal names are of two objects. */
export function areApart(a: ObjectNames, b: ObjectNames): boolean {
  return a.environment.some((ours, index) => {
    const theirs = b.environment[index] ?? null;
    return ours !== null && theirs !== null && ours !== theirs;
  });
}

/** How close the objects of two alerts are, from 0 to 1, judged by their labels. */
export function topologySimilarity(a: LabelSet, b: LabelSet): number {
  return closeness(objectNamesOf(a), objectNamesOf(b));
}

/** Like {@linkcode topologySimilarity}, for objects whose names are known. */
export function closeness(a: ObjectNames, b: ObjectNames): number {
  const isSameNamespace = isSame(a.namespace, b.namespace);
  if (isSame(a.pod, b.pod) && isSameNamespace || isSame(a.instance, b.instance)) return 1;
  if (isSame(a.node, b.node) && a.pod === b.pod) return 1;
  if (isPodOnNode(a, b) || isPodOnNode(b, a)) return 0.8;
  const isNear = isSameNamespace || isSame(a.workload, b.workload) || isSame(a.service, b.service);
  return isNear ? 0.4 : 0;
}

/** The score of two alerts that began `seconds` apart, 0 to 1. */
export function pairScore(likeness: number, topology: number, seconds: number): number {
  const time = Math.exp(-Math.abs(seconds) / decaySeconds);
  return time * (1 - (1 - 0.8 * likeness) * (1 - 0.7 * topology));
}

/** The labels on which both agree, most telling first, as `name value`. */
export function sharedLabels(a: LabelSet, b: LabelSet): string[] {
  return sharedNames
    .filter((name) => isSame(labelOf(a, name) || null, labelOf(b, name)))
    .map((name) => `${name} ${labelOf(a, name) ?? ''}`);
}

function isSame(a: string | null, b: string | null): boolean {
  return a !== null && a === b;
}

/** Whether the first alert is about a pod and the second about the node it runs on. */
function isPodOnNode(pod: ObjectNames, node: ObjectNames): boolean {
  if (pod.node === null || pod.pod === null || node.pod !== null) return false;
  return node.node === pod.node || node.host === pod.node;
}
