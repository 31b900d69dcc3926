import { clusterLabels, labelOf, type LabelSet } from '../../../alert/labels.ts';
import { objectLabels } from '../../../report/alert-place.ts';
import { machineLabels } from '../../place.ts';

/** A cluster of anything is where targets are, and no part of one. */
const ofClusters = /(?:^|_)cluster$/u;
/** Labels of things of which one target has several, though it may happen to have one. */
const ofParts: ReadonlySet<string> = new Set(objectLabels.filter((name) =>
  ![...machineLabels, ...clusterLabels].includes(name) && !ofClusters.test(name)));

/**
 * Tells the series of targets that belong elsewhere: a label of the alert's own series, such as a
 * host or a shard, says where each target is, as none has two values of it, and theirs is another.
 * What is ill there explains nothing here.
 */
export function isElsewhere(
  series: readonly LabelSet[],
  own: LabelSet,
): (labels: LabelSet) => boolean {
  const others = new Set<string>();
  for (const name of Object.keys(own).filter((each) => !ofParts.has(each))) {
    const values = new Map<string, Set<string>>();
    for (const labels of series) {
      const [target, value] = [targetOf(labels), labelOf(labels, name)];
      if (target === null || !value) continue;
      values.set(target, (values.get(target) ?? new Set()).add(value));
    }
    const all = [...values.values()];
    const isOwn = (of: ReadonlySet<string>): boolean => of.has(labelOf(own, name) ?? '');
    if (!all.some(isOwn) || all.some(({ size }) => size > 1)) continue;
    for (const [target, of] of values) if (!isOwn(of)) others.add(target);
  }
  return (labels) => others.has(targetOf(labels) ?? '');
}

function targetOf(labels: LabelSet): string | null {
  const instance = labelOf(labels, 'instance') || labelOf(labels, 'pod');
  return instance ? `${labelOf(labels, 'job') ?? ''} ${instance}` : null;
}
