import { FormatError, plainObject, type Parser } from '../lib/parse.ts';
import { shortened } from '../lib/shortened.ts';

/**
 * Label or annotation names and their values. The object may come straight from `JSON.parse`, so
 * `__proto__` or `constructor` can be names like any other: read with {@linkcode labelOf}.
 */
export type LabelSet = Readonly<Record<string, string>>;

/** Limits of one label set, beyond which the alert is invalid. Sizes are in UTF-8 bytes. */
export const labelLimits: { count: number; nameBytes: number; valueBytes: number } = {
  count: 256,
  nameBytes: 1024,
  valueBytes: 64 * 1024,
};

/** How much of a set's values is kept, in UTF-16 units: twice the longest valid value. */
const keptLengthMax = 128 * 1024;
/** To what length a value that does not fit is cut, in UTF-16 units. */
const cutLength = 200;
/** Names and values together, in UTF-16 units, of labels that groups and series are compared by. */
const comparedLengthMax = 4 * 1024;

export const noLabels: LabelSet = Object.freeze({});

/** The value of a label, or null. Ignores inherited members such as `constructor`. */
export function labelOf(labels: LabelSet, name: string): string | null {
  return Object.hasOwn(labels, name) ? (labels[name] ?? null) : null;
}

/** Labels for a cluster, the usual one first. */
export const clusterLabels: readonly string[] = [
  'cluster', 'cluster_name', 'k8s_cluster_name', 'k8s_cluster', 'kubernetes_cluster',
];

/** Labels that are added to alerts and that series do not have. */
export const usuallyAdded: ReadonlySet<string> = new Set([
  'severity', 'priority', 'team', 'prometheus', 'prometheus_replica', 'replica', 'monitor',
  'alertgroup', 'receive', 'tenant_id', 'ruler_cluster',
]);

/** Labels that tell of a rule and of whom it notifies, and not what it is about. */
const ofRule: ReadonlySet<string> = new Set([
  ...usuallyAdded, 'alertname', 'alertstate', 'owner', 'type', 'source', 'receiver', 'channel',
  'squad', 'release', 'rulename', 'grafana_folder', 'datasource_uid', 'ref_id', 'ruleId',
  'ruleSource',
]);

/** Whether a label may tell what an alert is about. */
export function tellsThing(name: string): boolean {
  return !ofRule.has(name) && !name.startsWith('__') && !name.endsWith('_replica');
}

/** The cluster that an alert names, or null. */
export function clusterOf(labels: LabelSet): string | null {
  const name = clusterLabels.find((label) => labelOf(labels, label));
  return name === undefined ? null : labelOf(labels, name);
}

/** Checks the object in place, without copying it: assigning `__proto__` would set a prototype. */
export const labelSet: Parser<LabelSet> = (value, path) => {
  const labels = plainObject(value, path);
  const names = Object.keys(labels);
  if (names.length > labelLimits.count) {
    throw new FormatError(path, `at most ${labelLimits.count} names`, value);
  }
  for (const name of names) {
    const member = labels[name];
    if (typeof member !== 'string') throw new FormatError(`${path}.*`, 'a string', member);
    if (isLongerThan(name, labelLimits.nameBytes)) {
      throw new FormatError(`${path}.*`, `a name of at most ${labelLimits.nameBytes} bytes`, name);
    }
    if (isLongerThan(member, labelLimits.valueBytes)) {
      const expected = `a value of at most ${labelLimits.valueBytes} bytes`;
      throw new FormatError(`${path}.*`, expected, member);
    }
  }
  return labels as LabelSet;
};

/** A UTF-16 unit takes at most three bytes, so most texts need not be encoded. */
function isLongerThan(text: string, bytes: number): boolean {
  return text.length * 3 > bytes && Buffer.byteLength(text) > bytes;
}

/**
 * Limits the total length of the values, as an analysis holds many copies of them: a valid set may
 * have 16 MB, and a thread that runs out of memory in one allocation takes the process down. Values
 * that do not fit are cut; those of up to 200 characters never are.
 */
export function keptLabels(labels: LabelSet): LabelSet {
  let left = keptLengthMax;
  if (textLengthOf(labels) <= left) return labels;
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => {
    const kept = value.length > left ? shortened(value, cutLength) : value;
    left -= kept.length;
    return [name, kept];
  }));
}

/** The labels by which groups and series are compared: as many as fit, shortest first, uncut. */
export function comparedLabels(labels: LabelSet): LabelSet {
  let left = comparedLengthMax;
  if (textLengthOf(labels) <= left) return labels;
  const lengthOf = ([name, value]: [string, string]): number => name.length + value.length;
  const byLength = Object.entries(labels).sort((a, b) => lengthOf(a) - lengthOf(b));
  return Object.fromEntries(byLength.filter((entry) => (left -= lengthOf(entry)) >= 0));
}

/** The length of all names and values, in UTF-16 units. */
export function textLengthOf(labels: LabelSet): number {
  let length = 0;
  for (const name of Object.keys(labels)) length += name.length + (labels[name] ?? '').length;
  return length;
}
