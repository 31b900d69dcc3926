import type { Model, ModelReply, ModelRequest, Turn, Usage } from './conversation.ts';
import { failureOf, ModelError, type ModelFailure } from './model-error.ts';

/** The day's budget and the breaker: asked before each request, and given its outcome. */
export interface Permits {
  /** `tokens` is the most that the request may use, input and output together. */
  readonly ask: (tokens: number) => Promise<Permit>;
  readonly account: (spent: Spent) => void;
}

/** `uncounted`: nobody knows how many of the day's tokens are left. */
export type Permit = 'granted' | 'uncounted' | BudgetRefusal;

export type BudgetRefusal = 'budget' | 'breaker';

export interface Spent {
  /** As charged: counted by the provider, or estimated where it did not say. */
  readonly tokens: number;
  /** Null when there was a reply. */
  readonly failure: ModelFailure | null;
}

/** No further request is allowed; the message says why, for the report. */
export class AskingEnded extends Error {
  override readonly name = 'AskingEnded';
  readonly reason: BudgetRefusal;

  constructor(reason: BudgetRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** UTF-16 units per token, until a provider has reported a count. */
const unitsPerToken = 4;
/** Units that a wire adds to the result of a tool. */
const resultUnits = 40;
/** The largest share of an alert's tokens that one request may read. */
const requestShare = 1 / 2;
/** The largest share that one answer may have: all of it is reserved of the day's tokens. */
const answerShare = 1 / 4;
/** What a token that the provider read from its cache counts, as it costs a tenth. */
const cachedShare = 1 / 10;
/** A count above this multiple of the expected one is not believed. */
const believedTimes = 8;
/** Tokens expected at least, however short the request: servers add text of their own. */
const expectedMin = 1_000;

interface MeterOptions {
  readonly model: Model;
  /** Budget of the alert, input and output together; cached input counts a tenth. */
  readonly tokens: number;
  /** Tokens that one answer may have. */
  readonly outputMax: number;
  readonly permits: Permits;
}

/** Counts the tokens of one investigation and keeps it within its budget. */
export class Meter {
  readonly #options: MeterOptions;
  #input = 0;
  #cached = 0;
  #output = 0;
  /** Input of the last request; the next one repeats most of it. */
  #lastInput = 0;
  /** Whether the provider reads from its cache what it has read before, as far as known. */
  #isCaching = true;
  #requests = 0;
  /** Factor by which the last count exceeded what its length let expect; never below 1. */
  #ratio = 1;
  #model: string | null = null;

  constructor(options: MeterOptions) {
    this.#options = options;
  }

  get input(): number {
    return this.#input;
  }

  get output(): number {
    return this.#output;
  }

  /** The part of the input that was read from the provider's cache. */
  get cached(): number {
    return this.#cached;
  }

  /** All tokens, cached ones included. */
  get used(): number {
    return this.#input + this.#output;
  }

  /** Tokens of the alert's budget that are left. */
  get left(): number {
    return this.#options.tokens - this.used + this.#cached * (1 - cachedShare);
  }

  get outputMax(): number {
    return this.#options.outputMax;
  }

  /** What a token costs that the conversation had before: a share of one that is new. */
  get repeatedShare(): number {
    return this.#isCaching ? cachedShare : 1;
  }

  get requests(): number {
    return this.#requests;
  }

  /** Name, as the provider gave it; null before the first reply. */
  get model(): string | null {
    return this.#model;
  }

  /** Tokens that one request may read. */
  get requestMax(): number {
    return this.#options.tokens * requestShare;
  }

  /** Estimated input tokens of the request. */
  estimate(request: ModelRequest): number {
    return Math.ceil(unitsIn(request) / unitsPerToken * this.#ratio);
  }

  /** Estimated UTF-16 units of text that fit into so many tokens. */
  unitsFor(tokens: number): number {
    return Math.max(0, Math.floor(tokens * unitsPerToken / this.#ratio));
  }

  /** Estimated tokens of the budget that reading a longer form of the last request takes. */
  chargeOf(request: ModelRequest): number {
    const estimate = this.estimate(request);
    const repeated = Math.min(estimate, this.#lastInput);
    return Math.ceil(estimate - repeated * (1 - this.repeatedShare));
  }

  /** Tokens that the answer may have so that `reserve` are left for later requests. */
  outputFor(request: ModelRequest, reserve: number): number {
    const most = Math.min(this.outputMax, this.#options.tokens * answerShare);
    return Math.floor(Math.min(most, this.left - this.chargeOf(request) - reserve));
  }

  /** Rejects with AskingEnded or with the model's ModelError. */
  async ask(request: ModelRequest): Promise<ModelReply> {
    const { model, permits } = this.#options;
    const estimate = this.estimate(request);
    const most = estimate + request.maxOutput;
    if (this.chargeOf(request) + request.maxOutput > this.left) {
      throw new AskingEnded('budget', "The alert's tokens for the language model " +
        '(MODEL_TOKENS_PER_ALERT) do not cover another request.');
    }
    const permit = await permits.ask(most);
    if (permit !== 'granted') {
      throw new AskingEnded(permit === 'uncounted' ? 'budget' : permit, refusals[permit]);
    }
    this.#requests += 1;
    let failure: ModelFailure | null = cancelled;
    let spent = most;
    try {
      const reply = await model.ask(request);
      failure = null;
      const usage = isBelievable(reply.usage, request, estimate) ? reply.usage : null;
      spent = this.#count(usage, { estimate, reply });
      this.#model = reply.model;
      return reply;
    } catch (error) {
      if (error instanceof ModelError) failure = failureOf(error);
      // A request that broke off may have been read, and is then billed; a refused one is not.
      const isBilled = failure?.kind === 'aborted' || failure?.kind === 'malformed';
      const lost = error instanceof ModelError ? error.lost : 0;
      spent = estimate * (isBilled ? Math.max(1, lost) : lost);
      this.#input += spent;
      throw error;
    } finally {
      permits.account({ tokens: spent, failure });
    }
  }

  #count(
    usage: Usage | null,
    { estimate, reply }: { readonly estimate: number; readonly reply: ModelReply },
  ): number {
    const lost = estimate * (reply.lost ?? 0);
    const input = lost + (usage?.input ?? estimate);
    const cached = usage?.cached ?? 0;
    const output = usage?.output ?? Math.ceil(unitsWritten(reply) / unitsPerToken);
    if (usage !== null) {
      this.#ratio = Math.max(1, this.#ratio * usage.input / Math.max(1, estimate));
    }
    if (this.#lastInput > 0) this.#isCaching = cached > 0;
    this.#lastInput = usage?.input ?? estimate;
    this.#input += input;
    this.#cached += cached;
    this.#output += output;
    return input + output - cached * (1 - cachedShare);
  }
}

function isBelievable(usage: Usage | null, { maxOutput }: ModelRequest, estimate: number): boolean {
  // Some gateways do not count and report zeros.
  if (usage === null || usage.input === 0) return false;
  return usage.input <= believedTimes * Math.max(expectedMin, estimate)
    && usage.output <= believedTimes * Math.max(expectedMin, maxOutput);
}

export const cancelled: ModelFailure = failureOf(
  new ModelError('The request to the model was cancelled', { type: 'aborted' }),
);

/** Why there is no narrative, as sentences. */
export const refusals: Readonly<Record<Exclude<Permit, 'granted'>, string>> = {
  budget: "The day's tokens for the language model (MODEL_TOKENS_PER_DAY) are used up.",
  uncounted: "The day's tokens for the language model could not be counted, so it was not asked; " +
    'see the log.',
  breaker: 'The language model is not asked while its endpoint keeps failing.',
};

function unitsIn({ system, turns, tools, schema }: ModelRequest): number {
  const fixed = system.length + lengthOf(tools) + (schema === null ? 0 : lengthOf(schema));
  return turns.reduce((sum, turn) => sum + unitsOf(turn), fixed);
}

function unitsOf(turn: Turn): number {
  switch (turn.role) {
    case 'user': return turn.text.length;
    case 'assistant': return unitsWritten(turn);
    case 'tool_results':
      return turn.results.reduce((sum, { text }) => sum + text.length + resultUnits, 0);
  }
}

/** The turn in the provider's form contains its reasoning as well. */
function unitsWritten({ text, calls, own }: Pick<ModelReply, 'text' | 'calls' | 'own'>): number {
  const plain = text.length + (calls.length === 0 ? 0 : lengthOf(calls));
  return Math.max(plain, lengthOf(own));
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}
