/**
 * What else fails at the moment of an alert. Often nothing that is scraped shows who calls whom;
 * but things of one environment whose requests go wrong at one moment have one trouble, until
 * something shows that they have two.
 */
import type { Beside } from '../../../report/path.ts';
import type { Directory } from './directory.ts';
import { hopOf, ownFaults, sinceOf, type FoundHop, type Walking } from './hops.ts';
import type { Thing } from './things.ts';
import type { PathView } from './views.ts';

/** Series that show the same moment are apart by so much: two scrapes, and the step of the grid. */
const momentMs = 45_000;
/** What is behind an alert may show its trouble earlier. */
const behindMs = 120_000;
/** What fails with it, hardly; a rule may take as long as that to show what it is about. */
const [besideMs, besideRuleMs] = [60_000, 120_000];
const shownMax = 8;
const faultsShownMax = 2;

/** Those that are known to work for others, whoever calls them: stores, brokers, name servers. */
const resolvers: ReadonlySet<string> = new Set([
  'coredns', 'kubedns', 'dnsmasq', 'unbound', 'bind', 'pdns', 'powerdns', 'nodelocaldns',
]);

/** What fails beside, with the view that shows it. */
export interface FoundBeside extends Omit<Beside, 'evidence'> {
  readonly view: PathView;
}

/** What is known of an environment. */
interface Environment {
  readonly views: ReadonlyMap<Thing, PathView>;
  readonly directory: Directory;
}

/** What goes wrong in it until now, if that began around a moment; empty if not. */
function faultsAround(
  view: PathView, { atMs, earlierMs }: { readonly atMs: number; readonly earlierMs: number },
): PathView['listed'] {
  const going = ownFaults(view).filter(({ until }) => until === null);
  const sinceMs = Date.parse(sinceOf(going) ?? '');
  return sinceMs >= atMs - earlierMs && sinceMs <= atMs + momentMs ? going : [];
}

/**
 * The things that began to fail with the first hop, or with the alert, whose problem began at
 * `onMs`, and are none of the hops; the first to fail first.
 */
export function besideOf(
  from: Thing, hops: readonly FoundHop[], onMs: number, { views, directory }: Environment,
): readonly FoundBeside[] {
  const sinceMs = Date.parse(hops[0]?.since ?? '');
  const moment = Number.isNaN(sinceMs) ? { atMs: onMs, earlierMs: besideRuleMs }
    : { atMs: sinceMs, earlierMs: besideMs };
  const onWay = new Set(hops.flatMap((hop) => hop.views.slice(0, 1)).map(({ thing }) => thing));
  const found = [...views].flatMap(([thing, view]): FoundBeside[] => {
    const faults = onWay.has(thing) || thing === from || !directory.isNear(thing, from) ? []
      : faultsAround(view, moment);
    const since = sinceOf(faults);
    return since === null ? [] : [{
      component: thing.name, labels: thing.labels, since, view,
      faults: faults.slice(0, faultsShownMax),
    }];
  });
  return found.toSorted((a, b) => a.since < b.since ? -1 : 1).slice(0, shownMax);
}

/**
 * What a thing may use that nothing shows it calls: the only one that works for others and failed
 * by its own account when it did. Null where its calls are measured, and where several did.
 */
export function sharedBy(
  view: PathView, hop: FoundHop | undefined, { views, directory }: Environment,
): PathView | null {
  const atMs = Date.parse(hop?.since ?? '');
  const { thing, counters } = view;
  if (Number.isNaN(atMs) || thing.role !== 'app' ||
    counters.calls.some(({ edge }) => !edge.isCaller)) return null;
  const failing = [...views.values()].filter((each) => each.thing !== thing &&
    isUsed(each.thing, directory) && directory.isNear(each.thing, thing) &&
    faultsAround(each, { atMs, earlierMs: behindMs }).length > 0);
  // A pooler and its store are one behind the other: what is wrong with it says more than waiting.
  const products = new Set(failing.map((each) => directory.productOf(each.thing)));
  const telling = failing.filter(({ listed }) => listed.some(({ until }) => until === null));
  const [only, ...others] = failing.length > 1 && products.size === 1 ? telling : failing;
  return others.length === 0 ? only ?? null : null;
}

function isUsed(thing: Thing, directory: Directory): boolean {
  return directory.productOf(thing) !== null || thing.programs.some((each) => resolvers.has(each));
}

/** It as a hop. */
export function sharedHop(view: PathView, walking: Walking): FoundHop {
  const faults = ownFaults(view).filter(({ until }) => until === null);
  return hopOf(view, { relation: 'shared', faults, walking });
}
