import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { topologySimilarity } from '../../alert/similarity.ts';
import type { EventFact } from '../../evidence/metric-facts.ts';
import { isOfMachine } from '../../evidence/metrics/search/host-slack.ts';
import { hostIn } from '../../knowledge/fill-template.ts';
import { isEstablished } from '../../report/certainty.ts';
import type { Certainty } from '../../report/report.ts';
import { isLessUse } from '../../statistics/less-use.ts';
import { metricWords } from '../../statistics/names/metric-words.ts';
import { strongZ } from '../../statistics/strength.ts';
import { changeTitle, componentName, movement } from '../changes/change-words.ts';
import { isOn, isRelease, latestBefore, secondsAfterProblem } from '../changes/event-closeness.ts';
import type { MovedSeries } from '../changes/moved-series.ts';
import type { Judged } from '../judged.ts';
import { isStateRule } from '../own-value.ts';
import { queryOfItem } from '../situation.ts';
import { eventClause, opposing, supporting, tieOf } from './component-statements.ts';
import { explanation, type Explained } from './explanation.ts';
import { isKin } from './kinship.ts';
import { releaseFacts } from './release-hypothesis.ts';
import { movesWithAlert, type Suspect } from './suspect.ts';

/**
 * The components that moved most, as explanations. This is a shortlist: having moved first and most
 * makes a component the place to look, and no more than that unless it is clearly ahead.
 */
export function componentHypotheses(judged: Judged, found: readonly Explained[]): Explained[] {
  const isExplained = found.some(isEstablished);
  return judged.suspects.filter((suspect) => !isStepAtOnset(suspect))
    .map((suspect) => hypothesisOf(suspect, judged, isExplained));
}

/** The components in which something was set to another value just as the problem began. */
export function steppedComponents(judged: Judged, found: readonly Explained[]): Explained[] {
  const isExplained = found.some(isEstablished);
  return judged.suspects.filter(isStepAtOnset)
    .map((suspect) => hypothesisOf(suspect, judged, isExplained));
}

/** What stands still otherwise is set this close to the problem if that is why it began. */
const setWithinMs = 90_000;

function isStepAtOnset({ best }: Suspect): boolean {
  return best?.isStep === true && isSet(best) && !best.isLate && best.onsetMs !== null &&
    Math.abs(best.onsetMs) <= setWithinMs;
}

/** All machines may be one component: the exporter that runs on each. */
function isOnOtherMachine({ labels }: EventFact, alert: LabelSet): boolean {
  const [own, other] = [labelOf(alert, 'instance'), labelOf(labels, 'instance')];
  return isOfMachine(labels['__name__'] ?? '') && own !== null && other !== null &&
    hostIn(own) !== hostIn(other);
}

function hypothesisOf(suspect: Suspect, situation: Judged, isExplained: boolean): Explained {
  const { best, component: { component }, isOwn, found } = suspect;
  const { evidence, caseFile: { alert } } = situation;
  // By restarting after the problem began, what was gone came back.
  const event = latestBefore(evidence, (each) => isOn(each, component) &&
    !(best === null && each.kind === 'restart' && secondsAfterProblem(each, evidence) > 0) &&
    !isOnOtherMachine(each, alert.labels));
  // A release of the alert's own component is a separate hypothesis.
  const isAlone = event === null || (isOwn && isRelease(event));
  const moved = best === null ? `${componentName(component)} is gone` : changeTitle(best);
  const cause = isAlone ? moved
    : `${eventClause(event)}, and ${best === null ? 'it is gone' : `its ${movement(best)}`}`;
  const certainty = certaintyOfSuspect(suspect, situation, isExplained);
  const isReleased = !isAlone && isRelease(event);
  // What was set is an event, with which a series that moved is not compared.
  const tie = certainty === 'inconclusive' || isStepAtOnset(suspect) ? null : tieOf(suspect);
  return {
    ...explanation(
      {
        kind: isAlone ? 'component' : 'event', about: [component],
        ...(isReleased && releaseFacts(event)), cause,
      },
      tie === null ? certainty : 'inconclusive', supporting(suspect, event, situation)),
    suspect, tie,
    against: [...opposing(suspect), ...(tie === null ? [] : [tie.statement])],
    // Only those that moved most have an item of their own; that of the search asks for all series.
    test: best === null || best.evidence === found.evidence ? null
      : queryOfItem(best.evidence, situation),
  };
}

