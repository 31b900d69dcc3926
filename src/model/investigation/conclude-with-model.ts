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
/** Requests at most: the first and one for each kind of repair. */
const asksMax = 5;

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

/**
 * Asks for the conclusion, in a new conversation without tools. Asks again once for each of these:
 * an unreadable answer, an empty one, a content filter or refusal, and a text that is too long.
 */
export async function concludeWithModel(options: ConcludeOptions): Promise<Concluded> {
  const { meter, textOf, signal } = options;
  const fitting = meter.unitsFor(meter.requestMax - instructionTokens);
  const state: State = {
    lengthMax: Math.min(caseLengthMax, fitting), isReduced: false, isHalved: false,
    hasReasked: false, repair: null, maxOutput: concludeOutput,
  };
  for (let asked = 0; asked < asksMax; asked += 1) {
    const { lengthMax, isReduced } = state;
    const text = textOf({ lengthMax, isReduced });
    const turns: Turn[] = [{ role: 'user', text }, ...repairTurns(state.repair)];
    state.lengthMax = Math.min(state.lengthMax, text.length);
    const reply = await answered(() => meter.ask({
      system: concludeSystem, turns, tools: [], schema: answerSchema, signal,
      maxOutput: state.maxOutput,
    }), state);
    if (reply === 'again') continue;
    const read = readReply(reply, state);
    if (read !== 'again') return read;
  }
  return { answer: null, detail: 'The language model gave no usable answer.' };
}

interface State {
  lengthMax: number;
  isReduced: boolean;
  isHalved: boolean;
  hasReasked: boolean;
  repair: { readonly said: string; readonly problems: readonly string[] } | null;
  maxOutput: number;
}

/** Returns `again` after changing the state so that a repeated request may succeed. */
async function answered(
  ask: () => Promise<ModelReply>,
  state: State,
): Promise<ModelReply | 'again'> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    if (error.kind === 'context' && !state.isHalved) {
      state.isHalved = true;
      state.lengthMax = Math.floor(state.lengthMax / 2);
      return 'again';
    }
    if (error.kind === 'filtered' && !state.isReduced) {
      state.isReduced = true;
      return 'again';
    }
    throw error;
  }
}

function readReply(reply: ModelReply, state: State): Concluded | 'again' {
  if (reply.stop === 'refusal' || reply.stop === 'filtered') {
    if (state.isReduced) {
      return { answer: null, detail: 'The language model refused to answer about this alert.' };
    }
    state.isReduced = true;
    return 'again';
  }
  if (reply.text.trim() === '') {
    if (state.hasReasked) return { answer: null, detail: 'The language model answered nothing.' };
    state.hasReasked = true;
    state.maxOutput = concludeOutput * 2;
    return 'again';
  }
  const { answer, problems } = readAnswer(reply.text);
  if (answer !== null) return { answer };
  if (state.repair !== null) {
    return { answer: null, detail: "The language model's answer could not be read." };
  }
  state.repair = { said: shortened(reply.text, repairedLengthMax), problems };
  if (reply.stop === 'length') state.maxOutput = concludeOutput * 2;
  return 'again';
}

function repairTurns(repair: State['repair']): Turn[] {
  if (repair === null) return [];
  return [
    { role: 'assistant', text: repair.said, calls: [], own: null },
    { role: 'user', text: repairText(repair.problems) },
  ];
}
