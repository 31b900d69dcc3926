/**
 * The shape that a model concludes in, in the part of JSON Schema that every provider takes: no
 * bounds, every member required, nothing beside them. Bounds are {@linkcode readAnswer}'s.
 */
export const answerVerdicts = ['confirmed', 'probable', 'inconclusive', 'not_an_issue'] as const;
export const confidences = ['low', 'medium', 'high'] as const;
export const hypothesisStates = ['supported', 'refuted', 'untested'] as const;

/** What a model concluded, within bounds; nothing of it is proven yet. */
export interface ModelAnswer {
  readonly verdict: (typeof answerVerdicts)[number];
  readonly confidence: (typeof confidences)[number];
  readonly summary: string;
  readonly facts: readonly Fact[];
  readonly hypotheses: readonly AnsweredHypothesis[];
  readonly next_steps: readonly AnsweredStep[];
  readonly missing_data: readonly string[];
  /** What in the data tried to steer the model; null when nothing did. */
  readonly suspicious_content: string | null;
}

export interface Fact {
  readonly claim: string;
  readonly evidence_ids: readonly string[];
}

export interface AnsweredHypothesis {
  /** `H1` … of the report's hypotheses; null for one of the model's own. */
  readonly about: string | null;
  readonly statement: string;
  readonly status: (typeof hypothesisStates)[number];
  readonly confidence: (typeof confidences)[number];
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
const ids = { type: 'array', items: string };

function oneOf(...values: readonly string[]): object {
  return { type: 'string', enum: values };
}

function objectOf(properties: Readonly<Record<string, object>>): object {
  return {
    type: 'object', additionalProperties: false, required: Object.keys(properties), properties,
  };
}

function listOf(properties: Readonly<Record<string, object>>): object {
  return { type: 'array', items: objectOf(properties) };
}

export const answerSchema: { readonly name: string; readonly schema: object } = {
  name: 'report',
  schema: objectOf({
    verdict: oneOf(...answerVerdicts),
    confidence: oneOf(...confidences),
    summary: string,
    facts: listOf({ claim: string, evidence_ids: ids }),
    hypotheses: listOf({
      about: orNull, statement: string, status: oneOf(...hypothesisStates),
      confidence: oneOf(...confidences), for_ids: ids, against_ids: ids, reason: string,
    }),
    next_steps: listOf({ action: string, why: string, evidence_ids: ids }),
    missing_data: { type: 'array', items: string },
    suspicious_content: orNull,
  }),
};
