import type { MetricFacts, RankingFacts } from '../../evidence/metric-facts.ts';
import type { RankedComponent } from '../../statistics/rank-components.ts';
import type { RankedSeries } from '../../statistics/rank-series.ts';
import { notableZ, strengthOf, type Strength } from '../../statistics/strength.ts';
import { isJustBefore, isOn, isRelease } from './event-closeness.ts';

/** Taken off the score of a change that is usual at this hour, as if it were half its size. */
const usualLoss: number = Math.LN2;

/** Chance alone reaches this agreement; below it, a series is unrelated to the alert's own. */
const agreementMin = 0.2;

/** Raises the score of a component to which something happened just before the problem. */
const eventFactor = 1.25;

/** A ranked series after the check against earlier days. */
export interface CheckedLine {
  readonly line: RankedSeries;
  readonly z: number;
  readonly isUsual: boolean;
  /** It moved, but not with the alert's own series. */
  readonly isUnrelated: boolean;
  readonly strength: Strength;
  readonly score: number;
  /** Milliseconds from the beginning of the problem; negative is before, null when unknown. */
  readonly onsetMs: number | null;
  readonly evidence: string;
}

/** The line after comparison with the same hour of other days. */
export function checkedLine(
  line: RankedSeries,
  facts: MetricFacts,
  found: RankingFacts,
): CheckedLine {
  const { id } = line.candidate;
  const season = found.seasonal.get(id);
  const z = season?.z ?? line.z;
  const isUsual = season?.isUsual ?? false;
  return {
    line, z, isUsual, isUnrelated: isUnrelated(line),
    strength: isUsual || isUnrelated(line) ? 'weak' : strengthOf(z),
    score: Math.max(0, line.score - (isUsual ? usualLoss : 0)),
    onsetMs: sinceProblem(line.onsetIndex, facts, found),
    evidence: found.evidenceOf.get(id) ?? found.evidence,
  };
}

function isUnrelated({ agreement }: RankedSeries): boolean {
  return agreement !== null && agreement < agreementMin;
}

/** Milliseconds between the beginning of the problem and a point of the grid. */
export function sinceProblem(
  index: number | null,
  { window }: MetricFacts,
  { grid }: RankingFacts,
): number | null {
  return index === null ? null : grid.startMs + index * grid.stepMs - window.onMs;
}

/** A component that stands out, with the line that shows it best. */
export interface StandingComponent {
  readonly component: RankedComponent;
  readonly score: number;
  /** Null where most of its series ended and none of the others moved. */
  readonly best: CheckedLine | null;
  /** It moved as seen from outside, and nothing inside it moved strongly. */
  readonly isVictim: boolean;
  readonly isOwn: boolean;
}

/**
 * Components in which something moved notably, best first; a restart, release or configuration
 * change just before raises one. Of the alert's own component only internals count, as what its
 * callers see is the alert itself.
 */
export function standingComponents(facts: MetricFacts, found: RankingFacts): StandingComponent[] {
  return found.ranking.components
    .map((component) => standing(component, facts, found))
    .filter((each) => each !== null)
    .sort((a, b) => b.score - a.score);
}

function standing(
  component: RankedComponent,
  facts: MetricFacts,
  found: RankingFacts,
): StandingComponent | null {
  const isOwn = component.component === found.ownComponent;
  const lines = component.strongest
    .filter(({ candidate }) => !isOwn || candidate.side === 'internal')
    .map((line) => checkedLine(line, facts, found))
    .filter(({ z, isUsual }) => Math.abs(z) >= notableZ && !isUsual)
    .sort((a, b) => b.score - a.score);
  const [best = null] = lines;
  if (best === null && !component.isGone) return null;
  const moved = component.isGone ? component.score : (best?.score ?? 0);
  const isRaised = facts.events.some((event) => {
    const counts = !isOwn || isRelease(event);
    return counts && isOn(event, component.component) && isJustBefore(event, facts);
  });
  const isVictim = !component.isGone && best?.line.isVictim === true;
  return { component, score: moved * (isRaised ? eventFactor : 1), best, isVictim, isOwn };
}
