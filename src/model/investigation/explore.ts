import type { Clock } from '../../lib/clock.ts';
import type { ModelReply, ModelRequest, ToolResult, Turn } from '../client/conversation.ts';
import type { Meter } from '../client/meter.ts';
import { ModelError } from '../client/model-error.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import { emptyText, investigateSystem, writtenCallText } from './prompts.ts';
import { isToolCallText } from './tool-call-text.ts';

const callsPerRound = 4;
/** Calls of tools in one investigation. */
export const callsMax = 20;
const outputMax = 2048;
const idleRoundsMax = 2;
const malformedMax = 3;

interface ExploreOptions {
  readonly meter: Meter;
  readonly toolbox: Toolbox;
  /** The alert and its evidence, masked and fenced. */
  readonly text: string;
  readonly rounds: number;
  /** Tokens to leave for the conclusion. */
  readonly reserve: number;
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
  | 'done' | 'rounds' | 'tokens' | 'time' | 'calls' | 'nothing_new' | 'malformed' | 'empty'
  | 'refused' | 'context' | 'no_tools';

export interface Explored {
  readonly rounds: number;
  readonly calls: number;
  readonly stoppedBecause: StoppedBecause;
  /** The model's closing remark in prose; null when there was none. */
  readonly note: string | null;
}

/**
 * Lets the model ask for more evidence until it is done or a limit is reached. The results are in
 * the toolbox's ledger. Rejects when a conclusion could not be asked for either.
 */
export async function explore(options: ExploreOptions): Promise<Explored> {
  const state: State = {
    turns: [{ role: 'user', text: options.text }], rounds: 0, calls: 0, idle: 0, malformed: 0,
    hasReasked: false, outputMax, slowestMs: 0,
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
  outputMax: number;
  slowestMs: number;
}

function explored(
  { rounds, calls }: State,
  stoppedBecause: StoppedBecause,
  note: string | null = null,
): Explored {
  return { rounds, calls, stoppedBecause, note };
}

/** How a reply without calls ends it; null after changing the state so as to ask once more. */
function endedBy({ text, stop }: ModelReply, state: State): Explored | null {
  const said = text.trim();
  const isWrittenCall = isToolCallText(said);
  if (said !== '' && !isWrittenCall) return explored(state, 'done', said);
  if (state.hasReasked) return explored(state, isWrittenCall ? 'malformed' : 'empty');
  state.hasReasked = true;
  // A reasoning model may have used up its output before it said anything.
  if (stop === 'length') state.outputMax = outputMax * 2;
  else state.turns.push({ role: 'user', text: isWrittenCall ? writtenCallText : emptyText });
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
  { meter, toolbox, reserve, signal }: ExploreOptions,
): Promise<ModelReply | 'tokens' | 'context' | 'malformed' | 'refused' | 'no_tools'> {
  const request: ModelRequest = {
    system: investigateSystem, turns: state.turns, tools: toolbox.specs,
    schema: null, maxOutput: state.outputMax, signal,
  };
  const isTooLong = meter.estimate(request) > meter.requestMax;
  if (isTooLong || !meter.affords(request, reserve)) return 'tokens';
  try {
    return await meter.ask(request);
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

/** Every call gets a result: providers reject a conversation in which one is missing. */
async function runCalls(
  { calls }: ModelReply,
  state: State,
  { toolbox, shield, signal }: ExploreOptions,
): Promise<Turn> {
  const results: ToolResult[] = [];
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
    results.push({ id, text: shield(run.text), isError: run.isError });
  }
  state.rounds += 1;
  state.idle = isNew ? 0 : state.idle + 1;
  return { role: 'tool_results', results };
}
