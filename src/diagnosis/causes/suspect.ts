import type { MetricFacts, RankingFacts } from '../../evidence/metric-facts.ts';
import { strongZ } from '../../statistics/strength.ts';
import type { CheckedLine, StandingComponent } from '../changes/ranked-line.ts';

/** From this ratio of their scores on, one component is clearly ahead of another. */
const aheadMin = 1.25;
/** Below this agreement, two series do not move together. */
const agreementLow = 0.3;
/** Up to this many times the changes expected by chance, a change that is not strong is chance. */
const chanceFactor = 2;

/** A component suspected to be the cause, and its rivals. */
export interface Suspect {
  readonly standing: StandingComponent;
  readonly facts: MetricFacts;
  readonly found: RankingFacts;
  /** The candidates after it, best first; none for all but the first. */
  readonly rivals: readonly StandingComponent[];
  readonly isFirst: boolean;
}

/** The first, and clearly ahead of the next candidate. */
export function isAhead(suspect: Suspect): boolean {
  return suspect.isFirst && closeRivals(suspect).length === 0;
}

/** The candidates that the first is not clearly ahead of. */
export function closeRivals({ standing, rivals }: Suspect): readonly StandingComponent[] {
  return rivals.filter(({ score }) => standing.score < aheadMin * score);
}

/**
 * It began after the problem, so it is more likely an effect than the cause. The grid is accurate
 * to two steps.
 */
export function isLate({ onsetMs }: CheckedLine, { grid }: RankingFacts): boolean {
  return onsetMs !== null && onsetMs > 2 * grid.stepMs;
}

/** It began no later than the problem, and as far as known no later than the alert's own series. */
export function isEarly({ onsetMs, line }: CheckedLine, found: RankingFacts): boolean {
  return onsetMs !== null && onsetMs <= 0 && !isAfterOwn(line, found);
}

/** The alert's own series began to move before it did. */
export function isAfterOwn(
  { onsetIndex }: CheckedLine['line'],
  { ownOnsetIndex }: RankingFacts,
): boolean {
  return onsetIndex !== null && ownOnsetIndex !== null && onsetIndex > ownOnsetIndex;
}

/** It is known not to move with the alert's own series. */
export function isApart({ line: { agreement } }: CheckedLine): boolean {
  return agreement !== null && agreement < agreementLow;
}

/**
 * The change is not strong, and chance alone would produce about as many of them. What is 0 or 1
 * does not change by noise.
 */
export function isByChance({ z, line }: CheckedLine, { ranking }: RankingFacts): boolean {
  return !line.isState && Math.abs(z) < strongZ &&
    ranking.moved <= chanceFactor * ranking.expectedByChance;
}
