import type { RobustChange } from './robust-change.ts';
import { timesApart } from './times-apart.ts';

/** What the score of a series rests on. */
export interface ScoreGrounds {
  /** How unusual the change is, in deviations, without its sign. */
  readonly deviation: number;
  /** How large it is, as a multiple of what the series usually is. */
  readonly effect: number;
  /** How closely it moves with the alert's own series, 0 to 1; 1 where that does not vary. */
  readonly follows: number;
  /** Share of the time before in which it was at least half as far out, the same way. */
  readonly burst: number;
  readonly isTraffic: boolean;
  /** Work in flight, or of a component that waits for another. */
  readonly isWaiting: boolean;
  /** What it counts for by itself; 1 for most. */
  readonly weight: number;
}

/** The constants of {@linkcode scoreOf}. */
export interface ScoreConstants {
  /** Beyond it, a deviation only says how flat the past was. */
  readonly deviationMax: number;
  /**
   * How much the size of the effect counts beside how unusual it is, 0 to 1: a change by 1 % is
   * unusual in a flat series and matters to nobody.
   */
  readonly effectShare: number;
  /**
   * What is left of the score of a series that does not move with the alert. It can still be the
   * cause: a delay shows as a step where the alert's value goes up and down.
   */
  readonly unrelated: number;
  /** Fewer requests arrive where callers fail. */
  readonly traffic: number;
  /** A caller waits, fails and keeps connections open because of what it calls. */
  readonly waiting: number;
  /** What jumped as far an hour ago is no news. */
  readonly burst: number;
}

/**
 * To double or halve one costs at most 0.02 of the Avg@5 of labelled incidents. A change of them is
 * judged by `scripts/score-ranking.ts`, which chooses them on all systems but one and tries them
 * there.
 */
export const scoreConstants: ScoreConstants = {
  deviationMax: 50, effectShare: 1 / 2, unrelated: 0.3, traffic: 1 / 2, waiting: 1 / 3, burst: 5,
};

/** How much a series stands out. Differences mean the same everywhere, unlike ratios. */
export function scoreOf(
  grounds: ScoreGrounds,
  constants: ScoreConstants = scoreConstants,
): number {
  const { deviation, effect, follows, burst, isTraffic, isWaiting, weight } = grounds;
  const { deviationMax, effectShare, unrelated } = constants;
  const moved = (1 - effectShare) * Math.log1p(Math.min(deviation, deviationMax)) +
    effectShare * Math.log1p(effect);
  const agreeing = unrelated + (1 - unrelated) * follows ** 2;
  const discount = (isTraffic ? constants.traffic : 1) * (isWaiting ? constants.waiting : 1) /
    (1 + constants.burst * burst);
  return moved * agreeing * discount * weight;
}

/** Where all but everything succeeded, nothing is usual that failures could be compared to. */
const failuresEffectMax = 10;

/**
 * The change as a multiple of the usual magnitude, or of one deviation if that is larger. For
 * what was flat, or is 0 or 1, the number of deviations: nothing else is known of it.
 */
export function effectOf(
  { z, before, after, scale, origin }: RobustChange,
  stateZ: number | null,
): number {
  if (scale === 0 || stateZ !== null) return Math.abs(stateZ ?? z);
  const usual = Math.abs(before - origin);
  const effect = Math.abs(after - before) / Math.max(usual, scale);
  return origin !== 0 && usual < scale ? Math.min(effect, failuresEffectMax) : effect;
}

/** From or to nothing, a step has no size of its own. */
const stepEffectMax = 10;

/** How many times as large the larger level of a step is. */
export function effectOfStep({ before, after }: Pick<RobustChange, 'before' | 'after'>): number {
  return Math.min(stepEffectMax, timesApart(before, after) - 1);
}

/** What happened just before the split may be its beginning. */
const olderShare = 0.75;

/**
 * The share of the older three quarters of the values before the split that were at least half as
 * far from the usual value as those after it, in the same direction.
 */
export function burstOf(
  values: Float64Array,
  split: number,
  { before, after }: Pick<RobustChange, 'before' | 'after'>,
): number {
  const half = (after - before) / 2;
  const end = Math.floor(olderShare * split);
  let known = 0;
  let out = 0;
  for (let index = 0; index < end; index += 1) {
    const distance = (values[index] ?? Number.NaN) - before;
    if (!Number.isFinite(distance)) continue;
    known += 1;
    if (half > 0 ? distance >= half : half < 0 && distance <= half) out += 1;
  }
  return known === 0 ? 0 : out / known;
}
