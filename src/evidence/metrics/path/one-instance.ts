import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { groupBy } from '../../../lib/group-by.ts';
import { addressIn, hostName } from './directory.ts';
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
 * @param instanceIn The instance that a series is about; empty for none of them.
 */
export function oneInstance<T extends Series>(
  group: readonly T[],
  { targets }: Pick<Thing, 'targets'>,
  weightOf: (series: readonly T[]) => number,
  others: readonly T[] = [],
  instanceIn: (labels: LabelSet) => string = (labels) => labelOf(labels, 'instance') ?? '',
): LabelSet {
  const instances = new Set(targets.map(({ labels }) => labelOf(labels, 'instance')));
  if (instances.size < 2 || instances.has(null)) return {};
  const wrong = [...groupBy(group, ({ labels }) => instanceIn(labels))]
    .map(([instance, each]) => ({ instance, weight: weightOf(each) }))
    .sort((a, b) => b.weight - a.weight);
  const [first] = wrong;
  const all = wrong.reduce((sum, { weight }) => sum + weight, 0);
  if (first === undefined || !(first.weight >= shareMin * all) || all <= 0) return {};
  if (first.instance === '') return {};
  const [its, whole] = [weightOf(others.filter(({ labels }) =>
    instanceIn(labels) === first.instance)), weightOf(others)];
  const usual = whole > 0 ? its / whole : 1 / instances.size;
  return first.weight / all - usual < aheadMin ? {} : { instance: first.instance };
}

/** The instance of what is called that a value names, by its address or its host; empty if none. */
export function instanceNamed(value: string, { targets }: Pick<Thing, 'targets'>): string {
  const [at, host] = [addressIn(value), hostName(value)];
  const named = targets.map(({ labels }) => labelOf(labels, 'instance') ?? '').filter((each) =>
    addressIn(each) === at || (host !== null && hostName(each) === host));
  return named.length === 1 ? named[0] ?? '' : '';
}
