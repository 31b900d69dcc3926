import { compareText } from '../lib/compare-text.ts';
import { agreement, hasCourse } from './agreement.ts';
import type { ChangeCandidate } from './change-candidate.ts';
import { isOfOwnCalls } from './names/own-calls.ts';
import { onsetOf } from './onset.ts';
import { collapseReplicas, replicaKey, type ReplicaGroup } from './replica-collapse.ts';
import {
  leastDeviation, measureChange, originOf, zOfState, type RobustChange,
} from './robust-change.ts';
import { notableZ, quietNotableShare, strengthOf, strongZ, type Strength } from './strength.ts';
import { withoutEarlier, type EarlierTrouble } from './without-earlier.ts';

/** One line of the list: a series, or the one that stands for a component's replicas. */
export interface RankedSeries extends Omit<RobustChange, 'z' | 'pointsBefore'> {
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
  /**
   * Likely a victim: work in flight, other than traffic in a component that calls the alert's own,
   * or seen from outside while nothing inside its component moved strongly, or an echo of that.
   */
  readonly isVictim: boolean;
  readonly replicas: number;
  readonly replicasMoved: number;
}

export interface SeriesRanking {
  /** Best first. */
  readonly lines: readonly RankedSeries[];
  /** Series compared, those that moved notably, and how many of them at most by chance. */
  readonly compared: number;
  readonly moved: number;
  readonly expectedByChance: number;
}

interface SplitSeries {
  /** Index of the first point that counts as after. */
  readonly split: number;
  /** The alert's own series on the same grid; null when it is not known. */
  readonly own: Float64Array | null;
  /** Null for none. */
  readonly earlier: EarlierTrouble | null;
}

export interface SeriesRankingOptions extends SplitSeries {
  /** Components that call the alert's own. */
  readonly callers: ReadonlySet<string>;
}

/**
 * Ranks series by their guarded robust z at the split and by their agreement with the alert's own
 * series, discounted if only external signals of their component moved or if it calls the alert's
 * own. Ties are broken by agreement, then the earlier onset, then the name, so the order never
 * depends on that of the input.
 */
export function rankSeries(
  candidates: readonly ChangeCandidate[],
  { split, own, earlier, callers }: SeriesRankingOptions,
): SeriesRanking {
  const usual = own && withoutEarlier(own, earlier);
  const followed = usual !== null && hasCourse(usual, split) ? usual : null;
  const measured = candidates
    .map((candidate) => measure(candidate, { split, own: followed, earlier }))
    .filter((each) => each !== null);
  const quietInside = componentsQuietInside(measured);
  return {
    lines: collapseReplicas(measured)
      .map((group) => toRanked(group, quietInside, callers)).sort(byRank),
    compared: measured.length,
    moved: measured.filter(({ z }) => Math.abs(z) >= notableZ).length,
    expectedByChance: Math.max(
      measured.reduce((sum, { change }) => sum + quietNotableShare(change.pointsBefore), 0),
      Math.min(...earlierMoments.map((_, moment) =>
        measured.filter(({ movedBefore }) => movedBefore[moment]).length)),
    ),
  };
}

/**
 * Shares of the time before the split. Bursty series move as often then; where something happened
 * at one of these moments, the other tells how often.
 */
const earlierMoments = [1 / 2, 3 / 4];

interface Measured {
  readonly id: string;
  readonly replicaKey: string;
  readonly candidate: ChangeCandidate;
  readonly change: RobustChange;
  readonly z: number;
  readonly isState: boolean;
  /** Whether it moved at each of the {@linkcode earlierMoments}. */
  readonly movedBefore: readonly boolean[];
  readonly agreement: number | null;
  /** The same for the score; 1 when the alert's own series has no course. */
  readonly follows: number;
  readonly onsetIndex: number | null;
}

