/** Follows calls from the alert's own thing to the deepest one that fails. */
import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import type { HopFault } from '../../../report/path.ts';
import { sharedBy, sharedHop } from './beside.ts';
import type { CallsTo } from './calls.ts';
import { isNotReached, isOutcome } from './failures.ts';
import { holderHop } from './holder.ts';
import {
  addFault, faultsMax, hopOf, isDown, ownFaults, probedHop, sinceOf, type FoundHop, type Walking,
} from './hops.ts';
import { hostHops } from './host.ts';
import { isSameWorld, type Thing } from './things.ts';
import { isFarSlower } from './times.ts';
import type { PathView } from './views.ts';

const hopsMax = 6;
/** What is called of which its own side is looked at, worst first. */
const calleesMax = 5;
/** Programs that may use what an exporter measures, when it is down. */
const clientsMax = 4;

/** From the thing on; `instance` is that of the alert, if it names one. */
export async function walkFrom(
  start: Thing,
  walking: Walking,
  { labels, isProbed }: {
    /** Where the alert is. */
    readonly labels: LabelSet;
    readonly isProbed: HopFault | null;
  },
): Promise<readonly FoundHop[]> {
  const view = await walking.view(start);
  if (view === null) return [];
  // What is over, or of another part, is no reason for what goes on here.
  const own = ownFaults(view).filter((fault) => fault.until === null &&
    (isProbed !== null || isOfPart(fault.labels, labels, start)));
  const relation = isProbed === null ? null : 'probed';
  const found = hopOf(view, { relation, faults: own, walking });
  // That it is up says nothing of how fast it is.
  const first = walking.isSlow && found.state === 'innocent'
    ? { ...found, state: 'unknown' as const, works: null } : found;
  const hops: FoundHop[] = isProbed === null ? [first] : [probedHop(isProbed, view), first];
  const visited = new Set([start]);
  let current: PathView | null = view;
  let missing = view.counters.slowing?.added ?? null;
  while (current !== null && hops.length < hopsMax) {
    const next: Next | null = await nextHop(current, {
      walking, visited, missing, last: hops.at(-1),
    });
    if (next === null) break;
    if (next.lastFault !== null) addFault(hops, next.lastFault);
    hops.push(next.hop);
    current = next.view;
    missing = current?.counters.slowing?.added ?? next.added ?? null;
    if (current !== null) visited.add(current.thing);
  }
  const last = hops.at(-1);
  if (last === undefined || hops.length >= hopsMax) return hops;
  const holder = holderHop(last, walking);
  return [...hops, ...(holder === null ? await hostHops(last, walking.host) : [holder])];
}

/** Nothing tells that it is another part: another queue, another server, another instance. */
function isOfPart(part: LabelSet, place: LabelSet, { targets }: Thing): boolean {
  return Object.entries(part).every(([name, value]) => {
    const own = labelOf(place, name);
    // The alert's may be that of an exporter, or of what is probed.
    const isForeign = name === 'instance' &&
      !targets.some(({ labels }) => labelOf(labels, name) === own);
    return own === null || own === value || isForeign || isOutcome(name);
  });
}

interface Next {
  readonly hop: FoundHop;
  /** Where to go on from; null at the end. */
  readonly view: PathView | null;
  /** What is wrong with the hop before, if this one shows it. */
  readonly lastFault: HopFault | null;
  /** Time that the calls to it take more, in seconds per second; absent where that is not known. */
  readonly added?: number | null;
}

interface From {
  readonly walking: Walking;
  readonly visited: ReadonlySet<Thing>;
  readonly last: FoundHop | undefined;
  /** Time that requests to the last take more than before, in seconds per second; null if none. */
  readonly missing: number | null;
}

async function nextHop(view: PathView, from: From): Promise<Next | null> {
  // What it calls is no cause of a process that is gone.
  if (isDown(view)) return measuredBy(view, from);
  return await calledBy(view, from) ?? await linkedTo(view, from) ?? usedBy(view, from);
}

/** What nothing shows that it calls, but what failed with it and works for others. */
function usedBy(view: PathView, { walking, visited, last }: From): Next | null {
  const used = sharedBy(view, last, walking);
  return used === null || visited.has(used.thing) ? null
    : { hop: sharedHop(used, walking), view: used, lastFault: null };
}

interface Candidate {
  readonly calls: CallsTo;
  /** That its calls fail, and that they take the time that is missing. */
  readonly faults: readonly HopFault[];
  readonly view: PathView | null;
  /** Time that it takes more, in seconds per second, if that is what is missing; else 0. */
  readonly added: number;
}

