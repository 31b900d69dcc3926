import { compareText } from '../lib/compare-text.ts';
import { agreement, hasCourse } from './agreement.ts';
import type { MetricKind } from './names/metric-kind.ts';
import type { Side, Signal } from './names/metric-rule.ts';
import { createOnsetFinder } from './onset.ts';
import { rankComponents, type RankedComponent } from './rank-components.ts';
import { collapseReplicas, replicaKey, type ReplicaGroup } from './replica-collapse.ts';
import {
  createChangeMeasure, newActivityZ, originOf, type RobustChange,
} from './robust-change.ts';
import { lifeOf, stateHistory, type SeriesLife } from './series-life.ts';
import { notableZ, quietNotableShare, strengthOf, strongZ, type Strength } from './strength.ts';

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
  /** Of zeros and ones, whose z is the share of time in the other state. */
  readonly isState: boolean;
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
  readonly origin: number;
  readonly fewPoints: boolean;
  /** Seen from outside, while nothing inside its component moved strongly: likely a victim. */
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
  readonly change: RobustChange;
  readonly z: number;
  readonly isState: boolean;
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
    const measured = measureChange(values, split, originOf(candidate, split));
    if (measured === null) return null;
    const stateZ = kind === 'state' ? zOfState(values, split) : null;
    const z = stateZ ?? measured.z;
    const hasMoved = Math.abs(z) >= notableZ;
    const moves = own === null ? null : agreement(values, own, split);
    const stoodStill = hasMoved && moves === 0 && !hasCourse(values, split);
    return {
      id, candidate, change: measured, z, isState: stateZ !== null,
      replicaKey: replicaKey(component, metric, labels),
      agreement: stoodStill ? null : moves, follows: moves ?? 1,
      onsetIndex: hasMoved ? findOnset(values, measured) : null,
    };
  };
}

/** A flip between 0 and 1 has no size: its z is the share of time it holds. Null for others. */
function zOfState(values: Float64Array, split: number): number | null {
  const history = stateHistory(values, split);
  if (history === null) return null;
  const direction = history.before === 1 ? -1 : 1;
  const restless = 1 + history.transitionsBefore;
  return (direction * newActivityZ * Math.min(1, 2 * history.shareDiffering)) / restless;
}

/**
 * Components of which no internal series moved strongly: less work than usual may show there too. A
 * state alone, such as being up, tells nothing of what goes on inside.
 */
function componentsQuietInside(measured: readonly Measured[]): ReadonlySet<string> {
  const inside = measured.filter(({ candidate }) => candidate.side === 'internal');
  const known = inside.filter(({ candidate }) => candidate.signal !== 'state');
  const moved = inside.filter(({ z }) => Math.abs(z) >= strongZ);
  const quiet = new Set(known.map(({ candidate }) => candidate.component));
  for (const { candidate } of moved) quiet.delete(candidate.component);
  return quiet;
}

/** The share of its score that a change keeps if it is more likely a victim than the cause. */
const victimShare = 1 / 3;
/** Beyond this |z|, more says nothing: a series that hardly ever moved has thousands. */
const scoredZMax = 20;

function toRanked(
  { representative, replicas, moved }: ReplicaGroup<Measured>,
  quietInside: ReadonlySet<string>,
): RankedSeries {
  const { candidate, change, z, isState, agreement: moves, follows, onsetIndex } = representative;
  // More work than before comes from outside and may be the cause of what follows.
  const isMoreWork = candidate.signal === 'traffic' && z > 0;
  const isVictim = candidate.side === 'external' && !isMoreWork &&
    quietInside.has(candidate.component);
  const agreeing = disagreeingShare + (1 - disagreeingShare) * follows;
  const weight = (candidate.weight ?? 1) * (isVictim ? victimShare : 1);
  return {
    candidate, z, isState, strength: strengthOf(z), agreement: moves, onsetIndex,
    score: Math.log1p(Math.min(Math.abs(z), scoredZMax)) * agreeing * weight,
    before: change.before, after: change.after, scale: change.scale, origin: change.origin,
    fewPoints: change.fewPoints,
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

/** The best lines of the best components, and of the others the first that fit. */
function shortlist(
  lines: readonly RankedSeries[],
  components: readonly RankedComponent[],
): RankedSeries[] {
  const kept = new Set(components.slice(0, componentsShown).map(({ best }) => best));
  const others = lines.filter((line) => !kept.has(line)).slice(0, listedMax - kept.size);
  return lines.filter((line) => kept.has(line) || others.includes(line));
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
