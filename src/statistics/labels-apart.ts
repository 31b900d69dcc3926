import { compareText } from '../lib/compare-text.ts';
import { groupBy } from '../lib/group-by.ts';
import { isReplicaLabel } from './replica-collapse.ts';

/** As many labels as a title has room for. */
const labelsMax = 2;

interface Labelled {
  readonly component: string;
  readonly metric: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * For each series, the labels that tell it from the others of its metric and component: `cmd` where
 * a store counts its commands. At most two, the most telling first; none for replicas, and none for
 * a series that is alone.
 */
export function labelsApart<T extends Labelled>(all: readonly T[]): Map<T, readonly string[]> {
  const groups = groupBy(all, ({ component, metric }) => `${component}\u0000${metric}`);
  const found = new Map<T, readonly string[]>();
  for (const group of groups.values()) {
    const names = differing(group);
    for (const each of group) found.set(each, tellApart(names, each, group));
  }
  return found;
}

/** Labels about where a series was scraped or stored, not about what it measures. */
const aboutScraping: ReadonlySet<string> = new Set([
  '__name__', 'le', 'quantile', 'endpoint', 'metrics_path', 'prometheus', 'image', 'instance',
]);

/** The labels with several values in the group, those with most values first. */
function differing(group: readonly Labelled[]): string[] {
  if (group.length < 2) return [];
  const values = new Map<string, Set<string>>();
  for (const { labels = {}, metric } of group) {
    for (const [name, value] of Object.entries(labels)) {
      if (isReplicaLabel(name, metric) || aboutScraping.has(name)) continue;
      values.set(name, (values.get(name) ?? new Set()).add(value));
    }
  }
  const missing = (name: string): number =>
    group.some(({ labels = {} }) => !Object.hasOwn(labels, name)) ? 1 : 0;
  return [...values]
    .map(([name, set]) => ({ name, count: set.size + missing(name) }))
    .filter(({ count }) => count > 1)
    .sort((a, b) => b.count - a.count || compareText(a.name, b.name))
    .map(({ name }) => name);
}

/** Takes one label after the other, as long as it rules out series that the others leave. */
function tellApart(names: readonly string[], one: Labelled, group: readonly Labelled[]): string[] {
  const own = one.labels ?? {};
  const taken: string[] = [];
  let rivals = group;
  for (const name of names) {
    if (taken.length === labelsMax) break;
    if ((own[name] ?? '') === '') continue;
    const left = rivals.filter(({ labels = {} }) => labels[name] === own[name]);
    if (left.length === rivals.length) continue;
    taken.push(name);
    rivals = left;
  }
  return taken;
}
