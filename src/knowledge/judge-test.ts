import { labelOf, noLabels, type LabelSet } from '../alert/labels.ts';
import type { TestAnswer } from '../evidence/metric-facts.ts';
import { shownText } from '../report/shown-text.ts';
import type { Bounds } from './family.ts';

/** A single series is not named by where its target is. */
const placeLabels: ReadonlySet<string> = new Set([
  '__name__', 'job', 'namespace', 'service', 'cluster', 'region', 'zone', 'env', 'environment',
]);

/**
 * What the samples of a test's answer say about its cause, by the bounds of the test; `undecided`
 * when they lie between the bounds, or when none is finite.
 */
export function judgeTest(
  bounds: Bounds,
  samples: readonly number[],
): 'supported' | 'ruled_out' | 'undecided' {
  const finite = samples.filter(Number.isFinite);
  if (finite.length === 0) return 'undecided';
  const decisive = 'atLeast' in bounds ? Math.max(...finite) : Math.min(...finite);
  if (supports(bounds, decisive)) return 'supported';
  return rulesOut(bounds, decisive) ? 'ruled_out' : 'undecided';
}

/** Whether one sample supports the cause. */
export function supports(bounds: Bounds, sample: number): boolean {
  if ('atLeast' in bounds) return sample >= bounds.atLeast;
  return bounds.atMost !== undefined && sample <= bounds.atMost;
}

function rulesOut(bounds: Bounds, sample: number): boolean {
  if ('atLeast' in bounds) return bounds.notUpTo !== undefined && sample <= bounds.notUpTo;
  return bounds.notFrom !== undefined && sample >= bounds.notFrom;
}

/** A series that supports a cause, named by the labels that distinguish it from the others. */
export interface Leading {
  readonly who: string;
  readonly value: number;
}

/** The series that support the cause, best first; none if the answer does not name any. */
export function leadingOf(
  { samples, labels }: Pick<TestAnswer, 'samples' | 'labels'>,
  bounds: Bounds,
): Leading[] {
  const isHigh = 'atLeast' in bounds;
  const differs = (name: string): boolean =>
    new Set(labels.map((set) => labelOf(set, name))).size > 1;
  const names = Object.keys(labels[0] ?? {}).filter((name) =>
    samples.length === 1 ? !placeLabels.has(name) : differs(name));
  if (names.length === 0) return [];
  return samples
    .map((value, index) => ({ value, labels: labels[index] ?? noLabels }))
    .filter(({ value }) => supports(bounds, value))
    .sort((a, b) => (isHigh ? b.value - a.value : a.value - b.value))
    .map(({ value, labels: own }) => {
      const who = names.map((name) => labelOf(own, name) ?? '').filter(Boolean).join(' ');
      return { who: shownText(who, 80), value };
    });
}

/** Whom an answer names, if it is one alone that supports the cause. */
export function namedBy(
  answer: readonly { readonly labels: LabelSet; readonly value: number }[],
  bounds: Bounds,
): string | null {
  const samples = answer.map(({ value }) => value);
  const leading = leadingOf({ samples, labels: answer.map(({ labels }) => labels) }, bounds);
  return leading.length === 1 ? leading[0]?.who ?? null : null;
}
