import type { Classification, Hypothesis, NextStep, Verdict } from '../../report/report.ts';
import { tieOfComponents } from '../causes/component-hypotheses.ts';
import { ruleWords } from '../own-value.ts';
import { isResolved, type Situation } from '../situation.ts';
import { certaintyOf, certaintyReasons } from './certainty.ts';
import { classify } from './classification.ts';
import { headlineOf } from './headline.ts';

/** What to do first where nothing is urgent, whatever could be looked into in working hours. */
const nothingFirst: Readonly<Partial<Record<Classification, string>>> = {
  recovered: 'Nothing now: the alert has ended.',
  informational: 'Nothing now: the alert is for information only.',
};

/** The first screen of the report: what it is, how sure, and what to do first. */
export function verdictOf(
  situation: Situation,
  hypotheses: readonly Hypothesis[],
  nextSteps: readonly NextStep[],
): Verdict {
  const classification = classify(situation);
  return {
    classification,
    headline: headlineOf(situation),
    most_likely: mostLikely(situation, hypotheses),
    certainty: certaintyOf(hypotheses),
    reasons: certaintyReasons(situation, hypotheses),
    do_first: firstOf(situation, classification) ?? nextSteps[0]?.action ?? null,
  };
}

/** The first cause, and the components that moved about as much; null if that is inconclusive. */
function mostLikely(situation: Situation, [first]: readonly Hypothesis[]): string | null {
  if (first === undefined || first.certainty === 'inconclusive') return null;
  const tie = tieOfComponents(situation)?.text ?? null;
  const isTied = tie !== null && first.against.some(({ text }) => text === tie);
  return isTied ? `${first.cause}; ${tie.slice(0, -1)}` : first.cause;
}

/** Null where the first of the next steps is the first thing to do. */
function firstOf(situation: Situation, classification: Classification): string | null {
  if (classification === 'recovered' && !isResolved(situation)) {
    return `Nothing now: the value ${ruleWords(situation).isBack}. ` +
      'Look again if the alert keeps firing.';
  }
  return nothingFirst[classification] ?? null;
}
