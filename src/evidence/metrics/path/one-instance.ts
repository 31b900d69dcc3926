import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { groupBy } from '../../../lib/group-by.ts';
import type { Thing } from './things.ts';

interface Series {
  readonly labels: LabelSet;
}

/** From this share of what went wrong on, it is one instance that does it. */
const shareMin = 0.8;
/** That share is higher than its share of what went well by this much, at least. */
const aheadMin = 0.3;

/**
 * The label of the one instance, of several, that accounts for nearly all of what went wrong; empty
 * where it has no more than its part of everything.
 *
 * @param weightOf How much went wrong in some of the series, or well.
 * @param others Series of what went well; without any, all instances count alike.
 */
export function oneInstance<T extends Series>(
  group: readonly T[],
  { targets }: Pick<Thing, 'targets'>,
  weightOf: (series: readonly T[]) => number,
  others: readonly T[] = [],
): LabelSet {
  const instances = new Set(targets.map(({ labels }) => labelOf(labels, 'instance')));
  if (instances.size < 2 || instances.has(null)) return {};
  const wrong = [...groupBy(group, ({ labels }) => labelOf(labels, 'instance') ?? '')]
    .map(([instance, each]) => ({ instance, weight: weightOf(each) }))
    .sort((a, b) => b.weight - a.weight);
  const [first] = wrong;
  const all = wrong.reduce((sum, { weight }) => sum + weight, 0);
  if (first === undefined || !(first.weight >= shareMin * all) || all <= 0) return {};
  const [its, whole] = [weightOf(others.filter(({ labels }) =>
    labelOf(labels, 'instance') === first.instance)), weightOf(others)];
  const usual = whole > 0 ? its / whole : 1 / instances.size;
  return first.weight / all - usual < aheadMin ? {} : { instance: first.instance };
}
