import { compareText } from '../lib/compare-text.ts';
import { groupBy } from '../lib/group-by.ts';
import { callersOf } from './callers.ts';
import { noComponent, type ChangeCandidate } from './change-candidate.ts';
import { rankComponents, type RankedComponent } from './rank-components.ts';
import {
  rankSeries, stepNear, type RankedSeries, type SeriesRanking, type SeriesRankingOptions,
} from './rank-series.ts';
import { replicaKey } from './replica-collapse.ts';
import { lifeOf, type SeriesLife } from './series-life.ts';

/** Limit of the list, and the number of components whose best series is always in it. */
export const listedMax = 30;
const componentsShown = 5;

interface RankingOptions extends Partial<Omit<SeriesRankingOptions, 'callers'>> {
  readonly split: number;
  /** Ids of the alert's own series and those derived from it, which are not ranked. */
  readonly ownIds?: ReadonlySet<string>;
  /** The component that the alert is about; null when it is not known. */
  readonly ownComponent?: string | null;
}

export interface LifeChange {
  readonly candidate: ChangeCandidate;
  readonly index: number;
}

export interface ChangeRanking extends Omit<SeriesRanking, 'lines'> {
  /** Best first, at most 30, with the best series of the five best components among them. */
  readonly series: readonly RankedSeries[];
  /** All of them, best first. */
  readonly components: readonly RankedComponent[];
  /** Series that began after the split, and those that ended: evidence without a z. */
  readonly appeared: readonly LifeChange[];
  readonly vanished: readonly LifeChange[];
}

/**
 * Ranks what changed most at the split, and in which component. The result is a shortlist with
 * evidence, no culprit.
 */
export function rankChanges(
  candidates: readonly ChangeCandidate[],
  { split, own = null, earlier = null, ownIds, ownComponent = null }: RankingOptions,
): ChangeRanking {
  const eligible = candidates.filter((candidate) =>
    (isComparable(candidate) || isChangedSetting(candidate, split)) &&
    ownIds?.has(candidate.id) !== true);
  const callers = ownComponent === null ? new Set<string>()
    : callersOf(candidates, ownComponent);
  const { lines, ...counts } = rankSeries(eligible, { split, own, earlier, callers });
  const lives = eligible.map((candidate) => ({
    candidate, ...lifeOf(candidate.values, split, candidate.valueless),
  }));
  // What has been there for as long as anything is known has not appeared.
  const known = Math.min(...eligible.map(({ values }) => firstPoint(values)));
  const appeared = inOrder(lives.filter(({ life, index }) =>
    life === 'appeared' && (index ?? 0) > known + latePoints));
  const vanished = inOrder(lives.filter((each) => hasEnded(each, split)));
  const components = rankComponents(lines, componentsGone(lives, split));
  const series = shortlist(lines, components);
  return { series, components, ...counts, appeared, vanished };
}

/** Settings, info metrics and timestamps have no level that could shift; they yield events. */
export function isComparable({ side, signal, kind }: ChangeCandidate): boolean {
  if (side === 'skip' || signal === 'skip' || signal === 'config') return false;
  return kind !== 'timestamp' && kind !== 'info';
}

/** A limit or a size that was set to another value. */
function isChangedSetting(candidate: ChangeCandidate, split: number): boolean {
  return candidate.signal === 'config' && stepNear(candidate, split) !== null;
}

/** The best lines of the best components, and of the others the first that fit. */
function shortlist(
  lines: readonly RankedSeries[],
  components: readonly RankedComponent[],
): RankedSeries[] {
  const best = components.slice(0, componentsShown).map((component) => component.best);
  const kept = new Set(best.filter((line) => line !== null));
  const others = new Set(lines.filter((line) => !kept.has(line)).slice(0, listedMax - kept.size));
  return lines.filter((line) => kept.has(line) || others.has(line));
}

interface Life extends SeriesLife {
  readonly candidate: ChangeCandidate;
}

/** Points after which all targets have been scraped for the first time. */
const latePoints = 2;

function firstPoint(values: Float64Array): number {
  const first = values.findIndex(Number.isFinite);
  return first < 0 ? Infinity : first;
}

/** In order of time. */
function inOrder(lives: readonly Life[]): LifeChange[] {
  return lives
    .flatMap(({ candidate, index }) => (index === null ? [] : [{ candidate, index }]))
    .sort((a, b) => a.index - b.index || compareText(a.candidate.id, b.candidate.id));
}

/** A series that ended more points than this before the split is unrelated. */
const recentPoints = 30;

function hasEnded({ life, index }: Life, split: number): boolean {
  return life === 'vanished' && index !== null && index >= split - recentPoints;
}

function componentsGone(lives: readonly Life[], split: number): ReadonlySet<string> {
  const ended = lives.filter((each) => hasEnded(each, split));
  const components = new Set(ended.map(({ candidate }) => candidate.component));
  return new Set([...components].filter((component) => component !== noComponent &&
    isGone(lives.filter(({ candidate }) => candidate.component === component), split)));
}

/**
 * Whether a component disappeared: at least half of what it reported has ended, something internal
 * among it, as external series also end when there are merely no requests. What another replica
 * still reports has not ended: every release replaces the pods.
 */
function isGone(lives: readonly Life[], split: number): boolean {
  const reported = [...groupBy(lives, ({ candidate: { component, metric, labels } }) =>
    replicaKey(component, metric, labels)).values()];
  const isLeft = ({ life }: Life): boolean => life === 'present' || life === 'appeared';
  const left = reported.filter((replicas) => replicas.some(isLeft));
  const ended = reported.filter((replicas) =>
    !replicas.some(isLeft) && replicas.some((each) => hasEnded(each, split)));
  return ended.length >= left.length &&
    ended.some(([{ candidate }]) => candidate.side === 'internal');
}
