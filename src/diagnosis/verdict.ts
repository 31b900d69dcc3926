import type { Hypothesis, NextStep, Verdict } from '../report/report.ts';
import { certaintyOf, certaintyReasons } from './certainty.ts';
import { classify } from './classification.ts';
import { headlineOf } from './headline.ts';
import type { Situation } from './situation.ts';

export interface Conclusions {
  readonly hypotheses: readonly Hypothesis[];
  readonly nextSteps: readonly NextStep[];
}

/** The first screen of the report: what it is, how sure, and what to do first. */
export function verdictOf(situation: Situation, conclusions: Conclusions): Verdict {
  const { hypotheses, nextSteps } = conclusions;
  const certainty = certaintyOf(hypotheses);
  return {
    classification: classify(situation),
    headline: headlineOf(situation),
    most_likely: certainty === 'inconclusive' ? null : (hypotheses[0]?.cause ?? null),
    certainty,
    reasons: certaintyReasons(situation, hypotheses),
    do_first: nextSteps[0]?.action ?? null,
  };
}
