import type { Clock } from '../../lib/clock.ts';
import type { ModelReply, ModelRequest, ToolReply, Turn } from '../client/conversation.ts';
import type { Meter } from '../client/meter.ts';
import { ModelError } from '../client/model-error.ts';
import { cutResult, resultTextMax } from '../tools/result-text.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import { concludeOutput } from './conclude-with-model.ts';
import { emptyText, investigateSystem, writtenCallText } from './prompts.ts';
import { isToolCallText } from './tool-call-text.ts';

const callsPerRound = 4;
/** Tokens that a round is expected to write. */
const plannedOutput = 1_500;
/** Length of a tool's result at least, in UTF-16 units. */
const resultMin = 1_500;
/** Calls of tools in one investigation. */
export const callsMax = 20;
const idleRoundsMax = 2;
const malformedMax = 3;

interface ExploreOptions {
  readonly meter: Meter;
  readonly toolbox: Toolbox;
  /** The alert and its evidence, masked and fenced. */
  readonly text: string;
  readonly rounds: number;
  /** Masks and fences the result of a tool. */
  readonly shield: (text: string) => string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Given the time of the slowest answer so far in milliseconds; 0 before the first. */
  readonly isTimeUp: (slowestMs: number) => boolean;
  readonly onRound: (round: number) => void;
}

/** Why the model stopped gathering evidence. */
export type StoppedBecause =
  | 'done' | 'rounds' | 'tokens' | 'time' | 'calls' | 'nothing_new' | 'malformed' | 'empty' | 'cut'
  | 'refused' | 'context' | 'no_tools';

export interface Explored {
  readonly rounds: number;
  readonly calls: number;
  readonly stoppedBecause: StoppedBecause;
  /** The conversation, as far as it can go on. */
  readonly turns: readonly Turn[];
}

/**
 * Lets the model ask for more evidence until it is done or a limit is reached. The results are in
 * the toolbox's ledger. Rejects when a conclusion could not be asked for either.
 */
export async function explore(options: ExploreOptions): Promise<Explored> {
  const state: State = {
    turns: [{ role: 'user', text: options.text }], rounds: 0, calls: 0, idle: 0, malformed: 0,
    hasReasked: false, slowestMs: 0,
  };
  for (;;) {
    const stop = limitReached(state, options);
    if (stop !== null) return explored(state, stop);
    options.onRound(state.rounds + 1);
    const askedAt = options.clock.monotonic();
    const reply = await askOnce(state, options);
    state.slowestMs = Math.max(state.slowestMs, options.clock.monotonic() - askedAt);
    if (typeof reply === 'string') return explored(state, reply);
    if (reply.stop === 'refusal' || reply.stop === 'filtered') return explored(state, 'refused');
    const { text, calls, own } = reply;
    if (calls.length > 0) {
      const results = await runCalls(reply, state, options);
      state.turns.push({ role: 'assistant', text, calls, own }, results);
    } else {
      const end = endedBy(reply, state);
      if (end !== null) return end;
    }
  }
}

interface State {
  readonly turns: Turn[];
  rounds: number;
  calls: number;
  /** Rounds in a row without new evidence. */
  idle: number;
  /** Malformed calls in a row. */
  malformed: number;
  hasReasked: boolean;
  slowestMs: number;
}

function explored({ rounds, calls, turns }: State, stoppedBecause: StoppedBecause): Explored {
  return { rounds, calls, stoppedBecause, turns };
}

/** How a reply without calls ends it; null after changing the state so as to ask once more. */
function endedBy({ text, stop, own }: ModelReply, state: State): Explored | null {
  const reply = text.trim();
  const isWrittenCall = isToolCallText(reply);
  if (reply !== '' && !isWrittenCall) {
    state.turns.push({ role: 'assistant', text, calls: [], own });
    return explored(state, 'done');
  }
  if (stop === 'length') return explored(state, 'cut');
  if (state.hasReasked) return explored(state, isWrittenCall ? 'malformed' : 'empty');
  state.hasReasked = true;
  state.turns.push({ role: 'user', text: isWrittenCall ? writtenCallText : emptyText });
  return null;
}

function limitReached(state: State, { rounds, isTimeUp }: ExploreOptions): StoppedBecause | null {
  if (state.rounds >= rounds) return 'rounds';
  if (state.calls >= callsMax) return 'calls';
  if (state.idle >= idleRoundsMax) return 'nothing_new';
  if (state.malformed >= malformedMax) return 'malformed';
  return isTimeUp(state.slowestMs) ? 'time' : null;
}

async function askOnce(
  state: State,
  { meter, toolbox, signal }: ExploreOptions,
): Promise<ModelReply | 'tokens' | 'context' | 'malformed' | 'refused' | 'no_tools'> {
  const request: ModelRequest = {
    system: investigateSystem, turns: state.turns, tools: toolbox.specs,
    schema: null, maxOutput: plannedOutput, signal,
  };
  const maxOutput = meter.outputFor(request, reserveFor(request, meter));
  if (meter.estimate(request) > meter.requestMax || maxOutput < plannedOutput) return 'tokens';
  try {
    return await meter.ask({ ...request, maxOutput });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    if (error.kind === 'context' || error.kind === 'malformed') return error.kind;
    if (error.kind === 'filtered') return 'refused';
    if (error.type === 'no_tools') return 'no_tools';
    // The server accepted the first request, so it objects to this conversation only.
    const isFirst = state.rounds === 0 && !state.hasReasked;
    if (error.type === 'refused' && !isFirst) return 'refused';
    throw error;
  }
}

/** Tokens for a conclusion from this conversation. */
function reserveFor(request: ModelRequest, meter: Meter): number {
  return Math.ceil(meter.estimate(request) * meter.repeatedShare) + concludeOutput;
}

/**
 * UTF-16 units that each of so many results may have, so that the tokens last for all rounds: what
 * is new now is read again in every later round.
 */
function resultLength(
  calls: number,
  { turns, rounds: done }: State,
  { meter, toolbox, rounds, signal }: ExploreOptions,
): number {
  const request = { system: '', turns, tools: toolbox.specs, schema: null, maxOutput: 0, signal };
  const roundsLeft = rounds - done;
  const again = meter.repeatedShare;
  const perRound = meter.estimate(request) * again + plannedOutput;
  const spare = meter.left - reserveFor(request, meter) - roundsLeft * perRound;
  const reads = roundsLeft * (1 + again * (roundsLeft + 1) / 2);
  return Math.max(resultMin, Math.min(resultTextMax, meter.unitsFor(spare / reads) / calls));
}

/** Every call gets a result: providers reject a conversation in which one is missing. */
async function runCalls(
  { calls }: ModelReply,
  state: State,
  options: ExploreOptions,
): Promise<Turn> {
  const { toolbox, shield, signal } = options;
  const results: ToolReply[] = [];
  const lengthMax = resultLength(Math.min(calls.length, callsPerRound), state, options);
  let isNew = false;
  for (const [index, call] of calls.entries()) {
    const { id } = call;
    if (index >= callsPerRound || state.calls >= callsMax) {
      results.push({ id, text: 'Skipped: too many calls.', isError: true });
      continue;
    }
    state.calls += 1;
    const run = await toolbox.run(call, signal);
    state.malformed = run.isMalformed ? state.malformed + 1 : 0;
    isNew ||= run.evidenceId !== null;
    const text = cutResult(run.text, 'Ask for less at once.', lengthMax);
    results.push({ id, text: shield(text), isError: run.isError });
  }
  state.rounds += 1;
  state.idle = isNew ? 0 : state.idle + 1;
  return { role: 'tool_results', results };
}
