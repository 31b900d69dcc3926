import { shortened } from '../../lib/shortened.ts';
import { answerSchema, type ModelAnswer } from '../answer/answer-schema.ts';
import { readAnswer } from '../answer/read-answer.ts';
import type { ModelReply, Turn } from '../client/conversation.ts';
import type { Meter } from '../client/meter.ts';
import { ModelError } from '../client/model-error.ts';
import { concludeSystem, repairText } from './prompts.ts';

export const concludeOutput = 4096;
/** Length of an unreadable answer that is sent back, in UTF-16 units. */
const repairedLengthMax = 8_000;

export interface ConcludeOptions {
  readonly meter: Meter;
  /** The case in at most `lengthMax` UTF-16 units, masked and fenced. */
  readonly textOf: (options: {
    readonly lengthMax: number;
    readonly isReduced: boolean;
  }) => string;
  readonly signal: AbortSignal;
}

type Concluded =
  | { readonly answer: ModelAnswer }
  /** Why there is none, as a sentence. */
  | { readonly answer: null; readonly detail: string };

/** UTF-16 units. */
const caseLengthMax = 48_000;
/** Tokens of a request that are kept for the instructions and the schema. */
const instructionTokens = 1_500;

/** What a second request does differently; each is tried once, so there are five at most. */
type Remedy = 'shorter case' | 'reduced case' | 'longer answer' | 'repair';

/** A request that brought no answer. */
interface Failed {
  readonly remedy: Remedy;
  /** How it ends if that was tried before: an error to throw, or why there is no answer. */
  readonly end: ModelError | string;
  /** The unreadable answer and what is wrong with it. */
  readonly unread?: Unread;
}

interface Unread {
  readonly said: string;
  readonly problems: readonly string[];
  readonly isCut: boolean;
}

/**
 * Asks for the conclusion, in a new conversation without tools. Asks again once for each of these:
 * an unreadable answer, an empty one, a content filter or refusal, and a text that is too long.
 */
export async function concludeWithModel(options: ConcludeOptions): Promise<Concluded> {
  const { meter, textOf, signal } = options;
  const tried = new Set<Remedy>();
  let lengthMax = Math.min(caseLengthMax, meter.unitsFor(meter.requestMax - instructionTokens));
  let unread: Unread | null = null;
  for (;;) {
    const text = textOf({ lengthMax, isReduced: tried.has('reduced case') });
    const isLong: boolean = tried.has('longer answer') || unread?.isCut === true;
    const outcome = await outcomeOf(meter.ask({
      system: concludeSystem, turns: [{ role: 'user', text }, ...repairTurns(unread)],
      tools: [], schema: answerSchema, signal, maxOutput: concludeOutput * (isLong ? 2 : 1),
    }));
    if ('answer' in outcome) return outcome;
    const { remedy, end } = outcome;
    if (tried.has(remedy)) {
      if (typeof end === 'string') return { answer: null, detail: end };
      throw end;
    }
    tried.add(remedy);
    lengthMax = Math.min(lengthMax, text.length);
    if (remedy === 'shorter case') lengthMax = Math.floor(lengthMax / 2);
    unread = outcome.unread ?? unread;
  }
}

/** Throws what no remedy helps against. */
async function outcomeOf(
  asked: Promise<ModelReply>,
): Promise<{ readonly answer: ModelAnswer } | Failed> {
  const reply = await asked.catch((error: unknown): Failed => {
    if (!(error instanceof ModelError)) throw error;
    if (error.kind === 'context') return { remedy: 'shorter case', end: error };
    if (error.kind === 'filtered') return { remedy: 'reduced case', end: error };
    throw error;
  });
  if ('remedy' in reply) return reply;
  const { text, stop } = reply;
  if (stop === 'refusal' || stop === 'filtered') {
    const end = 'The language model refused to answer about this alert.';
    return { remedy: 'reduced case', end };
  }
  if (text.trim() === '') {
    return { remedy: 'longer answer', end: 'The language model answered nothing.' };
  }
  const { answer, problems } = readAnswer(text);
  if (answer !== null) return { answer };
  return {
    remedy: 'repair', end: "The language model's answer could not be read.",
    unread: { said: shortened(text, repairedLengthMax), problems, isCut: stop === 'length' },
  };
}

function repairTurns(unread: Unread | null): Turn[] {
  if (unread === null) return [];
  return [
    { role: 'assistant', text: unread.said, calls: [], own: null },
    { role: 'user', text: repairText(unread.problems) },
  ];
}
