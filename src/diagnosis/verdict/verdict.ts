import type { Classification, Hypothesis, NextStep, Verdict } from '../../report/report.ts';
import { isResolved, type Situation } from '../situation.ts';
import { certaintyOf, certaintyReasons } from './certainty.ts';
import { classify } from './classification.ts';
import { headlineOf } from './headline.ts';

/** Where nothing is urgent the page says so, whatever could be looked into by day. */
const nothingFirst: Readonly<Partial<Record<Classification, string>>> = {
  recovered: 'Nothing now: the alert has ended.',
  informational: 'Nothing now: the alert is for information.',
};

/** The first screen of the report: what it is, how sure, and what to do first. */
export function verdictOf(
  situation: Situation,
  hypotheses: readonly Hypothesis[],
  nextSteps: readonly NextStep[],
): Verdict {
  const certainty = certaintyOf(hypotheses);
  const classification = classify(situation);
  return {
    classification,
    headline: headlineOf(situation),
    most_likely: certainty === 'inconclusive' ? null : (hypotheses[0]?.cause ?? null),
    certainty,
    reasons: certaintyReasons(situation, hypotheses),
    do_first: firstOf(situation, classification) ?? nextSteps[0]?.action ?? null,
  };
}

/** An alert that still fires while its value is back may come back as well. */
function firstOf(situation: Situation, classification: Classification): string | null {
  if (classification === 'recovered' && !isResolved(situation)) {
    return 'Nothing now: the value is back within its threshold. Look again if the alert stays.';
  }
  return nothingFirst[classification] ?? null;
}
