import { labelOf } from '../../alert/labels.ts';
import type { EventFact } from '../../evidence/metric-facts.ts';
import { isEstablished } from '../../report/certainty.ts';
import type { FaultKind, HopFault, Path, PathHop } from '../../report/path.ts';
import { hopText, pathText } from '../../report/path-text.ts';
import type { Certainty, Statement } from '../../report/report.ts';
import { momentOf } from '../../report/time-text.ts';
import { citing } from '../citing.ts';
import { isMovedByClock } from '../own-value.ts';
import type { Situation } from '../situation.ts';
import { explanation, type Explained } from './explanation.ts';

/** Faults that say what is wrong with a thing, and not only that requests to it fail. */
const evidentKinds: ReadonlySet<FaultKind> = new Set([
  'down', 'full', 'limit_lowered', 'locked', 'alarm', 'no_consumer', 'link_down', 'no_server',
  'unreachable', 'busy', 'throttled', 'uses', 'repeats',
  'holds',
]);
/** Calls that fail are why requests do from this share of them on. */
const shareMin = 0.5;
/** What a release breaks goes wrong this soon after it; one scrape may show it before. */
const releasedMs = 5 * 60_000;
const seenLateMs = 60_000;
/** With more requests than this many times as before, what is slow may only have too many. */
const busierMin = 1.3;

/** What is wrong behind the alert's own thing: the last failing hop of the path tells it itself. */
export function behindCause(situation: Situation): Explained[] {
  const found = originOf(situation);
  if (found === null || found.at === 0 || !isEvident(found)) return [];
  const { hop } = found;
  const isLinked = isWaitedFor(found) || hop.relation === 'consumer' || hop.relation === 'probed' ||
    isOfMachine(found) || hop.relation === 'holder' ||
    hop.faults.some(({ seen_by: by }) => by === 'client') ||
    hop.faults.some(({ kind }) => kind === 'unreachable');
  // What a program does since its release is that of the release, which tells more.
  const isOfRelease = hop.faults.some(({ kind }) => kind === 'holds' || kind === 'repeats') &&
    (situation.evidence.metrics?.events ?? []).some((event) =>
      isReleaseAt(event, hop, hop.since));
  const isSure = isLinked && !isOfRelease && isKnownToLead(found);
  return [pathExplanation(found, situation, isSure ? 'likely' : 'possible')];
}

/**
 * Calls that go wrong, by those who make them or by the errors of who takes them: a place, behind
 * which a release may be, of the caller or of the called.
 */
export function behindPlace(situation: Situation, others: readonly Explained[]): Explained[] {
  const found = originOf(situation);
  if (found === null || found.at === 0 || isEvident(found)) return [];
  const { path, at, hop } = found;
  const events = situation.evidence.metrics?.events ?? [];
  const caller = path.hops[at - 1];
  const isReleased = [hop, ...(caller === undefined ? [] : [caller])].some((each) =>
    events.some((event) => isReleaseAt(event, each, hop.since)));
  const isSure = (isFailingFirst(found) || isSlowFirst(found)) && !others.some(isEstablished) &&
    !isReleased && isKnownToLead(found);
  return [pathExplanation(found, situation, isSure ? 'likely' : 'possible')];
}

/**
 * The deepest thing that fails behind the alert, if this event is a release or restart of it after
 * which it went wrong; null if it is of anything else.
 */
export function brokenBy(event: EventFact, situation: Situation): PathHop | null {
  const found = originOf(situation);
  return found !== null && found.at > 0 && isReleaseAt(event, found.hop, found.hop.since)
    ? found.hop : null;
}

/** The alert's own thing, if it does not answer; null otherwise. */
export function ownDown({ evidence: { metrics } }: Situation): PathHop | null {
  const [own] = metrics?.path?.hops ?? [];
  return own?.faults[0]?.kind === 'down' ? own : null;
}

/**
 * What is wrong with the alert's own thing, where the alert does not say that itself, or where what
 * is behind it works, so that nothing else is wrong.
 */
export function ownFault(situation: Situation): Explained[] {
  const found = originOf(situation);
  if (found === null || found.at > 0) return [];
  const { hop, path } = found;
  const read = new Set(situation.evidence.rule?.metrics ?? []);
  const evident = hop.faults.filter(({ kind }) => evidentKinds.has(kind));
  const isAlone = path.hops[1]?.state === 'innocent';
  const fault = evident.find(({ metric }) => !read.has(metric)) ??
    (isAlone ? evident[0] : undefined);
  if (fault === undefined) return [];
  // Anything else about a thing that is down follows from that.
  const isAll = fault.kind === 'down' || fault.kind === 'unreachable';
  const measured = new Set([...read].map(measureOf));
  const isAbout = hop.faults.some(({ metric }) => measured.has(measureOf(metric)));
  const first = { ...hop, faults: [fault, ...hop.faults.filter((each) => each !== fault)] };
  return [pathExplanation({ ...found, hop: first }, situation,
    isAll || isAbout || isAlone ? 'likely' : 'possible')];
}

