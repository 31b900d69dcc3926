import type { ModelAnswer } from '../answer/answer-schema.ts';
import { doubtSchema, readDoubts, type Doubt } from '../answer/read-doubts.ts';
import type { ModelRequest } from '../client/conversation.ts';
import { AskingEnded, type Meter } from '../client/meter.ts';
import { ModelError } from '../client/model-error.ts';
import type { ConcludeOptions } from './conclude-with-model.ts';
import { doubtSystem } from './prompts.ts';

const doubtOutput = 2048;

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
