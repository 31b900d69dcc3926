import { choiceSchema, listSchema, objectSchema } from '../json-schema.ts';

export const answerVerdicts = ['confirmed', 'probable', 'inconclusive', 'not_an_issue'] as const;
export const confidences = ['low', 'medium', 'high'] as const;
export const hypothesisStates = ['supported', 'refuted', 'untested'] as const;

/** A model's conclusion, cut to bounds and not yet checked against the evidence. */
export interface ModelAnswer {
  readonly verdict: (typeof answerVerdicts)[number];
  readonly confidence: (typeof confidences)[number];
  readonly summary: string;
  readonly facts: readonly Fact[];
  readonly hypotheses: readonly AnsweredHypothesis[];
  readonly next_steps: readonly AnsweredStep[];
  /** What in the data tried to steer the model, in its own words; null for nothing. */
  readonly suspicious_content: string | null;
}

export interface Fact {
  readonly claim: string;
  readonly evidence_ids: readonly string[];
}

export interface AnsweredHypothesis {
  /** `H1`, `H2` … for a hypothesis of the report; null for one of the model's own. */
  readonly about: string | null;
  readonly statement: string;
  readonly status: (typeof hypothesisStates)[number];
  readonly for_ids: readonly string[];
  readonly against_ids: readonly string[];
  readonly reason: string;
}

export interface AnsweredStep {
  readonly action: string;
  readonly why: string;
  readonly evidence_ids: readonly string[];
}

const string = { type: 'string' };
const orNull = { type: ['string', 'null'] };
const ids = listSchema(string);

/** The shape of the conclusion. {@linkcode readAnswer} cuts the answer to its bounds. */
export const answerSchema: { readonly name: string; readonly schema: object } = {
  name: 'report',
  schema: objectSchema({
    verdict: choiceSchema(answerVerdicts),
    confidence: choiceSchema(confidences),
    summary: string,
    facts: listSchema(objectSchema({ claim: string, evidence_ids: ids })),
    hypotheses: listSchema(objectSchema({
      about: orNull, statement: string, status: choiceSchema(hypothesisStates), for_ids: ids,
      against_ids: ids, reason: string,
    })),
    next_steps: listSchema(objectSchema({ action: string, why: string, evidence_ids: ids })),
    suspicious_content: orNull,
  }),
};
