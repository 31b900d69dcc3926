import { FormatError, fieldsOf, listOf, oneOf, optional, text } from '../../lib/parse.ts';
import type { Certainty, Hypothesis, Report } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import type { ModelAnswer } from '../answer/answer-schema.ts';
import { doubtOpening, lowerOf, objection } from '../answer/apply-verdict.ts';
import type { Judged } from '../answer/judge-answer.ts';
import { idsIn, objectsIn } from '../answer/read-answer.ts';
import type { ModelRequest } from '../client/conversation.ts';
import { AskingEnded, type Meter } from '../client/meter.ts';
import { ModelError } from '../client/model-error.ts';
import { choiceSchema, listSchema, objectSchema } from '../json-schema.ts';
import type { ConcludeOptions } from './conclude-with-model.ts';
import { doubtSystem } from './prompts.ts';

const judgements = ['keep', 'downgrade', 'reject'] as const;

/** What a second reading makes of one of the report's explanations. */
export interface Doubt {
  /** Into the report's hypotheses, as they were told. */
  readonly index: number;
  readonly judgement: (typeof judgements)[number];
  readonly reason: string;
  readonly evidence: readonly string[];
}

const doubtOutput = 2048;
const reasonMax = 300;
const doubtsMax = 20;
const string = { type: 'string' };
const doubtSchema: ModelRequest['schema'] = {
  name: 'review',
  schema: objectSchema({
    reviews: listSchema(objectSchema({
      about: string, judgement: choiceSchema(judgements), reason: string,
      evidence_ids: listSchema(string),
    })),
  }),
};

/**
 * One question more, in a conversation of its own: what speaks against each explanation. Null when
 * there was no review: no tokens were left, no answer came, or it is about what is not there.
 */
export async function doubtWithModel(
  answer: ModelAnswer,
  { meter, signal, textOf, shield, count }: {
    readonly meter: Meter;
    readonly signal: AbortSignal;
    /** The case in at most so many UTF-16 units, masked and fenced. */
    readonly textOf: ConcludeOptions['textOf'];
    readonly shield: (text: string) => string;
    /** Explanations that the case lists. */
    readonly count: number;
  },
): Promise<readonly Doubt[] | null> {
  const { summary, facts, hypotheses } = answer;
  const concluded = JSON.stringify({ summary, facts, hypotheses });
  const lengthMax = meter.unitsFor(meter.requestMax) / 2;
  const request: ModelRequest = {
    system: doubtSystem,
    turns: [{
      role: 'user',
      text: `${textOf({ lengthMax, isReduced: false })}\n\nConcluded so far:\n${shield(concluded)}`,
    }],
    tools: [], toolMode: 'none', schema: doubtSchema, maxOutput: doubtOutput, signal,
  };
  if (!meter.affords(request, 0)) return null;
  try {
    const reply = await meter.ask(request);
    return reply.stop === 'end' ? readDoubts(reply.text, count) : null;
  } catch (error) {
    if (error instanceof ModelError || error instanceof AskingEnded) return null;
    throw error;
  }
}

/** Null unless every entry is about another of `count` explanations, and there is one. */
export function readDoubts(said: string, count: number): readonly Doubt[] | null {
  try {
    const [review] = objectsIn(said, 'reviews');
    const found = fieldsOf(review, 'review')('reviews', listOf((value, path) => {
      const field = fieldsOf(value, path);
      return {
        index: Number(/^H(\d{1,3})$/i.exec(field('about', text))?.[1] ?? 0) - 1,
        judgement: field('judgement', oneOf(...judgements)),
        reason: shownText(field('reason', optional(text, '')), reasonMax),
        evidence: field('evidence_ids', idsIn),
      };
    }));
    const indices = new Set(found.map(({ index }) => index));
    const isSound = found.length > 0 && found.length <= doubtsMax && indices.size === found.length
      && found.every(({ index }) => index >= 0 && index < count);
    return isSound ? found : null;
  } catch (error) {
    if (error instanceof FormatError) return null;
    throw error;
  }
}

/**
 * The report as certain as the review leaves it: a doubt takes one step, a rejection that evidence
 * bears out leaves an explanation possible. Nothing becomes more certain.
 */
export function withDoubts(
  report: Report,
  doubts: readonly Doubt[] | null,
  judged: Judged,
): Report {
  if (doubts === null || doubts.every(({ judgement }) => judgement === 'keep')) return report;
  const byIndex = new Map(doubts.map((doubt) => [doubt.index, doubt]));
  const hypotheses = report.hypotheses.map((hypothesis, index) => {
    return doubted(hypothesis, byIndex.get(index) ?? null, judged);
  });
  const { verdict } = report;
  const first = byIndex.get(0) ?? null;
  const best = hypotheses[0]?.certainty ?? 'inconclusive';
  const certainty = lowerOf(verdict.certainty, best);
  if (first === null || certainty === verdict.certainty) return { ...report, hypotheses };
  const what = first.judgement === 'reject' ? 'rejects' : 'doubts';
  const reason = {
    text: `${doubtOpening}${what} the most likely cause when it reads the evidence again.`,
    effect: 'lowers' as const,
    evidence: first.evidence.filter((id) => judged.verify({ text: '', evidence: [id] })),
  };
  return {
    ...report, hypotheses,
    verdict: { ...verdict, certainty, reasons: [...verdict.reasons, reason] },
  };
}

const stepDown: Readonly<Record<Certainty, Certainty>> = {
  confirmed: 'likely', likely: 'possible', possible: 'possible', inconclusive: 'inconclusive',
};

function doubted(hypothesis: Hypothesis, doubt: Doubt | null, judged: Judged): Hypothesis {
  if (doubt === null || doubt.judgement === 'keep') return hypothesis;
  const statement = { text: judged.clean(doubt.reason), evidence: doubt.evidence };
  const isProven = statement.text !== '' && judged.verify(statement);
  const isRejected = doubt.judgement === 'reject' && isProven;
  return {
    ...hypothesis,
    against: isProven ? [...hypothesis.against, objection(statement)] : hypothesis.against,
    certainty: isRejected ? lowerOf(hypothesis.certainty, 'possible')
      : stepDown[hypothesis.certainty],
  };
}