/** From this share of the time that requests take more on, a call is where it is spent. */
const spentShareMin = 0.3;
/** The same where the time is followed to where most of it is spent. */
const followedShareMin = 0.5;

/** How much of the time that is missing the calls take: nothing if that is a small part of it. */
function spentIn(
  { slow }: Pick<CallsTo, 'slow'>, { missing, walking: { isSlow } }: From,
): number {
  if (slow === null) return 0;
  const { added } = slow.slowing;
  const share = isSlow ? followedShareMin : spentShareMin;
  const isSpent = missing === null ? isFarSlower(slow.slowing) : added >= share * missing;
  return isSpent ? added : 0;
}

async function candidateOf(calls: CallsTo, from: From): Promise<Candidate> {
  const { edge, slow, isTimed } = calls;
  const view = edge.to === null ? null : await from.walking.view(edge.to);
  const spent = spentIn(calls, from);
  const faults = [...calls.faults, ...(slow !== null && spent > 0 ? [slow.fault] : [])];
  // Where who calls does not measure its calls, who is called does.
  const own = view?.counters.slowing?.added ?? 0;
  const { missing } = from;
  const isOwn = from.walking.isSlow && !isTimed && missing !== null &&
    own >= followedShareMin * missing;
  return { calls, faults, view, added: spent > 0 ? spent : isOwn ? own : 0 };
}

/** What is known not to take the time that is missing fails for somebody else. */
function mayTakeTime({ isTimed }: CallsTo, { missing, walking: { isSlow } }: From): boolean {
  return !isSlow || missing === null || !isTimed;
}

/** The callee with a fault of its own, else the one of which most calls fail or take longest. */
async function calledBy(view: PathView, from: From): Promise<Next | null> {
  const { visited, last, walking } = from;
  const open = view.counters.calls.filter(({ edge }) =>
    !edge.isCaller && (edge.to === null || !visited.has(edge.to)));
  const isFailing = (last?.faults.length ?? 0) > 0;
  const weightOf = (calls: CallsTo): number => weightIn(calls.faults, spentIn(calls, from));
  const asked = open.filter((calls) => weightOf(calls) > 0 || (isFailing && calls.edge.to !== null))
    .sort((a, b) => weightOf(b) - weightOf(a))
    .slice(0, calleesMax);
  const candidates = await Promise.all(asked.map((calls) => candidateOf(calls, from)));
  const failing = candidates.filter(({ calls, faults, view: own, added }) => added > 0 ||
    (own !== null && isSelfReported(own)) || (faults.length > 0 && mayTakeTime(calls, from)));
  const [best] = failing.sort((a, b) => rankOf(b) - rankOf(a));
  return best === undefined ? null : calledHop(best, view, walking);
}

/** Its own faults explain failures of whom calls it, even where the callers count none. */
function isSelfReported({ listed }: PathView): boolean {
  return listed.some(({ kind, until }) =>
    until === null && (kind === 'down' || kind === 'locked' || kind === 'alarm'));
}

function weightIn(faults: readonly HopFault[], added: number): number {
  return Math.max(added, ...faults.map(({ value }) => 1e6 + (value ?? 0)));
}

function rankOf({ calls, faults, view, added }: Candidate): number {
  const isBoth = view !== null && faults.length > 0 &&
    whileFailing(ownFaults(view), faults).length > 0;
  return (isBoth ? 2e9 : 0) + (view !== null && isSelfReported(view) ? 1e9 : 0) +
    weightIn(calls.faults, added);
}

function calledHop(
  { calls: { edge }, faults, view, added }: Candidate,
  caller: PathView,
  walking: Walking,
): Next {
  const views = view === null ? [caller] : [view, caller];
  const relation = edge.label === 'server' ? 'server' : 'called';
  if (view === null) {
    const hop: FoundHop = {
      component: edge.value, labels: {}, relation, state: 'failing', faults, works: null,
      since: sinceOf(faults), views,
    };
    return { hop, view: null, lastFault: null };
  }
  const own = whileFailing(ownFaults(view), faults);
  const [fault] = faults;
  const isOnTheWay = own.length === 0 && fault !== undefined && isNotReached(fault.labels) &&
    view.thing.targets.every(({ isUp }) => isUp);
  const hop = hopOf(view, {
    relation, walking, faults: isOnTheWay ? [] : [...own, ...faults], views,
  });
  return {
    hop: isOnTheWay ? { ...hop, state: 'innocent' } : hop,
    view: isOnTheWay ? null : view, added: added > 0 ? added : null,
    lastFault: isOnTheWay ? { ...fault, kind: 'unreachable' } : null,
  };
}

