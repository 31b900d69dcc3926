import { compareText } from '../lib/compare-text.ts';
import { agreement } from './agreement.ts';
import type { MetricKind, Side, Signal } from './names/metric-class.ts';
import { createOnsetFinder } from './onset.ts';
import { rankComponents, type RankedComponent } from './rank-components.ts';
import { collapseReplicas, replicaKey, type ReplicaGroup } from './replica-collapse.ts';
import { createChangeMeasure, newActivityZ, type RobustChange } from './robust-change.ts';
import { lifeOf, stateHistory, type SeriesLife } from './series-life.ts';
import { notableZ, quietNotableShare, strengthOf, type Strength } from './strength.ts';

export type { RankedComponent } from './rank-components.ts';

/** Series listed at most, and components whose best series is listed whatever it is. */
export const listedMax = 30;
const componentsShown = 5;

/** The share of its score that a change keeps if it does not move with the alert at all. */
const disagreeingShare = 0.4;

/** The component of series that do not say whose they are. */
export const noComponent = '';

/** A series on the same even grid as the others; rates where it is a counter, NaN where missing. */
export interface ChangeCandidate {
  readonly id: string;
  /** Whom it belongs to: the value of the label that tells components apart. */
  readonly component: string;
  readonly metric: string;
  readonly values: Float64Array;
  readonly signal: Signal;
  readonly side: Side;
  readonly kind?: MetricKind;
  /** What it was made of raw series as; absent for one as it is. */
  readonly made?: 'rate' | 'mean' | 'quantile';
  /** Labels beside the metric's name; those of a replica are not told apart. */
  readonly labels?: Readonly<Record<string, string>>;
  /** What its score is multiplied by, 1 by default: one half for a quantile of a few requests. */
  readonly weight?: number;
  /** From where to where it has samples that are no numbers; absent where it has none. */
  readonly valueless?: { readonly first: number; readonly last: number } | null;
}

export interface RankingOptions {
  /** Index of the first point that counts as after. */
  readonly split: number;
  /** The series the alert is about, on the same grid; null when it is not known. */
  readonly own?: Float64Array | null;
  /** Ids of the alert's own series and pure functions of it: shown, not ranked. */
  readonly ownIds?: ReadonlySet<string>;
}

/** One line of the list: a series, or the one that stands for a component's replicas. */
export interface RankedSeries {
  readonly candidate: ChangeCandidate;
  readonly z: number;
  readonly kind: RobustChange['kind'] | 'state';
  readonly strength: Strength;
  readonly score: number;
  /** With the alert's own series, 0 to 1; null when there is none. */
  readonly agreement: number | null;
  /** Index at which it began; null for one that did not move, or when it cannot be told. */
  readonly onsetIndex: number | null;
  readonly before: number;
  readonly after: number;
  readonly scale: number;
  readonly fewPoints: boolean;
  /** Only the outside of its component moved, so it is more likely a victim than the cause. */
  readonly isVictim: boolean;
  readonly replicas: number;
  readonly replicasMoved: number;
}

export interface LifeChange {
  readonly candidate: ChangeCandidate;
  readonly index: number;
}

export interface ChangeRanking {
  /** Best first, at most 30, with the best series of the five best components among them. */
  readonly series: readonly RankedSeries[];
  /** All of them, best first. */
  readonly components: readonly RankedComponent[];
  /** Series compared, how many of them moved notably, and how many do so by chance at most. */
  readonly compared: number;
  readonly moved: number;
  readonly expectedByChance: number;
  /** Series that began after the split, and that ended: evidence of its own, without a z. */
  readonly appeared: readonly LifeChange[];
  readonly vanished: readonly LifeChange[];
}

/**
 * What changed most at the split, and in whom: the guarded robust z of each series, its agreement
 * with the alert's own, and the discount of components of which only the outside moved. Ties are
 * broken by agreement, then the earlier onset, then the name, so the order never depends on that of
 * the input. A shortlist with evidence, never a culprit.
 */
export function rankChanges(
  candidates: readonly ChangeCandidate[],
  options: RankingOptions,
): ChangeRanking {
  const eligible = candidates.filter((candidate) =>
    isComparable(candidate) && options.ownIds?.has(candidate.id) !== true);
  const measured = eligible.map(createMeasuring(options)).filter((each) => each !== null);
  const quietInside = componentsQuietInside(measured);
  const lines = collapseReplicas(measured).map((group) => toRanked(group, quietInside));
  lines.sort(byRank);
  const lives = livesOf(eligible, options.split);
  const components = rankComponents(lines, componentsGone(eligible, lives.vanished));
  return {
    series: shortlist(lines, components), components, compared: measured.length,
    moved: measured.filter(({ z }) => Math.abs(z) >= notableZ).length,
    expectedByChance: measured.length * quietNotableShare,
    ...lives,
  };
}

/** Settings, names and times have no level that could shift; events are read off them instead. */
function isComparable({ side, signal, kind }: ChangeCandidate): boolean {
  if (side === 'skip' || signal === 'skip' || signal === 'config') return false;
  return kind !== 'timestamp' && kind !== 'info';
}

interface Measured {
  readonly id: string;
  readonly replicaKey: string;
  readonly candidate: ChangeCandidate;
  readonly change: Omit<RobustChange, 'kind'> & { readonly kind: RankedSeries['kind'] };
  readonly z: number;
  readonly agreement: number | null;
  readonly onsetIndex: number | null;
}