/** Null where there are too few values; `own` is null when it has no course to follow. */
function measure(
  candidate: ChangeCandidate,
  { split, own, earlier }: SplitSeries,
): Measured | null {
  const { id, component, metric, labels, kind } = candidate;
  const values = earlier?.isUsualLeft === true ? withoutEarlier(candidate.values, earlier)
    : candidate.values;
  const series = { ...candidate, values };
  const about = { origin: originOf(series, split), least: leastDeviation(series, split) };
  const change = measureChange(values, split, about);
  if (change === null) return null;
  const stateZ = kind === 'state' ? zOfState(values, split) : null;
  const z = stateZ ?? change.z;
  const hasMoved = Math.abs(z) >= notableZ;
  const movedBefore = earlierMoments.map((share) => {
    // For as long as is known of the time after the split, but not beyond the next moment.
    const at = Math.floor(share * split);
    const untilThen = values.subarray(0, at + Math.min(values.length - split, split / 4));
    return Math.abs(measureChange(untilThen, at, about)?.z ?? 0) >= notableZ;
  });
  const moves = own === null ? null : agreement(candidate.values, own, split);
  const stoodStill = hasMoved && moves === 0 && !hasCourse(values, split);
  return {
    id, candidate, change, z, isState: stateZ !== null,
    movedBefore,
    replicaKey: replicaKey(component, metric, labels),
    agreement: stoodStill ? null : moves, follows: moves ?? 1,
    onsetIndex: hasMoved ? onsetOf(values, change) : null,
  };
}

const whatIsLeft = /idle|free|avail/i;
/** Nor is it less use where a clock or fan is slower, a credit runs out, or a cache misses. */
const better = /_(left|remaining|balance|credits?|frequency|hertz|rpm|hit_?(ratio|rate|percent))/i;

/** Less is in use inside than before, as where less work comes from outside. */
export function isLessUse({ side, signal, metric, labels }: ChangeCandidate, z: number): boolean {
  const isUse = side === 'internal' && (signal === 'utilization' || signal === 'saturation');
  return isUse && z <= -notableZ && !better.test(metric) &&
    !whatIsLeft.test([metric, ...Object.values(labels)].join(' '));
}

/** Less of what is done; of what is held, such as memory, there is also less after a crash. */
function isEcho({ candidate, z }: Measured): boolean {
  return (candidate.made === 'rate' || /cpu/i.test(candidate.metric)) && isLessUse(candidate, z);
}

/**
 * Components of which nothing internal moved strongly, other than by an echo. A state alone, such
 * as being up, tells nothing of what goes on inside.
 */
function componentsQuietInside(measured: readonly Measured[]): ReadonlySet<string> {
  const inside = measured.filter(({ candidate }) => candidate.side === 'internal');
  const known = inside.filter(({ candidate }) => candidate.signal !== 'state');
  const moved = inside.filter((each) => Math.abs(each.z) >= strongZ && !isEcho(each));
  const quiet = new Set(known.map(({ candidate }) => candidate.component));
  for (const { candidate } of moved) quiet.delete(candidate.component);
  return quiet;
}

/** The share of its score that a change keeps if it does not correlate with the alert at all. */
const disagreeingShare = 0.4;
/** The share of its score that a change keeps if it is more likely a victim than the cause. */
const victimShare = 1 / 3;
/** Most files that a server has open are its connections, unless they are this many times more. */
const leakFactorMin = 10;
/** Beyond this |z|, more says nothing: a series that hardly ever moved has thousands. */
const scoredZMax = 20;

function toRanked(
  { representative, replicas, moved }: ReplicaGroup<Measured>,
  quietInside: ReadonlySet<string>,
  callers: ReadonlySet<string>,
): RankedSeries {
  const { candidate, change, z, isState, agreement: moves, follows, onsetIndex } = representative;
  // More work than before comes from outside and may be the cause of what follows. Calls that a
  // component makes do not come from outside, and are often tried again because they fail.
  const isMoreWork = candidate.signal === 'traffic' && z > 0 && !isOfOwnCalls(candidate.metric);
  const isOutside = candidate.side === 'external' && !isMoreWork;
  // Work in flight is what arrives times the time it takes, so it never moves by itself.
  const isInFlight = (isOutside && candidate.signal === 'saturation') ||
    (candidate.metric === 'process_open_fds' && change.after < leakFactorMin * change.before);
  // A caller waits, fails and keeps connections open because of what it calls.
  const isWaiting = candidate.signal !== 'traffic' &&
    (callers.has(candidate.component) || isOfOwnCalls(candidate.metric));
  const isHit = isInFlight || isWaiting || (isOutside && quietInside.has(candidate.component));
  const agreeing = disagreeingShare + (1 - disagreeingShare) * follows;
  const weight = (candidate.weight ?? 1) * (isHit ? victimShare : 1);
  const { before, after, scale, origin, fewPoints } = change;
  return {
    candidate, z, isState, strength: strengthOf(z), agreement: moves, onsetIndex,
    score: Math.log1p(Math.min(Math.abs(z), scoredZMax)) * agreeing * weight,
    before, after, scale, origin, fewPoints, isVictim: isHit || isEcho(representative),
    replicas, replicasMoved: moved,
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
