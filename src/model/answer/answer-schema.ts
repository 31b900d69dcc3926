import { listOf, optional, text, type Parser } from '../../lib/parse.ts';
import { shownText } from '../../report/shown-text.ts';
import { assertionMembers, type Assertion } from '../assertions/assertion.ts';
import type { ModelRequest } from '../client/conversation.ts';
import { choiceShape, listShape, objectShape, orElse, type Shape, type Shapes } from '../shape.ts';

const answerVerdicts = ['confirmed', 'probable', 'inconclusive', 'not_an_issue'] as const;
const weights = ['for', 'against', 'context'] as const;

/** A model's conclusion, cut to bounds and not yet checked against the evidence. */
export interface ModelAnswer extends Assertions {
  readonly verdict: (typeof answerVerdicts)[number];
  readonly culprits: readonly Culprit[];
  /** A cause that the report does not list; null for none. */
  readonly own_cause: string | null;
  readonly next_steps: readonly AnsweredStep[];
}

/** What an answer consists of, whether to an alert or to a question about it. */
export interface Assertions {
  readonly findings: readonly Finding[];
  /** The model's own words, in which `{E9.after}` stands for a value of the evidence. */
  readonly reading: string;
  /** What would have to be known. */
  readonly missing: readonly string[];
  /** What in the data tried to steer the model, in its own words; null for nothing. */
  readonly suspicious_content: string | null;
}

interface Culprit {
  readonly component: string;
  /** Address of a time in the evidence. */
  readonly since: string | null;
}

export interface Finding extends Assertion {
  /** `H1`, `H2` … for a hypothesis of the report, `own` for the model's own cause, or null. */
  readonly about: string | null;
  readonly weight: (typeof weights)[number];
  /** What it means, in the model's own words; empty for nothing. */
  readonly reading: string;
}

interface AnsweredStep {
  readonly action: string;
  readonly why: string;
}

const readingMax = 1200;
const sentenceMax = 300;
const nameMax = 160;
const findingsMax = 16;
const stepsMax = 6;
const missingMax = 5;
const culpritsMax = 5;

/** Also reads `[H3]`, `h3` and `H3: its cause`; null for anything else. */
const readAbout: Parser<string | null> = (value, path) => {
  const line = optional(text, '')(value, path).trim();
  if (/^own\b/iu.test(line)) return 'own';
  return /^\W{0,2}(H\d{1,3})\b/iu.exec(line)?.[1]?.toUpperCase() ?? null;
};

const string = { type: 'string' };
const orNull = { type: ['string', 'null'] };

/** Text that is cut to one line. */
function line(lengthMax: number): Shape<string> {
  return { schema: string, read: (value, path) => shownText(text(value, path), lengthMax) };
}

/** The same, and null for nothing. */
function lineOrNull(lengthMax: number): Shape<string | null> {
  const { read } = line(lengthMax);
  return { schema: orNull, read: (value, path) => optional(read, null)(value, path) || null };
}

const sentence = line(sentenceMax);
const sentences: Shape<string[]> = {
  schema: { type: 'array', items: string },
  read: (value, path) => optional(listOf(sentence.read), [])(value, path).slice(0, missingMax),
};

const finding: Shape<Finding> = objectShape<Finding>({
  about: { schema: orNull, read: readAbout },
  weight: { ...choiceShape(...weights), read: (value) =>
    weights.find((weight) => weight === value) ?? 'context' },
  ...assertionMembers,
  reading: orElse(sentence, ''),
});
const culprit: Shape<Culprit> = objectShape<Culprit>({
  component: line(nameMax), since: lineOrNull(nameMax),
});
const step: Shape<AnsweredStep> = objectShape({ action: sentence, why: orElse(sentence, '') });

/** Findings come first: what follows is then written with them in mind. */
const answeredMembers: Shapes<Assertions> = {
  findings: listShape(finding, findingsMax),
  reading: line(readingMax),
  missing: sentences,
  suspicious_content: lineOrNull(sentenceMax),
};

export const answerMembers: Shapes<ModelAnswer> = {
  ...answeredMembers,
  verdict: choiceShape(...answerVerdicts),
  culprits: orElse(listShape(culprit, culpritsMax), []),
  own_cause: lineOrNull(sentenceMax),
  next_steps: orElse(listShape(step, stepsMax), []),
};

type Schema = NonNullable<ModelRequest['schema']>;

export const answerSchema: Schema = { name: 'report', schema: objectShape(answerMembers).schema };

/** Members of the answer to a question that a person asks about a report. */
export const replyMembers: Shapes<Assertions> = answeredMembers;
export const replySchema: Schema = { name: 'reply', schema: objectShape(replyMembers).schema };
