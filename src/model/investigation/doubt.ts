import { FormatError, fieldsOf, listOf, oneOf, optional, text } from '../../lib/parse.ts';
import type { Certainty, Hypothesis, Report, Statement } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import type { ModelAnswer } from '../answer/answer-schema.ts';
import { doubtOpening, lowerOf, objection, refuted } from '../answer/apply-verdict.ts';
import type { Judged } from '../answer/judge-answer.ts';
import { idsIn, objectsIn } from '../answer/read-answer.ts';
import type { ModelRequest } from '../client/conversation.ts';
import { AskingEnded, type Meter } from '../client/meter.ts';
import { ModelError } from '../client/model-error.ts';
import { choiceSchema, listSchema, objectSchema } from '../json-schema.ts';
import type { ConcludeOptions } from './conclude-with-model.ts';
import { doubtSystem } from './prompts.ts';

const judgements = ['keep', 'downgrade', 'reject'] as const;

/** A reviewer's judgement of one of the report's hypotheses. */
export interface Doubt {
  /** Index into the report's hypotheses. */
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
 * Asks, in a new conversation, what speaks against each hypothesis. Null without a usable review:
 * no tokens were left, no answer came, or it is about hypotheses that do not exist.
 */
export async function doubtWithModel(
  answer: ModelAnswer,
  { meter, signal, textOf, shield, count }: {
    readonly meter: Meter;
    readonly signal: AbortSignal;
    /** The case in at most `lengthMax` UTF-16 units, masked and fenced. */
    readonly textOf: ConcludeOptions['textOf'];
    readonly shield: (text: string) => string;
    /** Number of hypotheses that the case lists. */
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
    tools: [], schema: doubtSchema, maxOutput: doubtOutput, signal,
  };
  try {
    const reply = await meter.ask(request);
    return reply.stop === 'end' ? readDoubts(reply.text, count) : null;
  } catch (error) {
    if (error instanceof ModelError || error instanceof AskingEnded) return null;
    throw error;
  }
}

/** Null unless there are entries and each is about a different one of `count` hypotheses. */
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
 * Lowers the certainty by the review: a doubt by one step, a rejection that evidence bears out to
 * `possible`. Nothing becomes more certain.
 */
export function withDoubts(
  report: Report,
  doubts: readonly Doubt[] | null,
  judged: Judged,
): Report {
  if (doubts === null || doubts.every(({ judgement }) => judgement === 'keep')) return report;
  const byIndex = new Map(doubts.map((doubt) => [doubt.index, doubt]));
  const hypotheses = report.hypotheses.map((hypothesis, index) => {
    const doubt = byIndex.get(index);
    return doubt === undefined ? hypothesis : doubted(hypothesis, doubt, judged);
  });
  const { verdict } = report;
  const first = byIndex.get(0);
  const best = hypotheses[0]?.certainty ?? 'inconclusive';
  const certainty = lowerOf(verdict.certainty, best);
  if (first === undefined || certainty === verdict.certainty) return { ...report, hypotheses };
  const what = first.judgement === 'reject' ? 'rejects' : 'doubts';
  const reason = {
    text: `${doubtOpening}${what} the most likely cause after a second look at the evidence.`,
    effect: 'lowers' as const,
    evidence: provenReason(first, judged)?.evidence ?? [],
  };
  return {
    ...report, hypotheses,
    verdict: { ...verdict, certainty, reasons: [...verdict.reasons, reason] },
  };
}

const stepDown: Readonly<Record<Certainty, Certainty>> = {
  confirmed: 'likely', likely: 'possible', possible: 'possible', inconclusive: 'inconclusive',
};

function doubted(hypothesis: Hypothesis, doubt: Doubt, judged: Judged): Hypothesis {
  const { judgement } = doubt;
  if (judgement === 'keep') return hypothesis;
  const reason = provenReason(doubt, judged);
  const certainty = stepDown[hypothesis.certainty];
  if (reason === null) return { ...hypothesis, certainty };
  const lowered = refuted(hypothesis, objection(reason));
  return judgement === 'reject' ? lowered : { ...lowered, certainty };
}

/** The reason of a doubt; null unless the evidence that it cites bears it out. */
function provenReason({ reason, evidence }: Doubt, judged: Judged): Statement | null {
  const statement = { text: judged.clean(reason), evidence };
  return statement.text !== '' && judged.verify(statement) ? statement : null;
}