/**
 * How certain a suspect is, if it is not too close to others to call. Likely: it moved strongly,
 * not to less use, first and with the alert's value, belongs to what the alert is about, is clearly
 * ahead of every other component, and the search was complete. Possible: it may be the cause.
 * Inconclusive: it has nothing in common with the alert, and is one of several or is not seen to
 * move with its value.
 */
function certaintyOfSuspect(
  suspect: Suspect,
  situation: Judged,
  isExplained: boolean,
): Certainty {
  const { best, isOwn, isAhead, found } = suspect;
  // Where the rule asks whether it is there, that it is gone is what the alert says.
  if (best === null) return isOwn && isStateRule(situation) ? 'inconclusive' : 'possible';
  const { candidate: { labels, component } } = best;
  const isNear = isOwn || isSamePlace(situation.caseFile.alert.labels, best);
  const isRelated = isNear || isKin(labels, component, situation);
  if (isRelated && isOnlyStep(suspect, situation)) return isExplained ? 'possible' : 'likely';
  const isSetNow = isStepAtOnset(suspect) && isAloneIn(suspect, situation);
  if (!isRelated && !isSetNow && !(isAhead && movesWithAlert(best))) return 'inconclusive';
  const isStrong = Math.abs(best.z) >= strongZ && !isLessUse(best.candidate, best.z);
  const isSound = !best.fewPoints && !found.isTruncated;
  const isEarly = best.onsetMs !== null && best.onsetMs <= 0 && !best.isAfterOwn;
  const isEffect = ofWaiting.test(best.candidate.metric) || (best.isStep && !isSet(best)) ||
    (isOwn && isSibling(best.candidate.metric, situation));
  if (isStrong && isSound && isNear && isEarly && isAhead && !isEffect) return 'likely';
  // So long before the alert began, it takes more than to have moved in the hours before it.
  return situation.knowledge?.family.isGradual === true ? 'inconclusive' : 'possible';
}

/**
 * What stood still for hours took one step as the problem began, and nothing else did: a setting, a
 * number of workers, a clock. What follows from it moves later, or by and by.
 */
function isOnlyStep(suspect: Suspect, judged: Judged): boolean {
  const { best } = suspect;
  if (best?.isStep !== true || best.isLate || best.isUsual || best.isUnrelated) return false;
  return isSet(best) && isAloneIn(suspect, judged);
}

/** The rule reads another number of the same things: threads that run, of those connected. */
function isSibling(metric: string, { evidence: { rule } }: Judged): boolean {
  const wordsOf = (name: string): string[] =>
    metricWords(name).split('_').filter((word) => word !== '' && word !== 'total');
  const own = wordsOf(metric);
  return rule?.metrics.some((name) => {
    const others = wordsOf(name);
    return own.length >= siblingWordsMin && own.length === others.length &&
      own.slice(0, -1).every((word, index) => word === others[index]);
  }) === true;
}

const siblingWordsMin = 3;

/** Somebody may have set it: it is in no use, counts nothing up, and is no sign of health. */
function isSet(best: MovedSeries): boolean {
  const { before, after, candidate: { metric, signal } } = best;
  const isCountedUp = Number.isInteger(before) && after === before + 1 && signal !== 'config';
  return !isUseBegun(best) && !followsRequests(best) && !(isCountedUp && before > 0) &&
    !(after < before && ofHealth.test(metric));
}

/** Names of what falls where something does not work. */
const ofHealth = /(?:^|_)(?:up|success|healthy|ready|available|reachable|alive|ok)(?:_|$)/iu;

/** No other component took a step. */
function isAloneIn({ component: { component } }: Suspect, { outliers }: Judged): boolean {
  return !outliers.some((other) =>
    other.best?.isStep === true && other.component.component !== component);
}

/** What is in use by requests rises and falls with them. */
function followsRequests({ candidate: { signal, side } }: MovedSeries): boolean {
  return side === 'external' && signal !== 'state';
}

/** That something is in use which was idle for hours follows from what uses it. */
function isUseBegun({ isStep, before, candidate: { signal, metric } }: MovedSeries): boolean {
  const isUse = signal === 'saturation' || signal === 'utilization' || ofWaiting.test(metric);
  return isStep && before === 0 && isUse;
}

/** Names of what waits, because something else takes longer. */
const ofWaiting = /queue|waiting|pending|blocked|backlog|in_?flight/iu;

function isSamePlace(alert: LabelSet, { candidate: { labels } }: MovedSeries): boolean {
  if (topologySimilarity(alert, labels) > 0) return true;
  const job = labelOf(alert, 'job');
  return job !== null && job === labelOf(labels, 'job');
}
