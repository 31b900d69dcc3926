import {
  fieldsOf, FormatError, listOf, oneOf, optional, text, type Parser,
} from '../../lib/parse.ts';
import { shownText } from '../../report/shown-text.ts';
import type { ModelRequest } from '../client/conversation.ts';
import { choiceSchema, listSchema, objectSchema } from '../json-schema.ts';
import { objectsIn } from './json-in-text.ts';
import { hypothesisIdIn, idsIn } from './read-answer.ts';

const judgements = ['keep', 'downgrade', 'reject'] as const;

/** A reviewer's judgement of one of the report's hypotheses. */
export interface Doubt {
  /** Index into the report's hypotheses. */
  readonly index: number;
  readonly judgement: (typeof judgements)[number];
  readonly reason: string;
  readonly evidence: readonly string[];
}

const reasonMax = 300;
const doubtsMax = 20;
const string = { type: 'string' };

/** The shape of a review. */
export const doubtSchema: ModelRequest['schema'] = {
  name: 'review',
  schema: objectSchema({
    reviews: listSchema(objectSchema({
      about: string, judgement: choiceSchema(judgements), reason: string,
      evidence_ids: listSchema(string),
    })),
  }),
};

/** Null unless there are entries and each is about a different one of `count` hypotheses. */
export function readDoubts(said: string, count: number): readonly Doubt[] | null {
  try {
    const [review] = objectsIn(said, 'reviews');
    const doubts = fieldsOf(review, 'review')('reviews', listOf(doubt));
    const indices = new Set(doubts.map(({ index }) => index));
    const isSound = doubts.length > 0 && doubts.length <= doubtsMax
      && indices.size === doubts.length
      && doubts.every(({ index }) => index >= 0 && index < count);
    return isSound ? doubts : null;
  } catch (error) {
    if (error instanceof FormatError) return null;
    throw error;
  }
}

const doubt: Parser<Doubt> = (value, path) => {
  const field = fieldsOf(value, path);
  const id = field('about', hypothesisIdIn);
  return {
    index: id === null ? -1 : Number(id.slice(1)) - 1,
    judgement: field('judgement', oneOf(...judgements)),
    reason: shownText(field('reason', optional(text, '')), reasonMax),
    evidence: field('evidence_ids', idsIn),
  };
};
