/**
 * How much two alerts have to do with each other, as far as their labels and the moments at which
 * they began tell. The score is `T (1 - (1 - 0.8 L)(1 - 0.7 G))`: T decays with the time between
 * the beginnings, L is the similarity of the labels, G that of the objects.
 */
import { alertNameOf } from './alert.ts';
import { labelOf, textLengthOf, type LabelSet } from './labels.ts';
import { severityOf } from './severity.ts';

/** From this score on two alerts belong together. */
export const togetherScoreMin = 0.35;
/** Two alerts that begin this far apart score 1/e of what two do that begin together. */
const decaySeconds = 600;

const weights: ReadonlyMap<string, number> = new Map([
  ['instance', 3], ['node', 3], ['pod', 3], ['service', 2.5], ['workload', 2.5],
  ['namespace', 2], ['persistentvolumeclaim', 2], ['job', 1.5], ['container', 1.5],
  ['device', 1.5], ['cluster', 1], ['alertname', 1], ['severity', 0.2], ['replica', 0],
  ['prometheus', 0],
]);
const weightOther = 0.7;

/** Kept of the labels of an open alert, of which there may be a hundred thousand. */
const tellingMax = 32;
/** Names and values together, in UTF-16 units. */
const tellingLengthMax = 2 * 1024;

/** Labels whose values are names that people know, for saying what two alerts share. */
const sharedNames = [
  'pod', 'instance', 'node', 'service', 'workload', 'persistentvolumeclaim', 'namespace', 'job',
  'container', 'device', 'cluster',
];

const unrelatedNames = new Set(['Watchdog', 'InfoInhibitor', 'DeadMansSwitch']);

/** Whether an alert can belong to others at all: some fire always, or for others' sake. */
export function isCorrelated(labels: LabelSet): boolean {
  return !unrelatedNames.has(alertNameOf(labels)) && severityOf(labels) !== 'none';
}

/** What a label of this name tells when two alerts have the same value of it. */
export function labelWeight(name: string): number {
  return weights.get(name) ?? weightOther;
}

/**
 * The labels by which an open alert is compared with others: all of them or, where they are many
 * or long, the most telling ones. Each of them takes memory for as long as the alert fires.
 */
export function tellingLabels(labels: LabelSet): LabelSet {
  const names = Object.keys(labels);
  if (names.length <= tellingMax && textLengthOf(labels) <= tellingLengthMax) return labels;
  const known = names.filter((name) => weights.has(name)).sort((a, b) => rankOf(b) - rankOf(a));
  const others = names.filter((name) => !weights.has(name));
  const kept: [string, string][] = [];
  let left = tellingLengthMax;
  for (const name of [...known, ...others]) {
    if (kept.length === tellingMax) break;
    const value = labelOf(labels, name) ?? '';
    const length = name.length + value.length;
    if (length > left) continue;
    left -= length;
    kept.push([name, value]);
  }
  return Object.fromEntries(kept);
}

/** The severity comes first: it says whether an alert is compared at all. */
function rankOf(name: string): number {
  return name === 'severity' ? Infinity : labelWeight(name);
}

/** Weighted Jaccard similarity of label pairs, 0 to 1. */
export function labelSimilarity(a: LabelSet, b: LabelSet): number {
  let shared = 0;
  let total = 0;
  for (const name of Object.keys(a)) {
    const weight = labelWeight(name);
    const value = labelOf(a, name);
    if (value !== null && value === labelOf(b, name)) shared += weight;
    total += weight;
  }
  for (const name of Object.keys(b)) total += labelWeight(name);
  return jaccard(shared, total);
}

/**
 * The same from sums: the weight of the pairs both have, and the weights of all labels of one and
 * of the other added up. A label that only one side has tells less than one on which both differ:
 * it counts half, and one that both have counts half twice.
 */
export function jaccard(shared: number, total: number): number {
  return total === 0 ? 0 : shared / (total / 2);
}

/** The names of what an alert is about; null where no label says, or an empty one. */
export interface ObjectNames {
  readonly pod: string | null;
  readonly namespace: string | null;
  readonly instance: string | null;
  /** The instance without its port. */
  readonly host: string | null;
  readonly node: string | null;
  readonly workload: string | null;
  readonly service: string | null;
}

export function objectNamesOf(labels: LabelSet): ObjectNames {
  const instance = labelOf(labels, 'instance') || null;
  return {
    pod: labelOf(labels, 'pod') || null,
    namespace: labelOf(labels, 'namespace') || null,
    instance,
    host: instance?.replace(/:\d+$/u, '') ?? null,
    node: labelOf(labels, 'node') || null,
    workload: labelOf(labels, 'workload') || null,
    service: labelOf(labels, 'service') || null,
  };
}

/** How close two alerts' objects are, 0 to 1, as far as labels tell. */
export function topologySimilarity(a: LabelSet, b: LabelSet): number {
  return closeness(objectNamesOf(a), objectNamesOf(b));
}

/** {@linkcode topologySimilarity} of objects whose names are known. */
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

/** The most telling labels on which both agree, as `name value`. */
export function sharedLabels(a: LabelSet, b: LabelSet): string[] {
  return sharedNames
    .filter((name) => isSame(labelOf(a, name) || null, labelOf(b, name)))
    .map((name) => `${name} ${labelOf(a, name) ?? ''}`);
}

function isSame(a: string | null, b: string | null): boolean {
  return a !== null && a === b;
}

/** One alert is about a pod, the other about the node it runs on. */
function isPodOnNode(pod: ObjectNames, node: ObjectNames): boolean {
  if (pod.node === null || pod.pod === null || node.pod !== null) return false;
  return node.node === pod.node || node.host === pod.node;
}
