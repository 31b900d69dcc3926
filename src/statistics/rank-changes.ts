import { compareText } from '../lib/compare-text.ts';
import { agreement, hasCourse } from './agreement.ts';
import type { MetricKind } from './names/metric-kind.ts';
import type { Side, Signal } from './names/metric-rule.ts';
import { createOnsetFinder } from './onset.ts';
import { rankComponents, type RankedComponent } from './rank-components.ts';
import { collapseReplicas, replicaKey, type ReplicaGroup } from './replica-collapse.ts';
import { createChangeMeasure, newActivityZ, type RobustChange } from './robust-change.ts';
import { lifeOf, stateHistory, type SeriesLife } from './series-life.ts';
import { notableZ, quietNotableShare, strengthOf, type Strength } from './strength.ts';

/** Limit of the list, and the number of components whose best series is always in it. */
export const listedMax = 30;
const componentsShown = 5;

/** The share of its score that a change keeps if it does not correlate with the alert at all. */
const disagreeingShare = 0.4;

/** The component of series without a component label. */
export const noComponent = '';

/** A series on the common grid: rates if it is a counter, NaN where values are missing. */
export interface ChangeCandidate {
  readonly id: string;
  /** The component it belongs to: the value of the label that tells components apart. */
  readonly component: string;
  /** The label that names it; null or absent if none does. */
  readonly named?: { readonly label: string; readonly value: string } | null;
  readonly metric: string;
  readonly values: Float64Array;
  /** Unit of the values, a word that `formatQuantity` knows; null if unknown. */
  readonly unit: string | null;
  readonly signal: Signal;
  readonly side: Side;
  readonly kind?: MetricKind;
  /** How it was derived from raw series; absent for a raw series. */
  readonly made?: 'rate' | 'mean' | 'quantile';
  /** Labels other than the metric's name; those of replicas do not keep series apart. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Labels that tell it from the others of its metric and component, if there are others. */
  readonly apart?: readonly string[];
  /** Factor for its score, 1 by default; one half for the mean or a quantile of a few. */
  readonly weight?: number;
  /** First and last index of its NaN samples; null or absent if it has none. */
  readonly valueless?: { readonly first: number; readonly last: number } | null;
}

interface RankingOptions {
  /** Index of the first point that counts as after. */
  readonly split: number;
  /** The alert's own series on the same grid; null when it is not known. */
  readonly own?: Float64Array | null;
  /** Ids of the alert's own series and those derived from it, which are not ranked. */
  readonly ownIds?: ReadonlySet<string>;
}

/** One line of the list: a series, or the one that stands for a component's replicas. */
export interface RankedSeries {
  readonly candidate: ChangeCandidate;
  readonly z: number;
  readonly kind: RobustChange['kind'] | 'state';
  readonly strength: Strength;
  readonly score: number;
  /**
   * Correlation with the alert's own series, 0 to 1; null when that has no course to follow, and
   * for a series that moved before the points that are compared and has stood still since.
   */
  readonly agreement: number | null;
  /** Index at which the change began; null if it did not move or the onset is unclear. */
  readonly onsetIndex: number | null;
  readonly before: number;
  readonly after: number;
  readonly scale: number;
  readonly fewPoints: boolean;
  /** Only external signals of its component moved: more likely a victim than the cause. */
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
  /** Series compared, those that moved notably, and how many of them at most by chance. */
  readonly compared: number;
  readonly moved: number;
  readonly expectedByChance: number;
  /** Series that began after the split, and those that ended: evidence without a z. */
  readonly appeared: readonly LifeChange[];
  readonly vanished: readonly LifeChange[];
}

/**
 * Ranks what changed most at the split, and in which component. A series scores by its guarded
 * robust z and its agreement with the alert's own series, discounted if only external signals of
 * its component moved. Ties are broken by agreement, then the earlier onset, then the name, so the
 * order never depends on that of the input. The result is a shortlist with evidence, no culprit.
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
    expectedByChance: measured.reduce((sum, { change }) =>
      sum + quietNotableShare(change.pointsBefore), 0),
    ...lives,
  };
}

/** Settings, info metrics and timestamps have no level that could shift; they yield events. */
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
  /** The same for the score; 1 when the alert's own series has no course. */
  readonly follows: number;
  readonly onsetIndex: number | null;
}

function createMeasuring(
  { split, own: course = null }: RankingOptions,
): (candidate: ChangeCandidate) => Measured | null {
  const own = course !== null && hasCourse(course, split) ? course : null;
  const measureChange = createChangeMeasure();
  const findOnset = createOnsetFinder();
  return (candidate) => {
    const { id, component, metric, values, labels, kind } = candidate;
    const measured = measureChange(values, split);
    if (measured === null) return null;
    const change = kind === 'state' ? asState(measured, values, split) : measured;
    const hasMoved = Math.abs(change.z) >= notableZ;
    const moves = own === null ? null : agreement(values, own, split);
    const stoodStill = hasMoved && moves === 0 && !hasCourse(values, split);
    return {
      id, candidate, change, z: change.z, replicaKey: replicaKey(component, metric, labels),
      agreement: stoodStill ? null : moves, follows: moves ?? 1,
      onsetIndex: hasMoved ? findOnset(values, measured) : null,
    };
  };
}

/** A flip between 0 and 1 has no size, so its z is the share of time it holds. */
function asState(measured: RobustChange, values: Float64Array, split: number): Measured['change'] {
  const history = stateHistory(values, split);
  if (history === null) return measured;
  const direction = history.before === 1 ? -1 : 1;
  const restless = 1 + history.transitionsBefore;
  const z = (direction * newActivityZ * Math.min(1, 2 * history.shareDiffering)) / restless;
  return { ...measured, kind: 'state', z };
}

/** A component whose internal series all stay below this |z| is quiet inside. */
const quietInsideZ = 6;

/** Components that have internal series of which none moved. */
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
  const { candidate, change, z, agreement: moves, follows, onsetIndex } = representative;
  // More work than before comes from outside and may be the cause of what follows.
  const isMoreWork = candidate.signal === 'traffic' && z > 0;
  const isVictim = candidate.side === 'external' && !isMoreWork &&
    quietInside.has(candidate.component);
  const agreeing = disagreeingShare + (1 - disagreeingShare) * follows;
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

/** The first 30 lines, the last replaced by the best of top components that would be missing. */
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
 * Components that disappeared: at least half of their series ended, an internal one among them, as
 * external ones also end when there are merely no requests.
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

/** A series that ended more points than this before the split is unrelated. */
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
