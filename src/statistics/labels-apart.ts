import { labelOf, type LabelSet } from '../alert/labels.ts';
import { compareText } from '../lib/compare-text.ts';
import { groupBy } from '../lib/group-by.ts';
import { isReplicaLabel } from './replica-collapse.ts';

/** As many labels as a title has room for. */
const labelsMax = 2;

interface Labelled {
  readonly component: string;
  readonly metric: string;
  readonly labels: LabelSet;
}

/**
 * For each series, the labels that distinguish it from the others of its metric and component:
 * `cmd` where a store counts its commands. At most two, the most telling first; none for replicas,
 * and none for a series that is alone.
 */
export function labelsApart<T extends Labelled>(all: readonly T[]): Map<T, readonly string[]> {
  const groups = groupBy(all, ({ component, metric }) => `${component}\u0000${metric}`);
  const found = new Map<T, readonly string[]>();
  for (const group of groups.values()) {
    const names = differing(group);
    for (const each of group) found.set(each, distinguishingNames(names, each, group));
  }
  return found;
}

/** Labels about where a series was scraped or stored, not about what it measures. */
const aboutScraping: ReadonlySet<string> = new Set([
  '__name__', 'le', 'quantile', 'endpoint', 'metrics_path', 'prometheus', 'image', 'instance',
]);

/** Numbers of what another label names: `datid` beside `datname`. */
export const identifiers: ReadonlySet<string> = new Set(['datid', 'usesysid', 'relid']);

/** The labels with several values in the group, those with most values first. */
function differing(group: readonly [Labelled, ...Labelled[]]): string[] {
  const [{ metric }] = group;
  const names = new Set(group.flatMap(({ labels }) => Object.keys(labels)));
  return [...names]
    .filter((name) => !isReplicaLabel(name, metric) && !aboutScraping.has(name))
    .map((name) => ({ name, count: new Set(group.map((each) => valueOf(each, name))).size }))
    .filter(({ count }) => count > 1)
    .sort((a, b) => Number(identifiers.has(a.name)) - Number(identifiers.has(b.name)) ||
      b.count - a.count || compareText(a.name, b.name))
    .map(({ name }) => name);
}

/** Takes one label after the other, as long as it rules out series that the others leave. */
function distinguishingNames(
  names: readonly string[],
  one: Labelled,
  group: readonly Labelled[],
): string[] {
  const taken: string[] = [];
  let rivals = group;
  for (const name of names) {
    const own = valueOf(one, name);
    const left = rivals.filter((rival) => valueOf(rival, name) === own);
    if (own === '' || left.length === rivals.length) continue;
    taken.push(name);
    rivals = left;
    if (taken.length === labelsMax) break;
  }
  return taken;
}

/** A label that is missing is the same as an empty one. */
function valueOf({ labels }: Labelled, name: string): string {
  return labelOf(labels, name) ?? '';
}
