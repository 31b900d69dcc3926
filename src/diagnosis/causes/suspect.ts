import type { EventFact, MetricFacts, RankingFacts } from '../../evidence/metric-facts.ts';
import { strongZ } from '../../statistics/strength.ts';
import { isOn, latestBefore } from '../changes/event-closeness.ts';
import type { CheckedLine, StandingComponent } from '../changes/ranked-line.ts';

/** The first is clearly ahead of the second from this ratio of their scores on. */
const aheadMin = 1.25;
/** With less agreement than this two do not move together. */
const agreementLow = 0.3;
/** Only more than this many times the changes expected by chance are a sign of anything. */
const chanceFactor = 2;

/** A component's case, and how far it is ahead of the next best. */
export interface Suspect {
  readonly standing: StandingComponent;
  readonly facts: MetricFacts;
  readonly found: RankingFacts;
  /** The next best that may be a cause; null where there is none, and for any but the first. */
  readonly rival: StandingComponent | null;
  readonly isFirst: boolean;
}

/** The latest restart, new version or new configuration just before the problem. */
export function eventBefore(component: string, facts: MetricFacts): EventFact | null {
  return latestBefore(facts, (event) => isOn(event, component));
}

/** Clearly ahead of the next best that may be a cause. */
export function isAhead({ standing, rival }: Suspect): boolean {
  return rival === null || standing.score >= aheadMin * rival.score;
}

/**
 * Began after the problem, so that it is an effect more likely than the cause. Two steps are the
 * grid's own error.
 */
export function isLate({ onsetMs }: CheckedLine, { grid }: RankingFacts): boolean {
  return onsetMs !== null && onsetMs > 2 * grid.stepMs;
}

/** It began no later than the problem did, and than the alert's own series as far as is known. */
export function isEarly({ onsetMs, line }: CheckedLine, found: RankingFacts): boolean {
  return onsetMs !== null && onsetMs <= 0 && !isAfterOwn(line, found);
}

/** The alert's own series had begun to move when it did. */
export function isAfterOwn(
  { onsetIndex }: CheckedLine['line'],
  { ownOnsetIndex }: RankingFacts,
): boolean {
  return onsetIndex !== null && ownOnsetIndex !== null && onsetIndex > ownOnsetIndex;
}

/** It does not move with the alert's own series, as far as that is known. */
export function isApart({ line: { agreement } }: CheckedLine): boolean {
  return agreement !== null && agreement < agreementLow;
}

/** A change that is not strong tells nothing where chance alone makes as many of them. */
export function isByChance({ z }: CheckedLine, { ranking }: RankingFacts): boolean {
  return Math.abs(z) < strongZ && ranking.moved <= chanceFactor * ranking.expectedByChance;
}
