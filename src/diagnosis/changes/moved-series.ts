import type { Evidence } from '../../evidence/collect-evidence.ts';
import type { RankingFacts } from '../../evidence/metric-facts.ts';
import type { RankedComponent } from '../../statistics/rank-components.ts';
import type { RankedSeries } from '../../statistics/rank-series.ts';
import { notableZ, strengthOf, strongZ } from '../../statistics/strength.ts';
import { eventsOf, isJustBefore, isOn, isRelease, problemStart } from './event-closeness.ts';

/** Taken off the score of a change that is usual at this hour, as if it were half its size. */
const usualLoss: number = Math.LN2;

/** Chance alone reaches this agreement; below it, a series is unrelated to the alert's own. */
const agreementMin = 0.2;

/** Up to this many times the changes expected by chance, a change that is not strong is chance. */
const chanceFactor = 2;

/** Raises the score of a component to which something happened just before the problem. */
const eventFactor = 1.25;

/** A ranked series whose `z`, `strength` and `score` take account of other days at this hour. */
export interface MovedSeries extends RankedSeries {
  /** Its z by the values around the problem alone. */
  readonly windowZ: number;
  readonly isUsual: boolean;
  /** It moved, but not with the alert's own series. */
  readonly isUnrelated: boolean;
  /** Milliseconds from the beginning of the problem; negative is before, null when unknown. */
  readonly onsetMs: number | null;
  /** It began after the problem, so it is more likely an effect than the cause. */
  readonly isLate: boolean;
  /** The alert's own series began to move before it did. */
  readonly isAfterOwn: boolean;
  /** It is not strong, and chance alone would produce about as many such changes. */
  readonly isByChance: boolean;
  /** The ledger's item of this series, or else that of the search. */
  readonly evidence: string;
}

/** The series that moved most, best first; none if nothing was ranked. */
export function movedSeries(evidence: Evidence): MovedSeries[] {
  const found = evidence.metrics?.ranking ?? null;
  return found === null ? []
    : found.ranking.series.map((series) => inContext(series, found, evidence));
}

function inContext(series: RankedSeries, found: RankingFacts, evidence: Evidence): MovedSeries {
  const { z: windowZ, agreement, onsetIndex, isState, candidate: { id } } = series;
  const { z, isUsual } = found.seasonal.get(id) ?? { z: windowZ, isUsual: false };
  const isUnrelated = agreement !== null && agreement < agreementMin;
  const onsetMs = onsetIndex === null ? null : sinceProblem(onsetIndex, found, evidence);
  const { moved, expectedByChance } = found.ranking;
  return {
    ...series, windowZ, z, isUsual, isUnrelated, onsetMs,
    strength: isUsual || isUnrelated ? 'weak' : strengthOf(z),
    score: Math.max(0, series.score - (isUsual ? usualLoss : 0)),
    // The grid is accurate to two steps.
    isLate: onsetMs !== null && onsetMs > 2 * found.grid.stepMs,
    isAfterOwn: onsetIndex !== null && found.ownOnsetIndex !== null &&
      onsetIndex > found.ownOnsetIndex,
    // What is 0 or 1 does not change by noise.
    isByChance: !isState && Math.abs(z) < strongZ && moved <= chanceFactor * expectedByChance,
    evidence: found.evidenceOf.get(id) ?? found.evidence,
  };
}

/** Milliseconds between the beginning of the problem and a point of the grid. */
export function sinceProblem(index: number, { grid }: RankingFacts, evidence: Evidence): number {
  return grid.startMs + index * grid.stepMs - problemStart(evidence);
}

/** A component that stands out, with the series that shows it best. */
export interface StandingComponent {
  readonly component: RankedComponent;
  readonly score: number;
  /** Null where most of its series ended and none of the others moved. */
  readonly best: MovedSeries | null;
  /** What shows it best is likely a victim's. */
  readonly isVictim: boolean;
  readonly isOwn: boolean;
}

/**
 * Components in which something moved notably, best first; a restart, release or configuration
 * change just before raises one. Of the alert's own component only internals count, as what its
 * callers see is the alert itself.
 */
export function standingComponents(evidence: Evidence): StandingComponent[] {
  const found = evidence.metrics?.ranking ?? null;
  if (found === null) return [];
  return found.ranking.components
    .map((component) => standing(component, found, evidence))
    .filter((each) => each !== null)
    .sort((a, b) => b.score - a.score);
}

function standing(
  component: RankedComponent,
  found: RankingFacts,
  evidence: Evidence,
): StandingComponent | null {
  const isOwn = component.component === found.ownComponent;
  const [best = null] = component.strongest
    .filter(({ candidate }) => !isOwn || candidate.side === 'internal')
    .map((series) => inContext(series, found, evidence))
    .filter(({ z, isUsual }) => Math.abs(z) >= notableZ && !isUsual)
    .sort((a, b) => b.score - a.score);
  if (best === null && !component.isGone) return null;
  const moved = component.isGone ? component.score : (best?.score ?? 0);
  const isRaised = eventsOf(evidence).some((event) => {
    const counts = !isOwn || isRelease(event);
    return counts && isOn(event, component.component) && isJustBefore(event, evidence);
  });
  const isVictim = !component.isGone && best?.isVictim === true;
  return { component, score: moved * (isRaised ? eventFactor : 1), best, isVictim, isOwn };
}
