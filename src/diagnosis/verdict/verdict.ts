import { stormStep } from '../../report/incident.ts';
import type { Classification, NextStep, Verdict } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { utcText } from '../../report/time-text.ts';
import type { Explained } from '../causes/explanation.ts';
import { startOfThing } from '../held-time.ts';
import type { Judged } from '../judged.ts';
import { ownOf, ruleWords } from '../own-value.ts';
import { isResolved, type Situation } from '../situation.ts';
import { certaintyOf, certaintyReasons } from './certainty.ts';
import { classify } from './classification.ts';
import { headlineOf } from './headline.ts';

/** What to do first where nothing is urgent, whatever could be looked into in working hours. */
const nothingFirst: Readonly<Partial<Record<Classification, string>>> = {
  informational: 'Nothing now: the alert is for information only.',
};

/** The first screen of the report: what it is, how sure, and what to do first. */
export function verdictOf(
  judged: Judged,
  hypotheses: readonly Explained[],
  nextSteps: readonly NextStep[],
): Verdict {
  const classification = classify(judged);
  const nothing = firstOf(judged, hypotheses, classification);
  const [step] = nextSteps;
  return {
    classification,
    ...headlineOf(judged),
    most_likely: mostLikely(hypotheses),
    certainty: certaintyOf(hypotheses),
    reasons: certaintyReasons(judged, hypotheses),
    do_first: nothing ?? step?.action ?? null,
    ...(nothing === null && step?.id !== undefined && { first_step: step.id }),
  };
}

/** The first cause, or what is too close to call; null if nothing speaks for it. */
function mostLikely([first]: readonly Explained[]): string | null {
  if (first === undefined) return null;
  return first.certainty === 'inconclusive' ? (first.tie?.clause ?? null) : first.cause;
}

/** Null where the first of the next steps is the first thing to do. */
function firstOf(
  situation: Situation,
  [top]: readonly Explained[],
  classification: Classification,
): string | null {
  if (classification === 'recovered' && !isResolved(situation) &&
    startOfThing(situation) === null) {
    return `Nothing now: the value ${ruleWords(situation).isBack}. ` +
      'Look again if the alert keeps firing.';
  }
  if (classification === 'recovered') return `Nothing now: ${endText(situation, top)}.`;
  return nothingFirst[classification] ?? stormStep(situation.caseFile);
}

/** What ended it, as far as that is measured. */
function endText(situation: Situation, top: Explained | undefined): string {
  const { now } = situation;
  const start = startOfThing(situation);
  if (start !== null) {
    return `it has restarted at ${utcText(start.atMs, now, true)}. Read in its log why, by day`;
  }
  const release = top?.release ?? top?.releasedBy;
  const takenBackMs = release?.release?.takenBackMs ?? null;
  const backMs = ownOf(situation)?.recoveredMs ?? null;
  if (release !== undefined && takenBackMs !== null && takenBackMs <= (backMs ?? Infinity)) {
    const who = shownText(release.component?.value ?? release.subject, 80);
    const what = release.after === null ? 'the change' : shownText(release.after, 80);
    return `${what} of ${who} was taken back at ${utcText(takenBackMs, now)}. ` +
      'See that it stays well';
  }
  return backMs === null ? 'the alert has ended'
    : `the value ${ruleWords(situation).cameBack} at ${utcText(backMs, now)}`;
}
