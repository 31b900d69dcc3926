import { FormatError } from '../../lib/parse.ts';
import type { ModelRequest } from '../client/conversation.ts';
import { choiceShape, listShape, objectShape, orElse } from '../shape.ts';
import { hypothesisId, ids, line } from './answer-schema.ts';
import { objectsIn } from './json-in-text.ts';

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

const review = objectShape({
  reviews: listShape(objectShape({
    about: hypothesisId, judgement: choiceShape(...judgements),
    reason: orElse(line(reasonMax), ''), evidence_ids: ids,
  }), doubtsMax + 1),
});
export const doubtSchema: ModelRequest['schema'] = { name: 'review', schema: review.schema };

/** Null unless there are entries and each is about a different one of `count` hypotheses. */
export function readDoubts(said: string, count: number): readonly Doubt[] | null {
  try {
    const { reviews } = review.read(objectsIn(said, 'reviews')[0], 'review');
    const doubts = reviews.map(({ about, evidence_ids: evidence, judgement, reason }): Doubt => (
      { index: about === null ? -1 : Number(about.slice(1)) - 1, judgement, reason, evidence }));
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
