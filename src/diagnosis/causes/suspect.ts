import type { RankingFacts } from '../../evidence/metric-facts.ts';
import type { MovedSeries, StandingComponent } from '../changes/moved-series.ts';
import { isMovedByClock } from '../own-value.ts';
import type { Situation } from '../situation.ts';

const componentsMax = 3;
/** From this ratio of their scores on, one component is clearly ahead of another. */
const aheadMin = 1.25;
/** From this agreement on, two series move together. */
const agreementHigh = 0.7;
/** What began longer before the problem has to move with it to be its cause. */
const longBeforeMs = 10 * 60_000;

/** A component suspected to be the cause. */
export interface Suspect extends StandingComponent {
  readonly found: RankingFacts;
  /** It is the first, and clearly ahead of the next candidate. */
  readonly isAhead: boolean;
  /** The next candidate; null without one, and for all but the first. */
  readonly next: StandingComponent | null;
  /** The candidates that the first is not clearly ahead of; none for the others. */
  readonly tied: readonly StandingComponent[];
}

/**
 * The components that moved most, best first. None that began to move after the problem, that is
 * more likely a victim than the cause, that began long before on a course of its own, or that moved
 * no more than series do by chance or not at all with the alert's value.
 */
export function suspectsOf(
  situation: Situation,
  all: readonly StandingComponent[],
): Suspect[] {
  const { evidence } = situation;
  const found = evidence.metrics?.ranking ?? null;
  // What the clock alone moves crosses its threshold long after whatever went wrong.
  if (found === null || isMovedByClock(situation)) return [];
  const isOfMachine = found.ownComponent !== null &&
    evidence.rule?.metrics.every(isMachineMetric) === true;
  const standing = all.filter(({ best, isVictim }) =>
    best === null || !(best.isLate || isVictim || best.isByChance || best.isUnrelated ||
      isOfBefore(best)));
  const [first, ...others] = isOfMachine ? withoutOtherMachines(standing) : standing;
  if (first === undefined) return [];
  const tied = others.filter(({ score }) => first.score < aheadMin * score);
  return [
    { ...first, found, isAhead: tied.length === 0, next: others[0] ?? null, tied },
    ...others.slice(0, componentsMax - 1)
      .map((other) => ({ ...other, found, isAhead: false, next: null, tied: [] })),
  ];
}

export function isMachineMetric(metric: string): boolean {
  return /^(?:node|windows)_/u.test(metric);
}

/** The own one first: what moves on one machine is not why another is hot, full or busy. */
function withoutOtherMachines(all: readonly StandingComponent[]): StandingComponent[] {
  const others = all.filter(({ isOwn, best }) => {
    const metric = best?.candidate.metric ?? '';
    return !isOwn && metric !== 'up' && !isMachineMetric(metric);
  });
  return [...all.filter(({ isOwn }) => isOwn), ...others];
}

/** It began to move long before the problem, and is known to have another course. */
function isOfBefore(series: MovedSeries): boolean {
  const { onsetMs, agreement } = series;
  return onsetMs !== null && onsetMs < -longBeforeMs && agreement !== null && !isAlong(series);
}

/** It is known to move with the alert's own series. */
export function isAlong({ agreement }: MovedSeries): boolean {
  return agreement !== null && agreement >= agreementHigh;
}
