import { compareText } from '../lib/compare-text.ts';
import { agreement, canAgree } from './agreement.ts';
import type { ChangeCandidate } from './change-candidate.ts';
import { isOfOwnCalls } from './names/own-calls.ts';
import { onsetOf } from './onset.ts';
import { collapseReplicas, replicaKey, type ReplicaGroup } from './replica-collapse.ts';
import {
  heldShare, measureChange, natureOf, newActivityZ, zOfState, type RobustChange,
} from './robust-change.ts';
import { burstOf, effectOf, effectOfStep, scoreOf, type ScoreGrounds } from './series-score.ts';
import { stepOf, type LevelStep } from './step.ts';
import { notableZ, quietNotableShare, strengthOf, type Strength } from './strength.ts';
import { withoutEarlier, type EarlierTrouble } from './without-earlier.ts';

/** One line of the list: a series, or the one that stands for a component's replicas. */
export interface RankedSeries extends Omit<RobustChange, 'z' | 'pointsBefore'> {
  readonly candidate: ChangeCandidate;
  readonly z: number;
  /** It consists of zeros and ones; its z is the share of time in the other state. */
  readonly isState: boolean;
  /** It stands still but for one step around the split, which chance does not make. */
  readonly isStep: boolean;
  readonly strength: Strength;
  readonly score: number;
  /**
   * Correlation with the alert's own series, 0 to 1; null when that does not vary, and
   * for a series that moved before the points that are compared and has stood still since.
   */
  readonly agreement: number | null;
  /** Index at which the change began; null if it did not move or the onset is unclear. */
  readonly onsetIndex: number | null;
  /** What its score is made of. */
  readonly grounds: ScoreGrounds;
  /**
   * Likely a victim: work in flight, calls that its component makes, or anything but traffic of a
   * component that calls the alert's own.
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
 * Ranks series by how unusual and how large their change at the split is, and by their agreement
 * with the alert's own series; see {@linkcode scoreOf}. Ties are broken by agreement, then the
 * earlier onset, then the name, so the order never depends on that of the input.
 */
export function rankSeries(
  candidates: readonly ChangeCandidate[],
  { split, own, earlier, callers }: SeriesRankingOptions,
): SeriesRanking {
  const usual = own && withoutEarlier(own, earlier);
  const followed = usual !== null && canAgree(usual, split) ? usual : null;
  const measured = candidates
    .map((candidate) => measure(candidate, { split, own: followed, earlier }))
    .filter((each) => each !== null);
  return {
    lines: collapseReplicas(measured).map((group) => toRanked(group, split, callers)).sort(byRank),
    compared: measured.length,
    moved: measured.filter(({ z }) => Math.abs(z) >= notableZ).length,
    expectedByChance: Math.max(
      measured.reduce((sum, { change }) => sum + quietNotableShare(change.pointsBefore), 0),
      Math.min(...earlierMoments.map((share) =>
        measured.filter((each) => movedBefore(each, Math.floor(share * split), split)).length)),
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
  /** Those that are compared. */
  readonly values: Float64Array;
  readonly change: RobustChange;
  readonly z: number;
  readonly isState: boolean;
  readonly step: LevelStep | null;
  readonly agreement: number | null;
  /** The same for the score; 1 when the alert's own series does not vary. */
  readonly follows: number;
}

/** Null where there are too few values; `own` is null when it does not vary. */
function measure(
  candidate: ChangeCandidate,
  { split, own, earlier }: SplitSeries,
): Measured | null {
  const { id, component, metric, labels, kind } = candidate;
  const known = measuredValues(candidate);
  const values = earlier?.isUsualLeft === true ? withoutEarlier(known, earlier) : known;
  const change = measureChange(values, split, natureOf(candidate, values, split));
  if (change === null) return null;
  const stateZ = kind === 'state' ? zOfState(values, split) : null;
  const step = stepNear(candidate, split);
  const z = step === null ? stateZ ?? change.z
    : Math.sign(step.after - step.before) * newActivityZ;
  const moves = own === null ? null : agreement(known, own, split);
  const stoodStill = Math.abs(z) >= notableZ && moves === 0 && !canAgree(values, split);
  return {
    id, candidate, values, z, step, isState: stateZ !== null,
    change: step === null ? change : { ...change, before: step.before, after: step.after },
    replicaKey: replicaKey(component, metric, labels),
    agreement: stoodStill ? null : moves, follows: moves ?? 1,
  };
}

/** A step may come this share of the points before the split: whatever it breaks shows later. */
const stepBeforeShare = 1 / 20;

/**
 * The step that a level inside of something takes around the split; null for what is seen from
 * outside, for states that alternate, for rates, and for what has none.
 */
export function stepNear(
  candidate: Pick<ChangeCandidate, 'kind' | 'made' | 'side' | 'signal' | 'unit' | 'values'>,
  split: number,
): LevelStep | null {
  const { kind, made, side, values } = candidate;
  if (made !== undefined || kind !== 'gauge' || side !== 'internal') return null;
  const step = stepOf(values, split - Math.ceil(stepBeforeShare * split));
  const { least } = natureOf(candidate, values, split);
  return step !== null && Math.abs(step.after - step.before) >= notableZ * least ? step : null;
}

/** Nothing takes no time: a latency of 0 is that of no requests. */
function measuredValues({ signal, values }: ChangeCandidate): Float64Array {
  return signal === 'latency' && values.includes(0)
    ? values.map((value) => value || Number.NaN) : values;
}

/** Whether a series had moved at a moment before the split, for as long as is known after it. */
function movedBefore({ values, change }: Measured, at: number, split: number): boolean {
  // Not beyond the next moment.
  const end = at + Math.min(values.length - split, Math.floor(split / 4));
  const far = Math.max(notableZ * change.scale, Number.MIN_VALUE);
  let [up, down, known] = [0, 0, 0];
  for (let index = at; index < end; index += 1) {
    const distance = (values[index] ?? Number.NaN) - change.before;
    if (Number.isFinite(distance)) known += 1;
    if (distance >= far) up += 1;
    if (distance <= -far) down += 1;
  }
  return known > 0 && Math.max(up, down) >= heldShare * known;
}

/** Most files that a server has open are its connections, unless they are this many times more. */
const leakFactorMin = 10;

function toRanked(
  { representative, replicas, moved }: ReplicaGroup<Measured>,
  split: number,
  callers: ReadonlySet<string>,
): RankedSeries {
  const { candidate, values, change, z, step, isState, agreement: moves, follows } = representative;
  const isTraffic = candidate.signal === 'traffic';
  // Work in flight is what arrives times the time it takes, so it never moves by itself.
  const isInFlight = (candidate.side === 'external' && candidate.signal === 'saturation') ||
    (candidate.metric === 'process_open_fds' && change.after < leakFactorMin * change.before);
  const isWaiting = isInFlight || (!isTraffic &&
    (callers.has(candidate.component) || isOfOwnCalls(candidate.metric)));
  const grounds = {
    deviation: Math.abs(z), follows,
    effect: Math.max(
      effectOf(change, isState ? z : null), step === null ? 0 : effectOfStep(step)),
    burst: burstOf(values, split, change), isTraffic, isWaiting, weight: candidate.weight ?? 1,
  };
  const { before, after, scale, origin, fewPoints } = change;
  return {
    candidate, z, isState, isStep: step !== null, strength: strengthOf(z), agreement: moves,
    onsetIndex: step?.index ??
      (Math.abs(z) >= notableZ ? onsetOf(values, change, split) : null),
    grounds, score: scoreOf(grounds), isVictim: isWaiting,
    before, after, scale, origin, fewPoints, replicas, replicasMoved: moved,
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
