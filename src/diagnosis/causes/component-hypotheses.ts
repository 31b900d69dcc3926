import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { topologySimilarity } from '../../alert/similarity.ts';
import type { EventFact } from '../../evidence/metric-facts.ts';
import type { Certainty, Hypothesis, Statement } from '../../report/report.ts';
import { strongZ } from '../../statistics/strength.ts';
import { changeTitle, componentName, movement } from '../changes/change-words.ts';
import { isOn, isRelease, latestBefore } from '../changes/event-closeness.ts';
import {
  standingComponents, type CheckedLine, type StandingComponent,
} from '../changes/ranked-line.ts';
import { hostOf } from '../knowledge/fill-template.ts';
import { isMovedByClock } from '../own-value.ts';
import { queryOfItem, type Situation } from '../situation.ts';
import { eventClause, opposing, supporting, tieOf } from './component-statements.ts';
import { explanation } from './explanation.ts';
import { isAhead, isApart, isByChance, isEarly, isLate, type Suspect } from './suspect.ts';

const componentsMax = 3;

/**
 * The components that moved most, as explanations. This is a shortlist: having moved first and most
 * makes a component the place to look, and no more than that unless it is clearly ahead.
 */
export function componentHypotheses(situation: Situation): Hypothesis[] {
  return suspectsOf(situation).map((suspect) => hypothesisOf(suspect, situation));
}

/** Which components moved about as much as the first; null if it is clearly ahead. */
export function tieOfComponents(situation: Situation): Statement | null {
  const [first] = suspectsOf(situation);
  return first === undefined ? null : tieOf(first);
}

function suspectsOf(situation: Situation): Suspect[] {
  const facts = situation.evidence.metrics;
  // What the clock alone moves crosses its threshold long after whatever went wrong.
  if (facts === null || facts.ranking === null || isMovedByClock(situation)) return [];
  const found = facts.ranking;
  const standing = standingComponents(facts, found);
  const isOfMachine = found.ownComponent !== null &&
    situation.evidence.rule?.metrics.every(isMachineMetric) === true;
  const all = isOfMachine ? withoutOtherMachines(standing) : standing;
  const rivals = all.slice(1).filter(({ best }) => best === null || !isLate(best, found));
  return all.slice(0, componentsMax).map((each, index) => {
    const isFirst = index === 0;
    return { standing: each, facts, found, rivals: isFirst ? rivals : [], isFirst };
  });
}

function isMachineMetric(metric: string): boolean {
  return /^(?:node|windows)_/u.test(metric);
}

/** The own one first: what moves on one machine is not why another is hot, full or busy. */
function withoutOtherMachines(all: readonly StandingComponent[]): StandingComponent[] {
  const others = all.filter(({ isOwn, best }) => {
    const metric = best?.line.candidate.metric ?? '';
    return !isOwn && metric !== 'up' && !isMachineMetric(metric);
  });
  return [...all.filter(({ isOwn }) => isOwn), ...others];
}

/** All machines may be one component: the exporter that runs on each. */
function isOnOtherMachine({ labels }: EventFact, alert: LabelSet): boolean {
  const [own, other] = [labelOf(alert, 'instance'), labelOf(labels, 'instance')];
  return isMachineMetric(labels['__name__'] ?? '') && own !== null && other !== null &&
    hostOf(own) !== hostOf(other);
}

function hypothesisOf(suspect: Suspect, situation: Situation): Hypothesis {
  const { standing, facts } = suspect;
  const { best } = standing;
  const { component } = standing.component;
  const event = latestBefore(facts, (each) =>
    isOn(each, component) && !isOnOtherMachine(each, situation.caseFile.alert.labels));
  // A release of the alert's own component is a separate hypothesis.
  const isAlone = event === null || (standing.isOwn && isRelease(event));
  const moved = best === null ? `${componentName(component)} is gone` : changeTitle(best);
  const cause = isAlone ? moved
    : `${eventClause(event)}, and ${best === null ? 'it is gone' : `its ${movement(best)}`}`;
  const support = supporting(suspect, event, situation);
  return {
    ...explanation(cause, certaintyOfSuspect(suspect, situation), support),
    against: opposing(suspect),
    // Only those that moved most have an item of their own; that of the search asks for all series.
    test: best === null || best.evidence === suspect.found.evidence ? null
      : queryOfItem(best.evidence, situation),
  };
}

/**
 * Likely: it moved strongly, first and with the alert's value, belongs to what the alert is about,
 * is clearly ahead of the next candidate, and the search was complete. Possible: its timing fits.
 * Inconclusive: it began after the problem, is more likely a victim than the cause, moved no more
 * than series do by chance, or has nothing in common with the alert and is one of several or does
 * not move with its value.
 */
function certaintyOfSuspect(suspect: Suspect, situation: Situation): Certainty {
  const { caseFile } = situation;
  const { standing, found } = suspect;
  const { best, isVictim } = standing;
  if (best === null) return 'possible';
  if (isLate(best, found) || isVictim || isByChance(best, found)) return 'inconclusive';
  const isNear = standing.isOwn || isSamePlace(caseFile.alert.labels, best);
  if (!isNear && (isApart(best) || !isAhead(suspect))) return 'inconclusive';
  const isStrong = Math.abs(best.z) >= strongZ && !isApart(best);
  const isSound = !best.line.fewPoints && !found.isTruncated;
  if (isStrong && isSound && isNear && isEarly(best, found) && isAhead(suspect)) return 'likely';
  // So long before the alert began, it takes more than to have moved in the hours before it.
  return situation.knowledge?.family.isGradual === true ? 'inconclusive' : 'possible';
}

function isSamePlace(alert: LabelSet, { line }: CheckedLine): boolean {
  const labels = line.candidate.labels ?? {};
  if (topologySimilarity(alert, labels) > 0) return true;
  const job = labelOf(alert, 'job');
  return job !== null && job === labelOf(labels, 'job');
}
