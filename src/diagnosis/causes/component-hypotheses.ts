import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { topologySimilarity } from '../../alert/similarity.ts';
import type { Certainty, Hypothesis, Statement } from '../../report/report.ts';
import { strongZ } from '../../statistics/strength.ts';
import { changeTitle, componentName, movement } from '../changes/change-words.ts';
import { isOn, isRelease, latestBefore } from '../changes/event-closeness.ts';
import { standingComponents, type CheckedLine } from '../changes/ranked-line.ts';
import { isMovedByClock } from '../own-value.ts';
import { queryOfItem, type Situation } from '../situation.ts';
import { statementsOf } from '../statements.ts';
import { eventClause, opposing, supporting, tieOf } from './component-statements.ts';
import { explanation } from './explanation.ts';
import { isAhead, isApart, isByChance, isEarly, isLate, type Suspect } from './suspect.ts';

const componentsMax = 3;
const byClock = 'What the rule compares changes with time alone, so its cause may lie long before.';

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

function suspectsOf({ evidence: { metrics: facts } }: Situation): Suspect[] {
  if (facts === null || facts.ranking === null) return [];
  const found = facts.ranking;
  const all = standingComponents(facts, found);
  const rivals = all.slice(1).filter(({ best }) => best === null || !isLate(best, found));
  return all.slice(0, componentsMax).map((standing, index) => {
    const isFirst = index === 0;
    return { standing, facts, found, rivals: isFirst ? rivals : [], isFirst };
  });
}

function hypothesisOf(suspect: Suspect, situation: Situation): Hypothesis {
  const { standing, facts } = suspect;
  const { best } = standing;
  const { component } = standing.component;
  const event = latestBefore(facts, (each) => isOn(each, component));
  // A release of the alert's own component is a separate hypothesis.
  const isAlone = event === null || (standing.isOwn && isRelease(event));
  const moved = best === null ? `${componentName(component)} is gone` : changeTitle(best);
  const cause = isAlone ? moved
    : `${eventClause(event)}, and ${best === null ? 'it is gone' : `its ${movement(best)}`}`;
  const support = supporting(suspect, event, situation);
  return {
    ...explanation(cause, certaintyOfSuspect(suspect, situation), support),
    against: [
      ...statementsOf([isMovedByClock(situation) ? byClock : null], [situation.evidence.ids.rule]),
      ...opposing(suspect),
    ],
    test: best === null ? null : queryOfItem(best.evidence, situation),
  };
}

/**
 * Likely: it moved strongly, first and with the alert's value, belongs to what the alert is about,
 * is clearly ahead of the next candidate, and the search was complete. Possible: its timing fits.
 * Inconclusive: it began after the problem, is more likely a victim than the cause, moved no more
 * than series do by chance, or the alert's value grows with time alone.
 */
function certaintyOfSuspect(suspect: Suspect, situation: Situation): Certainty {
  const { caseFile } = situation;
  const { standing, found } = suspect;
  const { best, isVictim } = standing;
  if (isMovedByClock(situation)) return 'inconclusive';
  if (best === null) return 'possible';
  if (isLate(best, found) || isVictim || isByChance(best, found)) return 'inconclusive';
  const isStrong = Math.abs(best.z) >= strongZ && !isApart(best);
  const isSound = !best.line.fewPoints && !found.isTruncated;
  const isNear = standing.isOwn || isSamePlace(caseFile.alert.labels, best);
  return isStrong && isSound && isNear && isEarly(best, found) && isAhead(suspect)
    ? 'likely' : 'possible';
}

function isSamePlace(alert: LabelSet, { line }: CheckedLine): boolean {
  const labels = line.candidate.labels ?? {};
  if (topologySimilarity(alert, labels) > 0) return true;
  const job = labelOf(alert, 'job');
  return job !== null && job === labelOf(labels, 'job');
}
