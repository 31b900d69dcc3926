import type { RankingFacts } from '../../evidence/metric-facts.ts';
import { isOfMachine } from '../../evidence/metrics/search/host-slack.ts';
import { longBeforeMs, type MovedSeries, type OutlierComponent } from '../changes/moved-series.ts';
import { isMovedByClock } from '../own-value.ts';
import type { Situation } from '../situation.ts';

const componentsMax = 3;
/**
 * From this difference of their scores on, one component is clearly ahead of another, and below the
 * other it is too close to call. On labelled incidents, a first that moved strongly was the right
 * one in nine of ten beyond the one, and in a third below the other (scripts/score-ranking.ts).
 */
const aheadMin = 0.8;
const tiedMax = 0.25;
/** From this agreement on, two series move together. */
const agreementHigh = 0.7;

/** A component suspected to be the cause. */
export interface Suspect extends OutlierComponent {
  readonly found: RankingFacts;
  /** It is the first, and clearly ahead of every other component. */
  readonly isAhead: boolean;
  /** The next component, whether suspected or not; null without one, and for all but the first. */
  readonly next: OutlierComponent | null;
  /** The first and those too close to it to call, suspected or not; none if it is ahead. */
  readonly tied: readonly OutlierComponent[];
}

/**
 * The components that moved most, best first. None that is more likely a victim than the cause,
 * that began long before and moves by itself, or that moved no more than series do by chance or
 * not at all with the alert's value.
 */
export function suspectsOf(
  situation: Situation,
  all: readonly OutlierComponent[],
): Suspect[] {
  const { evidence } = situation;
  const found = evidence.metrics?.ranking ?? null;
  // What the clock alone moves crosses its threshold long after whatever went wrong.
  if (found === null || isMovedByClock(situation)) return [];
  const isOnMachine = found.ownComponent !== null &&
    evidence.rule?.metrics.every(isOfMachine) === true;
  const moved = all.filter(({ best }) => best?.isByChance !== true);
  const outliers = isOnMachine ? withoutOtherMachines(moved) : moved;
  const [first, ...others] = outliers.filter(({ best, isVictim, isOwn }) => best === null ||
    !(isVictim || best.isUnrelated || beganLongBefore(best, isOnMachine) ||
      (!isOwn && isOfFew(best))));
  if (first === undefined) return [];
  const rivals = outliers.filter((each) => each !== first).sort((a, b) => b.score - a.score);
  const [next = null] = rivals;
  const close = rivals.filter(({ score }) => first.score - score < tiedMax);
  const tied = close.length === 0 ? [] : [first, ...close];
  const isAhead = next === null || first.score - next.score >= aheadMin;
  return [
    { ...first, found, isAhead, next, tied },
    ...others.slice(0, componentsMax - 1)
      .map((other) => ({ ...other, found, isAhead: false, next: null, tied })),
  ];
}

/** The own one first: what moves on one machine is not why another is hot, full or busy. */
function withoutOtherMachines(all: readonly OutlierComponent[]): OutlierComponent[] {
  const others = all.filter(({ isOwn, best }) => {
    const metric = best?.candidate.metric ?? '';
    return !isOwn && metric !== 'up' && !isOfMachine(metric);
  });
  return [...all.filter(({ isOwn }) => isOwn), ...others];
}

/** Only few of many replicas moved, which seldom harms another component. */
function isOfFew({ replicas, replicasMoved }: MovedSeries): boolean {
  return replicasMoved <= replicas / 4;
}

/**
 * It began to move long before the problem, and nothing shows that it goes with it: what all that
 * runs on a machine share goes with much.
 */
function beganLongBefore(series: MovedSeries, isOnMachine: boolean): boolean {
  const { onsetMs, candidate: { metric } } = series;
  if (onsetMs === null || onsetMs >= -longBeforeMs) return false;
  return (isOfMachine(metric) && !isOnMachine) || !(movesWithAlert(series) || series.isOnTheMove);
}

/** It is known to move with the alert's own series. */
export function movesWithAlert({ agreement }: MovedSeries): boolean {
  return agreement !== null && agreement >= agreementHigh;
}
