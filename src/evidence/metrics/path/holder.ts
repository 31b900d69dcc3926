/** Who holds the connections that others wait for, by what programs say of their own pools. */
import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { groupBy } from '../../../lib/group-by.ts';
import type { HopFault } from '../../../report/path.ts';
import { isoAt } from '../series-data.ts';
import type { Split } from './counting.ts';
import { hopOf, type FoundHop, type Walking } from './hops.ts';
import { isHeld } from './pools.ts';
import type { Thing } from './things.ts';
import type { PathView } from './views.ts';

/** Faults of a store or a pooler that somebody who keeps connections explains. */
const explained: ReadonlySet<HopFault['kind']> = new Set(['waiting', 'full', 'locked']);
/** Connections that one program holds more than before, at least. */
const moreMin = 5;
const timesMin = 3;
/** Its part of all that are held more than before. */
const shareMin = 0.6;
const momentMs = 45_000;

interface Holding {
  readonly view: PathView;
  readonly metric: string;
  readonly labels: LabelSet;
  readonly before: number;
  readonly now: number;
  readonly since: string | null;
}

/** The one instance of a program that holds most of what is held more than before, as a hop. */
export function holderHop(hop: FoundHop, walking: Walking): FoundHop | null {
  const { views, directory, host: { split } } = walking;
  const [at] = hop.views;
  if (at === undefined || directory.productOf(at.thing) === null ||
    !hop.faults.some(({ kind, until }) => explained.has(kind) && until === null)) return null;
  const all = [...views.values()].filter(({ thing }) =>
    thing.role === 'app' && directory.isNear(thing, at.thing) && !isWaiting(thing, views))
    .flatMap((view) => holdingsOf(view, split));
  const moreOf = ({ now, before }: Holding): number => Math.max(0, now - before);
  const [first] = all.toSorted((a, b) => moreOf(b) - moreOf(a));
  const more = all.reduce((sum, each) => sum + moreOf(each), 0);
  if (first === undefined || moreOf(first) < Math.max(moreMin, shareMin * more) ||
    first.now < timesMin * first.before) return null;
  const { view, metric, labels, now, before, since } = first;
  if (!(Date.parse(since ?? '') <= Date.parse(hop.since ?? '') + momentMs)) return null;
  return hopOf(view, {
    relation: 'holder', walking, faults: [{
      kind: 'holds', seen_by: 'itself', what: 'connections', metric, labels, value: now, before,
      limit: null, since, until: null,
    }],
  });
}

/** Whoever waits for the store itself keeps its connections for as long. */
function isWaiting(thing: Thing, views: Walking['views']): boolean {
  return views.get(thing)?.counters.faults.some(({ kind }) => kind === 'slow') === true;
}

/** What each instance of a program holds, by each metric that says so. */
function holdingsOf(view: PathView, split: Split): Holding[] {
  const { answer: { series, grid } } = view;
  const counting = series.filter(({ labels }) => isHeld(labelOf(labels, '__name__') ?? ''));
  const groups = groupBy(counting, ({ labels }) => JSON.stringify(
    ['__name__', 'instance', 'pod'].map((name) => labelOf(labels, name))));
  return [...groups.values()].flatMap((group): Holding[] => {
    const sumAt = (index: number): number => group.reduce((sum, { values }) =>
      sum + (Number.isFinite(values[index]) ? values[index] ?? 0 : 0), 0);
    const before = Math.min(sumAt(0), sumAt(split.before));
    const now = sumAt(split.until);
    const from = Array.from({ length: split.until + 1 }, (_, index) => index)
      .find((index) => sumAt(index) >= before + (now - before) / 4);
    const [{ labels }] = group;
    const instance = labelOf(labels, 'instance');
    return [{
      view, metric: labelOf(labels, '__name__') ?? '', before, now,
      labels: instance === null ? {} : { instance },
      since: from === undefined ? null : isoAt(grid, from),
    }];
  });
}
