import { shortened } from '../../lib/shortened.ts';
import type { Assertions } from '../answer/answer-schema.ts';
import type { JudgedAssertions } from '../answer/judge-answer.ts';
import { readModelAnswer } from '../answer/read-answer.ts';
import type { ModelReply, ModelRequest, ToolSpec, Turn } from '../client/conversation.ts';
import { AskingEnded, type Meter } from '../client/meter.ts';
import { ModelError } from '../client/model-error.ts';
import type { Shapes } from '../shape.ts';
import {
  correctAgainText, correctText, formText, investigateSystem, repairText,
} from './prompts.ts';

/** Length of an unreadable answer that is sent back, in UTF-16 units. */
const repairedLengthMax = 8_000;
/** UTF-16 units. */
const caseLengthMax = 64_000;
/** Tokens of a request that are kept for the instructions and the schema. */
const instructionTokens = 2_500;
/** Tokens that an answer needs at least, and that are kept for the conclusion. */
export const concludeOutput = 6_000;

/** What is asked for, and how an answer to it is judged. */
export interface AnswerForm<T extends Assertions, J extends JudgedAssertions> {
  /** Asks for it. */
  readonly text: string;
  readonly schema: NonNullable<ModelRequest['schema']>;
  readonly members: Shapes<T>;
  readonly judge: (answer: T) => J;
}

export interface ConcludeOptions<T extends Assertions, J extends JudgedAssertions> {
  readonly meter: Meter;
  readonly asking: AnswerForm<T, J>;
  /** The conversation so far with its tools, if it can go on; null begins a new one. */
  readonly conversation: { readonly turns: readonly Turn[]; readonly tools: readonly ToolSpec[] }
    | null;
  /** The case in at most `lengthMax` UTF-16 units, masked and fenced. */
  readonly textOf: (options: {
    readonly lengthMax: number;
    readonly isReduced: boolean;
  }) => string;
  /** Masks and fences text. */
  readonly shield: (text: string) => string;
  readonly signal: AbortSignal;
}

export interface AcceptedAnswer<T, J> {
  readonly answer: T;
  readonly judged: J;
  /** Assertions of the first answer, before it was corrected. */
  readonly first: { readonly held: number; readonly made: number };
}

/** Why there is no answer, as a sentence. */
interface Unanswered {
  readonly detail: string;
}

/** What a second request does differently; each is tried once. */
type Remedy = 'new_conversation' | 'shorter_case' | 'reduced_case' | 'again' | 'repair';

/** A request that brought no answer. */
interface Failed {
  readonly remedies: readonly Remedy[];
  /** How it ends if they were tried before: an error to throw, or why there is no answer. */
  readonly end: ModelError | string;
  /** The unreadable answer and what is wrong with it. */
  readonly unread?: { readonly text: string; readonly problems: readonly string[] };
}

interface Read<T> {
  readonly answer: T;
  /** The conversation that led to it, with the answer as its last turn. */
  readonly request: ModelRequest;
  readonly reply: ModelReply;
}

/**
 * Asks for the conclusion: in the conversation so far, or in a new one without tools. Asks again
 * once for each of these: an unreadable answer, an empty one, a content filter or refusal, and a
 * text that is too long. What does not hold in the answer goes back to the model once, with what is
 * so instead; of the two answers the one that holds more of what it says counts.
 */
export async function concludeWithModel<T extends Assertions, J extends JudgedAssertions>(
  options: ConcludeOptions<T, J>,
): Promise<AcceptedAnswer<T, J> | Unanswered> {
  const answered = await answerOf(options);
  if ('detail' in answered) return answered;
  const judged = options.asking.judge(answered.answer);
  const first = { held: judged.findings.length, made: judged.made };
  const better = judged.problems.length === 0 ? null
    : await corrected(answered, judged, options);
  return better ?? { answer: answered.answer, judged, first };
}

async function answerOf<T extends Assertions, J extends JudgedAssertions>(
  options: ConcludeOptions<T, J>,
): Promise<Read<T> | Unanswered> {
  const tried = new Set<Remedy>(options.conversation === null ? ['new_conversation'] : []);
  const { meter } = options;
  let lengthMax = Math.min(caseLengthMax, meter.unitsFor(meter.requestMax - instructionTokens));
  let unread: Failed['unread'];
  for (;;) {
    const isNew = tried.has('new_conversation');
    const text = isNew
      ? options.textOf({ lengthMax, isReduced: tried.has('reduced_case') }) : null;
    const request = requestOf(options, turnsOf(options, text, unread), isNew);
    const outcome = await outcomeOf(request, options);
    if ('answer' in outcome) return outcome;
    const remedy = outcome.remedies.find((each) => !tried.has(each));
    if (remedy === undefined) {
      if (typeof outcome.end === 'string') return { detail: outcome.end };
      throw outcome.end;
    }
    tried.add(remedy);
    if (text !== null) lengthMax = Math.min(lengthMax, text.length);
    if (remedy === 'shorter_case') lengthMax = Math.floor(lengthMax / 2);
    unread = outcome.unread ?? unread;
  }
}