/** Without what was over before the calls began to fail. */
function whileFailing(own: readonly HopFault[], called: readonly HopFault[]): HopFault[] {
  const since = sinceOf(called);
  return own.filter(({ until }) => until === null || since === null || until >= since);
}

/** Where the exporter is gone, those who use what it measures tell whether that works. */
async function measuredBy(view: PathView, { walking }: From): Promise<Next | null> {
  const { thing } = view;
  const product = walking.directory.productOf(thing);
  if (product === null || thing.role !== 'exporter') return null;
  const apps = walking.things.filter(({ role }) => role === 'app').slice(0, clientsMax);
  const views = (await Promise.all(apps.map(walking.view))).filter((each) => each !== null);
  const clients = views.flatMap((client) => client.counters.calls
    .filter(({ edge }) => edge.to === thing && !edge.isCaller)
    .map((calls) => ({ client, calls })));
  if (clients.length === 0) return null;
  const faults = clients.flatMap(({ calls }) => calls.faults).slice(0, faultsMax);
  const successes = clients.reduce((sum, { calls }) => sum + (calls.successes ?? 0), 0);
  if (faults.length === 0 && successes === 0) return null;
  const hop: FoundHop = {
    component: product, labels: {}, relation: 'measured',
    state: faults.length > 0 ? 'failing' : 'innocent', faults,
    works: faults.length > 0 ? null : { targets: null, answers_probe: null, successes },
    since: sinceOf(faults), views: clients.map(({ client }) => client),
  };
  return { hop, view: null, lastFault: null };
}

/** What its list leads to: a proxy to a server, a replica to its primary, a queue to who took. */
async function linkedTo(view: PathView, { walking, visited, last }: From): Promise<Next | null> {
  for (const { labels } of last?.faults ?? []) {
    const found = walking.directory.find(labelOf(labels, 'server') ?? '', view.thing);
    const server = found?.thing ?? null;
    const served = server === null || visited.has(server) ? null : await walking.view(server);
    if (served === null) continue;
    const hop = hopOf(served, { relation: 'server', faults: ownFaults(served), walking });
    return { hop, view: served, lastFault: null };
  }
  const link = view.listed.find(({ kind }) => kind === 'link_down');
  if (link !== undefined) return primaryOf(view, link, walking);
  const queue = view.listed.find(({ kind }) => kind === 'no_consumer');
  if (queue === undefined) return null;
  const gone = walking.things.filter((thing) => thing.role === 'app' && !visited.has(thing) &&
    isSameWorld(view.thing, thing) && thing.targets.some(({ isUp }) => !isUp));
  const views = (await Promise.all(gone.slice(0, clientsMax).map(walking.view)))
    .filter((each) => each !== null);
  const together = views.filter((each) =>
    isDown(each) && isAround(sinceOf(each.listed), queue.since));
  const named = together.filter((each) => uses(each, view.thing, queue));
  // By name, or as the only one that went at that moment.
  const [consumer, ...others] = named.length > 0 ? named : together;
  if (consumer === undefined || others.length > 0) return null;
  const hop = hopOf(consumer, { relation: 'consumer', faults: consumer.listed, walking });
  return { hop, view: null, lastFault: null };
}

/** The distance of two series that are scraped apart. */
const aroundMs = 45_000;

function isAround(one: string | null, other: string | null): boolean {
  return one !== null && other !== null &&
    Math.abs(Date.parse(one) - Date.parse(other)) <= aroundMs;
}

/** A series of it names the store, or the queue. */
function uses({ counters, answer }: PathView, store: Thing, { labels }: HopFault): boolean {
  const queue = labelOf(labels, 'queue');
  return counters.calls.some(({ edge }) => edge.to === store) || (queue !== null &&
    answer.series.some((each) => Object.values(each.labels).includes(queue)));
}

/** The other instance of a pair, or all others, if they are up. */
function primaryOf(view: PathView, link: HopFault, walking: Walking): Next | null {
  const replica = labelOf(link.labels, 'instance');
  const others = view.thing.targets.filter(({ labels }) => labels['instance'] !== replica);
  const [other] = others;
  if (replica === null || other === undefined || others.length > 1) return null;
  const at = labelOf(other.labels, 'instance') ?? '';
  const isFaulty = view.listed.some(({ kind, labels }) =>
    kind === 'down' && labelOf(labels, 'instance') === at);
  const hop = hopOf(view, { relation: 'primary', faults: [], walking });
  return {
    hop: {
      ...hop, component: `${view.thing.name} ${at}`, labels: other.labels,
      state: isFaulty ? 'failing' : 'innocent',
      works: {
        targets: { up: Number(other.isUp), total: 1 }, answers_probe: null, successes: null,
      },
    },
    view: null, lastFault: null,
  };
}
