import { listOf, optional, text, type Parser } from '../../lib/parse.ts';
import { shownText } from '../../report/shown-text.ts';
import type { ModelRequest } from '../client/conversation.ts';
import { choiceShape, listShape, objectShape, orElse, type Shape, type Shapes } from '../shape.ts';

const answerVerdicts = ['confirmed', 'probable', 'inconclusive', 'not_an_issue'] as const;
const confidences = ['low', 'medium', 'high'] as const;
const hypothesisStates = ['supported', 'refuted', 'untested'] as const;

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

interface Fact {
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

interface AnsweredStep {
  readonly action: string;
  readonly why: string;
  readonly evidence_ids: readonly string[];
}

export const summaryMax = 600;
const sentenceMax = 300;
const factsMax = 10;
const hypothesesMax = 5;
const stepsMax = 6;
const idsMax = 8;

/** Also reads `[E3]` and `e3`; entries that are no evidence ids are left out. */
const readIds: Parser<string[]> = (value, path) => {
  const named = optional(listOf(text), [])(value, path);
  const known = named.flatMap((each) => /^\W{0,2}(E\d{1,4})\W{0,2}$/iu.exec(each)?.[1] ?? []);
  return [...new Set(known.map((id) => id.toUpperCase()))].slice(0, idsMax);
};

/** Also reads `[H3]`, `h3` and `H3: its cause`; null for what is no hypothesis of the report. */
const readHypothesisId: Parser<string | null> = (value, path) => {
  const said = optional(text, '')(value, path);
  return /^\W{0,2}(H\d{1,3})\b/iu.exec(said)?.[1]?.toUpperCase() ?? null;
};

const string = { type: 'string' };
const orNull = { type: ['string', 'null'] };

/** Ids of evidence. */
export const ids: Shape<string[]> = { schema: { type: 'array', items: string }, read: readIds };

/** A hypothesis of the report. */
export const hypothesisId: Shape<string | null> = { schema: string, read: readHypothesisId };

/** Text that is cut to one line. */
export function line(lengthMax: number): Shape<string> {
  return { schema: string, read: (value, path) => shownText(text(value, path), lengthMax) };
}

const sentence = line(sentenceMax);

const fact: Shape<Fact> = objectShape({ claim: sentence, evidence_ids: ids });
const hypothesis: Shape<AnsweredHypothesis> = objectShape({
  about: { ...hypothesisId, schema: orNull }, statement: sentence,
  status: choiceShape(...hypothesisStates), for_ids: ids, against_ids: ids,
  reason: orElse(sentence, ''),
});
const step: Shape<AnsweredStep> = objectShape({
  action: sentence, why: orElse(sentence, ''), evidence_ids: ids,
});

export const answerMembers: Shapes<ModelAnswer> = {
  verdict: choiceShape(...answerVerdicts),
  confidence: choiceShape(...confidences),
  summary: line(summaryMax),
  facts: listShape(fact, factsMax),
  hypotheses: orElse(listShape(hypothesis, hypothesesMax), []),
  next_steps: orElse(listShape(step, stepsMax), []),
  suspicious_content: {
    schema: orNull, read: (value, path) => optional(sentence.read, null)(value, path) || null,
  },
};
export const answerShape: Shape<ModelAnswer> = objectShape(answerMembers);
export const answerSchema: NonNullable<ModelRequest['schema']> = {
  name: 'report', schema: answerShape.schema,
};