/** What a metric measures: the name without which part of a histogram or counter it is. */
function measureOf(metric: string): string {
  return metric.replace(/_(?:bucket|sum|count|total)$/u, '');
}

interface Found {
  readonly path: Path;
  readonly at: number;
  readonly hop: PathHop;
}

function originOf(situation: Situation): Found | null {
  const path = situation.evidence.metrics?.path ?? null;
  // What the clock alone moves crosses its threshold long after whatever went wrong.
  if (path === null || path.origin === null || isMovedByClock(situation)) return null;
  const hop = path.hops[path.origin];
  return hop === undefined || hop.faults.length === 0 ? null : { path, at: path.origin, hop };
}

function isEvident({ hop }: Found): boolean {
  return hop.faults.some(({ seen_by: by, kind }) =>
    (by === 'itself' || kind === 'unreachable') && evidentKinds.has(kind));
}

/** Where nothing shows that a thing is used, others that fail with the alert bear it out. */
function isKnownToLead({ path: { hops, beside = [] }, at }: Found): boolean {
  return beside.length > 0 || hops.slice(0, at + 1).every(({ relation }) => relation !== 'shared');
}

/** The machine has nothing left, and it is known who uses it or that it was slowed down. */
function isOfMachine({ hop: { relation, faults } }: Found): boolean {
  return relation === 'beside' ||
    (relation === 'host' && faults.some(({ kind }) => kind === 'throttled'));
}

/** Whoever calls it has all connections of its pool in use since then, as its queries wait. */
function isWaitedFor({ path, at, hop }: Found): boolean {
  const full = path.hops[at - 1]?.faults.find(({ kind, what, until }) =>
    kind === 'full' && what === 'connections' && until === null);
  return hop.faults.some(({ kind }) => kind === 'locked' || kind === 'full') &&
    full !== undefined && momentOf(full.since, 0) >= momentOf(hop.since, Infinity) - seenLateMs;
}

/** Most of the requests that fail before it are calls to it that fail. */
function isFailingFirst({ path, at, hop }: Found): boolean {
  const called = hop.faults.find(({ seen_by: by, kind }) => by === 'client' && kind === 'fails');
  const before = path.hops[at - 1]?.faults.find(({ kind, seen_by: by }) =>
    kind === 'fails' && by === 'itself');
  return called !== undefined && (before === undefined || isMostOf(called, before));
}

/** It takes longer by its own account as well, if it has one, and has no more to do than before. */
function isSlowFirst({ hop }: Found): boolean {
  const [called, own] = (['client', 'itself'] as const).map((by) =>
    hop.faults.find(({ kind, seen_by: seenBy }) => kind === 'slow' && seenBy === by));
  const measured = own ?? (Object.keys(hop.labels).length === 0 ? called : undefined);
  const { rate, rate_before: before } = measured ?? {};
  return typeof rate === 'number' && typeof before === 'number' && rate <= busierMin * before;
}

/** It came up where the hop is, shortly before that went wrong. */
function isReleaseAt(event: EventFact, hop: PathHop, since: string | null): boolean {
  const { kind, atMs } = event;
  const afterMs = momentOf(since, 0) - atMs;
  return (kind === 'version' || kind === 'restart') && isAtHop(event, hop) &&
    afterMs <= releasedMs && afterMs >= -seenLateMs;
}

/** Whether an event is of the thing that a hop is, and not of another instance of it alone. */
export function isAtHop(event: EventFact, hop: PathHop): boolean {
  const { labels, component, isOfExporter, release } = event;
  const [at, own] = [labels, hop.labels].map((each) => labelOf(each, 'instance'));
  const isOfOther = release?.on === 1 && at != null && own != null && at !== own;
  const job = labelOf(hop.labels, 'job');
  // A collector passes on many services with one job.
  const isOfService = ['job', 'exported_job'].every((name) =>
    labelOf(labels, name) === labelOf(hop.labels, name));
  // One exporter tells the versions of all programs on its machine.
  const isOfProgram = component !== null && programLabels.has(component.label);
  return isOfExporter !== true && !isOfOther && (component?.value === hop.component ||
    (job !== null && isOfService && !isOfProgram));
}

const programLabels: ReadonlySet<string> = new Set(['app', 'application', 'program']);

function isMostOf(called: HopFault, before: HopFault): boolean {
  return (called.value ?? 0) >= shareMin * (before.value ?? Infinity);
}

function pathExplanation(
  { path, at, hop }: Found,
  situation: Situation,
  certainty: Certainty,
): Explained {
  const { now } = situation;
  const failing = path.hops.slice(0, at + 1).filter(({ state }) => state === 'failing')
    .flatMap((each): Statement[] => citing(each.evidence, `${hopText(each, now)}.`));
  return {
    ...explanation({
      kind: 'path', about: [hop.component], cause: hopText(hop, now),
    }, certainty, failing.slice(-4)),
    mechanism: at === 0 ? null : `The path: ${pathText(path, now)}.`,
    origin: hop,
  };
}
