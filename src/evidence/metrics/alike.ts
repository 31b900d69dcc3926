/**
 * Alerts of one rule that differ only in which instance, queue or the like they are about are asked
 * about together: the same question for all of them, of which each keeps its own part, costs the
 * server one query.
 */
import { alertNameOf } from '../../alert/alert.ts';
import { clusterLabels, labelOf, noLabels, type LabelSet } from '../../alert/labels.ts';
import type { CaseFile } from '../../report/case-file.ts';
import { namesOf } from './matching-labels.ts';

/** The labels in which they differ, each with all values, the alert's own among them. */
export type Alternatives = ReadonlyMap<string, readonly string[]>;

const none: Alternatives = new Map();
/** Most alerts of a group; a storm has reports of its own, and more names make long queries. */
const membersMax = 10;
/** They may differ in these at most: an instance, and a pod with it. */
const differingMax = 2;
/** Which thing it is, and where. */
const fixed: ReadonlySet<string> = new Set([
  'job', 'namespace', 'exported_namespace', ...clusterLabels,
]);

/** Empty for an alert that is alone, or has too many beside it. */
export function alternativesOf(
  { alert: { labels }, openAlerts }: Pick<CaseFile, 'alert' | 'openAlerts'>,
): Alternatives {
  const others = openAlerts.map((other) => other.labels).filter((other) => isAlike(other, labels));
  if (others.length === 0 || others.length >= membersMax) return none;
  const names = namesOf(labels).filter((name) =>
    others.some((other) => labelOf(other, name) !== labelOf(labels, name)));
  return new Map(names.map((name) => [name, [...new Set([labels, ...others]
    .map((each) => labelOf(each, name) ?? ''))].sort()]));
}

function isAlike(other: LabelSet, labels: LabelSet): boolean {
  const names = namesOf(labels);
  if (alertNameOf(other) !== alertNameOf(labels) || namesOf(other).length !== names.length ||
    names.some((name) => labelOf(other, name) === null)) return false;
  const differing = names.filter((name) => labelOf(other, name) !== labelOf(labels, name));
  return differing.length <= differingMax && differing.every((name) => !fixed.has(name));
}

/** Whether the labels of a series are none of another alert's. */
export function isOfAlert(
  series: LabelSet,
  labels: LabelSet = noLabels,
  alternatives: Alternatives = none,
): boolean {
  return [...alternatives.keys()].every((name) => {
    const value = labelOf(series, name) ?? '';
    return value === '' || value === labelOf(labels, name);
  });
}

/** The same answer without the samples or series of other alerts. */
export function onlyOfAlert<Answer extends { readonly samples: readonly { labels: LabelSet }[] }>(
  answer: Answer | null, labels: LabelSet, alternatives: Alternatives,
): Answer | null {
  return answer === null || alternatives.size === 0 ? answer
    : { ...answer, samples: answer.samples.filter((each) =>
      isOfAlert(each.labels, labels, alternatives)) };
}
