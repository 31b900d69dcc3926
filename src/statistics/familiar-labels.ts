import { labelOf, type LabelSet } from '../alert/labels.ts';
import { compareText } from '../lib/compare-text.ts';
import { isFromKubeStateMetrics } from './names/component-label.ts';

/** Labels that people know things by, the most familiar first. */
const preferred = [
  'pod', 'instance', 'node', 'container', 'service', 'app', 'deployment', 'workload', 'host',
  'job', 'namespace', 'cluster', 'queue', 'topic',
];
/** Labels that are never reported: parts of one histogram, and ids that mean nothing to people. */
const unreported: ReadonlySet<string> = new Set(['__name__', 'le', 'quantile', 'uid', 'id']);

/** Labels that say how a thing went: they are what is counted, and never who does it. */
const ofOutcome = new RegExp(
  '(?:^|_)(?:codes?|status|statuscode|outcome|result|exception|error|error_type|rcode|reason)$',
  'iu');

/** Whether a label says how something went, and not who did it or to what. */
export function isOfOutcome(label: string): boolean {
  return ofOutcome.test(label);
}

/** States that exclude one another, in which one thing is after the other. */
const ofState = /(?:^|_)(?:state|mode|phase)$/iu;

/**
 * The labels of series of one metric that say how something went: by their name, or because how it
 * went decides their value, as who answers with 429 is always the same.
 */
export function outcomeLabels(series: readonly LabelSet[]): ReadonlySet<string> {
  const names = [...new Set(series.flatMap((labels) => Object.keys(labels)))];
  const plain = names.filter((name) => isOfOutcome(name) || ofState.test(name));
  const outcomeOf = (labels: LabelSet): string =>
    plain.map((name) => labelOf(labels, name) ?? '').join('\u0000');
  const outcomes = new Set(series.map(outcomeOf));
  const isDecided = (name: string): boolean => {
    const values = new Set(series.map((labels) => labelOf(labels, name) ?? ''));
    const pairs = new Set(series.map((labels) =>
      `${outcomeOf(labels)}\u0000${labelOf(labels, name) ?? ''}`));
    return values.size > 1 && values.size < series.length && pairs.size === outcomes.size;
  };
  return new Set([...plain, ...(outcomes.size < 2 ? [] : names.filter(isDecided))]);
}

/** What was done, of which there are a few kinds for everything. */
const ofVerb = /(?:^|_)(?:method|verb|action|cause|direction|kind|type|gc|area|phase)$/iu;

/** Whether a label says what was done or which kind it is of, of which everything has all. */
export function isOfKind(label: string): boolean {
  return ofVerb.test(label);
}

/** A label whose values tell `these` from each other and from `others`; null if there is none. */
export function distinguishingLabel(
  these: readonly LabelSet[],
  others: readonly LabelSet[] = [],
): string | null {
  const all = [...these, ...others];
  return familiarLabels(these).find((name) => {
    return these.every((own) => labelOf(own, name) !== null &&
      all.every((other) => other === own || labelOf(other, name) !== labelOf(own, name)));
  }) ?? null;
}

/** Label names, the most familiar first, without those that describe the collector itself. */
export function familiarLabels(series: readonly LabelSet[]): string[] {
  const names = new Set(series.flatMap((labels) => Object.keys(labels)));
  // The window of a recording rule says which rule it is, not what contributes.
  const isCollectors = (name: string): boolean => unreported.has(name) ||
    /(?:^|_)window$/u.test(name) || names.has(`exported_${name}`) ||
    series.some((labels) => isFromKubeStateMetrics(labels) &&
      (name === 'instance' || isFromKubeStateMetrics({ job: labelOf(labels, name) ?? '' })));
  const rank = (name: string): number => isOfOutcome(name) ? preferred.length + 3
    : ofVerb.test(name) ? preferred.length + 2
      : (preferred.indexOf(name.replace(/^exported_/u, '')) + 1) || preferred.length + 1;
  return [...names].filter((name) => !isCollectors(name))
    .sort((a, b) => rank(a) - rank(b) || compareText(a, b));
}

/** Whether people know things by this label. */
export function isFamiliar(label: string): boolean {
  return preferred.includes(label);
}
