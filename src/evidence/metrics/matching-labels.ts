import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { escapeRegex } from '../../lib/promql-string.ts';
import type { Matcher } from '../../sources/promql-text.ts';

/** Whether every label of `part`, but its name and state, stands in `whole` with that value. */
export function isWithin(part: LabelSet, whole: LabelSet): boolean {
  return namesOf(part).every((name) => labelOf(part, name) === labelOf(whole, name));
}

/** Names of the labels that tell series apart. */
export function namesOf(labels: LabelSet): string[] {
  return Object.keys(labels).filter((name) => name !== '__name__' && name !== 'alertstate');
}

const looseMax = 24;
const looseLengthMax = 500;

/**
 * Matchers for the series that have these labels or lack them: external labels are on an alert and
 * not on the series of the server that sent it, so none can be asked for with certainty.
 */
export function looseMatchers(labels: LabelSet): Matcher[] {
  return namesOf(labels)
    .filter((name) => name !== 'alertname' && !name.startsWith('__'))
    .filter((name) => (labelOf(labels, name)?.length ?? 0) <= looseLengthMax)
    .sort()
    .slice(0, looseMax)
    .map((name) => ({ name, op: '=~', value: `${escapeRegex(labelOf(labels, name) ?? '')}|` }));
}

/** Matchers for series that have these labels with the same values; those that are blank go. */
export function exactMatchers(labels: LabelSet, names: readonly string[]): Matcher[] {
  return names.flatMap((name) => {
    const value = labelOf(labels, name);
    return value === null || value === '' ? [] : [{ name, op: '=', value } as const];
  });
}

/**
 * The series an alert is about: the one all of whose labels the alert has, the most of them first.
 * Where relabelling took labels off the alert, the only one that contradicts none of them.
 */
export function ownAmong<T extends { readonly labels: LabelSet }>(
  series: readonly T[],
  alert: LabelSet,
): T | null {
  const count = ({ labels }: T): number => namesOf(labels).length;
  const within = series.filter(({ labels }) => isWithin(labels, alert));
  const [best] = within.toSorted((a, b) => count(b) - count(a));
  if (best !== undefined) return best;
  const fitting = series.filter(({ labels }) => {
    const shared = namesOf(labels).filter((name) => labelOf(alert, name) !== null);
    return shared.length > 0 && shared.every((name) => labels[name] === labelOf(alert, name));
  });
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

/** The one that has just these labels, whatever its name. */
export function seriesOf<T extends { readonly labels: LabelSet }>(
  series: readonly T[],
  labels: LabelSet,
): T | undefined {
  const key = unnamedKey(labels);
  return series.find((each) => unnamedKey(each.labels) === key);
}

/** A text for a set of labels that depends on nothing but them. */
export function labelKey(labels: LabelSet): string {
  const names = Object.keys(labels).sort();
  return names.map((name) => `${name}\u0001${labels[name] ?? ''}`).join('\u0000');
}

/** The same without the metric's name, which calculating takes off a series. */
export function unnamedKey({ __name__: _, ...labels }: LabelSet): string {
  return labelKey(labels);
}