function turnsOf<T extends Assertions, J extends JudgedAssertions>(
  { conversation, asking }: ConcludeOptions<T, J>,
  text: string | null,
  unread: Failed['unread'],
): Turn[] {
  const form = `${asking.text}\n\n${formText(asking.schema.schema)}`;
  const begun: Turn[] = text === null
    ? [...conversation?.turns ?? [], { role: 'user', text: form }]
    : [{ role: 'user', text: `${text}\n\n${form}` }];
  return unread === undefined ? begun : [
    ...begun,
    { role: 'assistant', text: unread.text, calls: [], own: null },
    { role: 'user', text: repairText(unread.problems) },
  ];
}

function requestOf<T extends Assertions, J extends JudgedAssertions>(
  { meter, conversation, asking, signal }: ConcludeOptions<T, J>,
  turns: readonly Turn[],
  isNew: boolean,
): ModelRequest {
  const tools = isNew ? [] : conversation?.tools ?? [];
  const request = {
    system: investigateSystem, turns, tools, schema: asking.schema, signal,
    maxOutput: concludeOutput,
  };
  return { ...request, maxOutput: Math.max(concludeOutput, meter.outputFor(request, 0)) };
}

/** Throws what no remedy helps against. */
async function outcomeOf<T extends Assertions, J extends JudgedAssertions>(
  request: ModelRequest,
  { meter, asking }: ConcludeOptions<T, J>,
): Promise<Read<T> | Failed> {
  const reply = await meter.ask(request).catch((error: unknown): Failed => {
    if (!(error instanceof ModelError)) throw error;
    if (error.kind === 'context') {
      return { remedies: ['new_conversation', 'shorter_case'], end: error };
    }
    if (error.kind === 'filtered') {
      return { remedies: ['new_conversation', 'reduced_case'], end: error };
    }
    // What the server objects to may be this conversation only.
    if (error.type === 'refused') return { remedies: ['new_conversation'], end: error };
    throw error;
  });
  if ('remedies' in reply) return reply;
  const { text, stop } = reply;
  if (stop === 'refusal' || stop === 'filtered') {
    const end = 'The language model refused to answer about this alert.';
    return { remedies: ['new_conversation', 'reduced_case'], end };
  }
  const { answer, problems } = readModelAnswer(text, asking.members);
  if (answer !== null) return { answer, request, reply };
  if (stop === 'length') return { remedies: ['again'], end: cutText(request, meter) };
  if (text.trim() === '') {
    return { remedies: ['new_conversation', 'again'], end: 'The language model answered nothing.' };
  }
  return {
    remedies: ['repair'], end: "The language model's answer could not be read.",
    unread: { text: shortened(text, repairedLengthMax), problems },
  };
}

/** Which limit cut an answer off, and its setting. */
function cutText({ maxOutput }: ModelRequest, meter: Meter): string {
  const setting = maxOutput < meter.outputMax ? 'MODEL_TOKENS_PER_ALERT' : 'MODEL_OUTPUT_TOKENS';
  return `The language model's answer was cut off at ${maxOutput} tokens (${setting}), which ` +
    'thinking counts towards. Raise that, or lower MODEL_EFFORT.';
}

/** The second answer, if it came and holds more; null otherwise. */
async function corrected<T extends Assertions, J extends JudgedAssertions>(
  { request, reply }: Read<T>,
  judged: J,
  { meter, asking, shield }: ConcludeOptions<T, J>,
): Promise<AcceptedAnswer<T, J> | null> {
  const problems = shield(judged.problems.map((each) => `- ${each}`).join('\n'));
  const again: ModelRequest = {
    ...request,
    turns: [
      ...request.turns,
      { role: 'assistant', text: reply.text, calls: [], own: reply.own },
      { role: 'user', text: `${correctText}\n${problems}\n${correctAgainText}` },
    ],
  };
  const maxOutput = meter.outputFor(again, 0);
  if (maxOutput < concludeOutput) return null;
  try {
    const { text } = await meter.ask({ ...again, maxOutput });
    const { answer } = readModelAnswer(text, asking.members);
    if (answer === null) return null;
    const second = asking.judge(answer);
    const first = { held: judged.findings.length, made: judged.made };
    return second.findings.length >= judged.findings.length
      ? { answer, judged: second, first } : null;
  } catch (error) {
    if (error instanceof ModelError || error instanceof AskingEnded) return null;
    throw error;
  }
}
