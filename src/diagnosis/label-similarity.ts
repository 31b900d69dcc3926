import { labelOf, type LabelSet } from '../alert/labels.ts';

const weights: ReadonlyMap<string, number> = new Map([
  ['instance', 3], ['node', 3], ['pod', 3], ['service', 2.5], ['workload', 2.5],
  ['namespace', 2], ['persistentvolumeclaim', 2], ['job', 1.5], ['container', 1.5],
  ['device', 1.5], ['cluster', 1], ['alertname', 1], ['severity', 0.2], ['replica', 0],
  ['prometheus', 0],
]);
const weightOther = 0.7;
/** A label that only one side has tells less than one on which both differ. */
const oneSided = 0.5;

/** Labels whose values are names people read, for saying what two alerts share. */
const telling = [
  'pod', 'instance', 'node', 'service', 'workload', 'persistentvolumeclaim', 'namespace', 'job',
  'container', 'device', 'cluster',
];

/** Weighted Jaccard similarity of label pairs, 0 to 1. */
export function labelSimilarity(a: LabelSet, b: LabelSet): number {
  let shared = 0;
  let union = 0;
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const weight = weights.get(name) ?? weightOther;
    const [left, right] = [labelOf(a, name), labelOf(b, name)];
    const isShared = left !== null && left === right;
    if (isShared) shared += weight;
    union += left === null || right === null ? weight * oneSided : weight;
  }
  return union === 0 ? 0 : shared / union;
}

/** How close two alerts' objects are, 0 to 1, as far as labels tell. */
export function topologySimilarity(a: LabelSet, b: LabelSet): number {
  const same = (name: string): boolean => isSameValue(a, b, name);
  const isSamePod = same('pod') && same('namespace');
  if (isSamePod || same('instance') || same('node') && !differ(a, b, 'pod')) return 1;
  if (isPodOnNode(a, b) || isPodOnNode(b, a)) return 0.8;
  return same('namespace') || same('workload') || same('service') ? 0.4 : 0;
}

/** The most telling labels on which both agree, as `name value`. */
export function sharedLabels(a: LabelSet, b: LabelSet): string[] {
  return telling
    .filter((name) => isSameValue(a, b, name))
    .map((name) => `${name} ${labelOf(a, name) ?? ''}`);
}

function isSameValue(a: LabelSet, b: LabelSet, name: string): boolean {
  const value = labelOf(a, name);
  return value !== null && value !== '' && value === labelOf(b, name);
}

function differ(a: LabelSet, b: LabelSet, name: string): boolean {
  return labelOf(a, name) !== labelOf(b, name);
}

/** One alert is about a pod, the other about the node it runs on. */
function isPodOnNode(pod: LabelSet, node: LabelSet): boolean {
  const host = labelOf(pod, 'node');
  if (host === null || host === '' || labelOf(pod, 'pod') === null) return false;
  if (labelOf(node, 'pod') !== null) return false;
  const instance = (labelOf(node, 'instance') ?? '').replace(/:\d+$/u, '');
  return labelOf(node, 'node') === host || instance === host;
}
