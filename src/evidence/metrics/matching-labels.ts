import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { anyOf, type Matcher } from '../../sources/promql-text.ts';

/** Whether `whole` has every label of `part`, except its name and state, with the same value. */
function isWithin(part: LabelSet, whole: LabelSet): boolean {
  return namesOf(part).every((name) => labelOf(part, name) === labelOf(whole, name));
}

/** The label names, without the metric's name and the state of an alert. */
export function namesOf(labels: LabelSet): string[] {
  return Object.keys(labels).filter((name) => name !== '__name__' && name !== 'alertstate');
}

const looseMax = 24;
const looseLengthMax = 500;

/**
 * Matchers for series that have these labels or lack them: any of an alert's labels may be an
 * external one, which the series of its server do not have.
 */
export function looseMatchers(
  labels: LabelSet,
  /** Other values that are as good, by name. */
  alternatives?: ReadonlyMap<string, readonly string[]>,
): Matcher[] {
  const valuesOf = (name: string): readonly string[] =>
    alternatives?.get(name) ?? [labelOf(labels, name) ?? ''];
  return namesOf(labels)
    .filter((name) => name !== 'alertname' && !name.startsWith('__'))
    .filter((name) => (labelOf(labels, name)?.length ?? 0) <= looseLengthMax)
    .sort()
    .slice(0, looseMax)
    .map((name) => ({ name, op: '=~', value: `${anyOf(valuesOf(name))}|` }));
}

/** Matchers for series with exactly these labels; empty ones are left out. */
export function exactMatchers(
  labels: LabelSet,
  names: readonly string[],
  /** Other values that are as good, by name, where the label has one of them. */
  alternatives?: ReadonlyMap<string, readonly string[]>,
): Matcher[] {
  return names.flatMap((name): Matcher[] => {
    const value = labelOf(labels, name);
    const others = alternatives?.get(name);
    if (value !== null && others?.includes(value) === true) {
      return [{ name, op: '=~', value: anyOf(others) }];
    }
    return value === null || value === '' ? [] : [{ name, op: '=', value } as const];
  });
}

/**
 * The series that an alert is about: the closest, or if there is none, because relabelling dropped
 * labels from the alert, the only one that does not contradict it.
 */
export function ownAmong<T extends { readonly labels: LabelSet }>(
  series: readonly T[],
  alert: LabelSet,
): T | null {
  const best = closestTo(series, alert);
  if (best !== null) return best;
  const fitting = series.filter(({ labels }) => {
    const shared = namesOf(labels).filter((name) => labelOf(alert, name) !== null);
    return shared.length > 0 && shared.every((name) => labels[name] === labelOf(alert, name));
  });
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

/** The one with the most labels, all of which the alert has. */
export function closestTo<T extends { readonly labels: LabelSet }>(
  series: readonly T[],
  alert: LabelSet,
): T | null {
  const count = ({ labels }: T): number => namesOf(labels).length;
  const within = series.filter(({ labels }) => isWithin(labels, alert));
  return within.sort((a, b) => count(b) - count(a))[0] ?? null;
}

/** The series with exactly these labels, whatever its metric name. */
export function seriesOf<T extends { readonly labels: LabelSet }>(
  series: readonly T[],
  labels: LabelSet,
): T | undefined {
  const key = unnamedKey(labels);
  return series.find((each) => unnamedKey(each.labels) === key);
}

/** The same for equal labels, in whatever order. */
export function labelKey(labels: LabelSet): string {
  const names = Object.keys(labels).sort();
  return names.map((name) => `${name}\u0001${labels[name] ?? ''}`).join('\u0000');
}

/** The same without the metric name, which calculations drop. */
export function unnamedKey({ __name__: _, ...labels }: LabelSet): string {
  return labelKey(labels);
}