function createMeasuring(
  { split, own = null }: RankingOptions,
): (candidate: ChangeCandidate) => Measured | null {
  const measureChange = createChangeMeasure();
  const findOnset = createOnsetFinder();
  return (candidate) => {
    const { id, component, metric, values, labels, kind } = candidate;
    const measured = measureChange(values, split);
    if (measured === null) return null;
    const change = kind === 'state' ? asState(measured, values, split) : measured;
    const hasMoved = Math.abs(change.z) >= notableZ;
    return {
      id, candidate, change, z: change.z, replicaKey: replicaKey(component, metric, labels),
      agreement: own === null ? null : agreement(values, own, split),
      onsetIndex: hasMoved ? findOnset(values) : null,
    };
  };
}

/** A flip between 0 and 1 has no size, so what counts is how much of the time it holds. */
function asState(measured: RobustChange, values: Float64Array, split: number): Measured['change'] {
  const history = stateHistory(values, split);
  if (history === null) return measured;
  const direction = history.before === 1 ? -1 : 1;
  const restless = 1 + history.transitionsBefore;
  const z = (direction * newActivityZ * Math.min(1, 2 * history.shareDiffering)) / restless;
  return { ...measured, kind: 'state', z };
}

/** Below this |z| on all of a component's inside, its inside is quiet. */
const quietInsideZ = 6;

/** Components of which the inside is known and none of it moved. */
function componentsQuietInside(measured: readonly Measured[]): ReadonlySet<string> {
  const insideMax = new Map<string, number>();
  for (const { candidate, z } of measured) {
    if (candidate.side !== 'internal') continue;
    const size = Math.max(Math.abs(z), insideMax.get(candidate.component) ?? 0);
    insideMax.set(candidate.component, size);
  }
  const quiet = new Set<string>();
  for (const [component, size] of insideMax) if (size < quietInsideZ) quiet.add(component);
  return quiet;
}

const victimWeight = 0.5;

function toRanked(
  { representative, replicas, moved }: ReplicaGroup<Measured>,
  quietInside: ReadonlySet<string>,
): RankedSeries {
  const { candidate, change, z, agreement: moves, onsetIndex } = representative;
  const isVictim = candidate.side === 'external' && quietInside.has(candidate.component);
  const agreeing = disagreeingShare + (1 - disagreeingShare) * (moves ?? 1);
  const weight = (candidate.weight ?? 1) * (isVictim ? victimWeight : 1);
  return {
    candidate, z, kind: change.kind, strength: strengthOf(z), agreement: moves, onsetIndex,
    score: Math.log1p(Math.abs(z)) * agreeing * weight,
    before: change.before, after: change.after, scale: change.scale, fewPoints: change.fewPoints,
    isVictim, replicas, replicasMoved: moved,
  };
}

const neverBegan = Number.MAX_SAFE_INTEGER;

function byRank(a: RankedSeries, b: RankedSeries): number {
  return b.score - a.score ||
    (b.agreement ?? 0) - (a.agreement ?? 0) ||
    (a.onsetIndex ?? neverBegan) - (b.onsetIndex ?? neverBegan) ||
    compareText(a.candidate.component, b.candidate.component) ||
    compareText(a.candidate.metric, b.candidate.metric) ||
    compareText(a.candidate.id, b.candidate.id);
}

/** The first 30 lines; the last give way to the best of components that would be missing. */
function shortlist(
  lines: readonly RankedSeries[],
  components: readonly RankedComponent[],
): RankedSeries[] {
  const wanted = new Set<RankedSeries | null>(
    components.slice(0, componentsShown).map(({ best }) => best),
  );
  const missing = lines.slice(listedMax).filter((line) => wanted.has(line));
  const listed = lines.slice(0, listedMax);
  for (let index = listed.length - 1; index >= 0 && missing.length > 0; index -= 1) {
    const line = listed[index];
    if (line === undefined || wanted.has(line)) continue;
    const instead = missing.pop();
    if (instead !== undefined) listed[index] = instead;
  }
  return listed.sort(byRank);
}

/**
 * Components that are not there any more: at least half of their series ended, and some that tell
 * of their inside. Those that tell of their outside end as well when there are just no requests.
 */
function componentsGone(
  candidates: readonly ChangeCandidate[],
  vanished: readonly LifeChange[],
): ReadonlySet<string> {
  const all = new Map<string, number>();
  for (const { component } of candidates) all.set(component, 1 + (all.get(component) ?? 0));
  const ended = new Map<string, number>();
  const inside = new Set<string>();
  for (const { candidate: { component, side } } of vanished) {
    ended.set(component, 1 + (ended.get(component) ?? 0));
    if (side === 'internal') inside.add(component);
  }
  return new Set([...inside].filter((component) => component !== noComponent &&
    2 * (ended.get(component) ?? 0) >= (all.get(component) ?? 0)));
}

/** A series that ended more points than this before the split ended for another reason. */
const recentPoints = 30;

function livesOf(
  candidates: readonly ChangeCandidate[],
  split: number,
): Pick<ChangeRanking, 'appeared' | 'vanished'> {
  const appeared: LifeChange[] = [];
  const vanished: LifeChange[] = [];
  for (const candidate of candidates) {
    const { life, index }: SeriesLife = lifeOf(candidate.values, split, candidate.valueless);
    if (index === null) continue;
    if (life === 'appeared') appeared.push({ candidate, index });
    if (life === 'vanished' && index >= split - recentPoints) vanished.push({ candidate, index });
  }
  const byTime = (a: LifeChange, b: LifeChange): number =>
    a.index - b.index || compareText(a.candidate.id, b.candidate.id);
  return { appeared: appeared.sort(byTime), vanished: vanished.sort(byTime) };
}
