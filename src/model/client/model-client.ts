import type { Clock } from '../../lib/clock.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { fetchTransport } from '../../lib/fetch-transport.ts';
import type { HttpAnswer } from '../../lib/http-request.ts';
import { isWithinJsonLimits } from '../../lib/json-limits.ts';
import { memberOf } from '../../lib/parse.ts';
import type { Random } from '../../lib/random.ts';
import { anthropic } from '../wires/anthropic.ts';
import { openAiChat } from '../wires/openai-chat.ts';
import { openAiResponses } from '../wires/openai-responses.ts';
import type { BuiltRequest, Wire } from '../wires/wire.ts';
import type { Model, ModelReply, ModelRequest, Usage } from './conversation.ts';
import { quirkFor } from './learn-quirk.ts';
import { baseUrlOf, isAzure, providerNameOf, type ModelAccess } from './model-access.ts';
import { ModelError, type ModelErrorType } from './model-error.ts';
import { knownQuirks, type Quirks } from './quirks.ts';
import { errorOfRefusal, readRefusal, type Refusal } from './refusal.ts';
import { cleanText, errorOfThrown, mayBeBilled } from './thrown.ts';

/** Outcome of one request, retries included. Plain data, for metrics. */
export interface ModelCall {
  readonly provider: string;
  /** As configured. */
  readonly model: string;
  /** Null for a reply. */
  readonly errorType: ModelErrorType | null;
  readonly seconds: number;
  /** Null when it failed or the provider did not say. */
  readonly usage: Usage | null;
  /** HTTP requests. */
  readonly attempts: number;
}

interface ModelOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly onAsked?: (asked: ModelCall) => void;
  readonly memory: ModelMemory;
}

/** What clients of the same model, with the same key, have learned about its server. */
export interface ModelMemory {
  learned: Partial<Quirks>;
}

/** Far more than a model writes before the deadline. Parsed, it takes twenty times the memory. */
const answerBytesMax = 1024 * 1024;
const retriesMax = 2;
/** Quirks learned during one request at most; each costs a round trip. */
const downgradesMax = 4;
const backoffFirstMs = 500;
/** Random share taken off a backoff, so that clients do not return all at once. */
const jitter = 0.25;
const idLength = 9;
const idAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const wires: Readonly<Record<ModelAccess['provider'], Wire>> = {
  openai: openAiResponses, 'openai-chat': openAiChat, anthropic,
};

/** One `ask` in progress. */
interface Exchange {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly endsAt: number;
  attempts: number;
  /** Attempts that may be billed although no complete answer arrived. */
  lost: number;
}

/** An attempt without a reply. */
interface Failed {
  readonly failure: ModelError;
  /** Null unless the server answered with an error. */
  readonly refusal: Refusal | null;
}

/** A model behind its HTTP API. `ask` settles in its time and rejects only with a ModelError. */
export class ModelClient implements Model {
  readonly #access: ModelAccess;
  readonly #options: ModelOptions;
  readonly #wire: Wire;

  constructor(access: ModelAccess, options: ModelOptions) {
    this.#access = access;
    this.#options = options;
    this.#wire = wires[access.provider];
  }

  async ask(request: ModelRequest): Promise<ModelReply> {
    const { clock } = this.#options;
    const startedAt = clock.monotonic();
    const { requestMs } = this.#access;
    return withDeadline({ clock, ms: requestMs, outer: request.signal }, async (signal) => {
      const endsAt = startedAt + requestMs;
      const exchange: Exchange = { request, signal, endsAt, attempts: 0, lost: 0 };
      try {
        const reply = await this.#askUntilAnswered(exchange);
        this.#report(exchange, startedAt, reply);
        return exchange.lost === 0 ? reply : { ...reply, lost: exchange.lost };
      } catch (error) {
        const failure = this.#errorOf(error, exchange);
        this.#report(exchange, startedAt, failure);
        throw new ModelError(failure.message, { ...failure, lost: exchange.lost });
      }
    });
  }

  #report({ attempts }: Exchange, startedAt: number, outcome: ModelReply | ModelError): void {
    const isError = outcome instanceof ModelError;
    this.#options.onAsked?.({
      provider: providerNameOf(this.#access),
      model: this.#access.name,
      errorType: isError ? outcome.type : null,
      seconds: (this.#options.clock.monotonic() - startedAt) / 1000,
      usage: isError ? null : outcome.usage,
      attempts,
    });
  }

  async #askUntilAnswered(exchange: Exchange): Promise<ModelReply> {
    const { clock, memory } = this.#options;
    for (let retries = 0, downgrades = 0; ;) {
      const quirks = knownQuirks(this.#access, memory.learned, clock.monotonic());
      const outcome = await this.#attempt(exchange, quirks);
      if ('reply' in outcome) return outcome.reply;
      const { failure, refusal } = outcome;
      const change = refusal && quirkFor(refusal, quirks, {
        access: this.#access, sent: textsOf(exchange.request), now: clock.monotonic(),
      });
      if (change !== null && downgrades < downgradesMax) {
        downgrades += 1;
        memory.learned = { ...memory.learned, ...change };
        continue;
      }
      const pauseMs = this.#pauseBefore(retries, outcome);
      if (pauseMs === null || clock.monotonic() + pauseMs >= exchange.endsAt) throw failure;
      retries += 1;
      await clock.sleep(pauseMs, exchange.signal);
    }
  }

  async #attempt(exchange: Exchange, quirks: Quirks): Promise<{ reply: ModelReply } | Failed> {
    const { attempts } = exchange;
    try {
      const outcome = await this.#askOnce(exchange, quirks);
      if ('reply' in outcome) return outcome;
      const { refusal } = outcome;
      return { refusal, failure: errorOfRefusal(refusal, (text) => cleanText(text, this.#access)) };
    } catch (error) {
      if (exchange.attempts > attempts && mayBeBilled(error)) exchange.lost += 1;
      return { refusal: null, failure: this.#errorOf(error, exchange) };
    }
  }

  /** Milliseconds to wait, as the providers' own clients do; null when a retry is pointless. */
  #pauseBefore(retries: number, { failure, refusal }: Failed): number | null {
    const most = failure.kind === 'malformed' ? 1 : retriesMax;
    const isWorthIt = failure.kind === 'retryable' || failure.kind === 'malformed';
    const shouldRetry = failure.kind === 'quota' ? false : (refusal?.shouldRetry ?? isWorthIt);
    if (!shouldRetry || retries >= most) return null;
    if (failure.retryAfterMs !== null) return failure.retryAfterMs;
    return backoffFirstMs * 2 ** retries * (1 - jitter * this.#options.random());
  }

  async #askOnce(
    exchange: Exchange,
    quirks: Quirks,
  ): Promise<{ reply: ModelReply } | { refusal: Refusal }> {
    const { request, signal } = exchange;
    if (quirks.toolsRefusedAt !== null && request.tools.length > 0) {
      throw new ModelError('The model or its server supports no tools', { type: 'no_tools' });
    }
    signal.throwIfAborted();
    exchange.attempts += 1;
    const built = this.#wire.build(request, this.#access, quirks);
    const answer = await fetchTransport({
      url: `${baseUrlOf(this.#access)}${built.path}`, method: 'POST', signal,
      headers: this.#headers(built, quirks), body: JSON.stringify(built.body),
    });
    const { status, headers } = answer;
    const text = await readText(answer);
    const body = parseJson(text);
    const isRefused = status < 200 || status >= 300 || hasError(body);
    const now = this.#options.clock.now();
    if (isRefused) return { refusal: readRefusal({ status, headers, body, text, now }) };
    if (body === undefined) throw notJson(text);
    return { reply: this.#wire.parse(body, this.#ids(request)) };
  }

  #headers({ headers }: BuiltRequest, { bearer }: Quirks): Record<string, string> {
    const { apiKey, provider } = this.#access;
    const all: Record<string, string> = {
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'alert-analyst',
      ...headers,
    };
    if (apiKey === null) return all;
    if (provider === 'anthropic' && !bearer) return { ...all, 'x-api-key': apiKey };
    if (isAzure(this.#access) && provider !== 'anthropic') return { ...all, 'api-key': apiKey };
    return { ...all, authorization: `Bearer ${apiKey}` };
  }

  #ids({ turns }: ModelRequest): { taken: ReadonlySet<string>; create: () => string } {
    const calls = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.calls : []));
    const letter = (): string =>
      idAlphabet[Math.floor(this.#options.random() * idAlphabet.length)] ?? 'A';
    return {
      taken: new Set(calls.map(({ id }) => id)),
      create: () => Array.from({ length: idLength }, letter).join(''),
    };
  }

  #errorOf(error: unknown, { request, signal }: Exchange): ModelError {
    if (request.signal.aborted) {
      return new ModelError('The request to the model was cancelled', { type: 'aborted' });
    }
    if (signal.aborted) {
      const seconds = this.#access.requestMs / 1000;
      return new ModelError(`The model's answer was not complete within ${seconds} s`, {
        type: 'timeout',
      });
    }
    return errorOfThrown(error);
  }
}

/** The parts of a request that may hold text from outside. */
function textsOf({ turns }: ModelRequest): string {
  return turns.flatMap((turn) =>
    turn.role === 'tool_results' ? turn.results.map(({ text }) => text) : [turn.text]).join('\n');
}

async function readText({ body }: HttpAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > answerBytesMax) {
      const mib = answerBytesMax / 1024 / 1024;
      throw new ModelError(`The model's answer is longer than ${mib} MiB`, { type: 'malformed' });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Undefined for text that is not JSON, or nested too deep to be sent back. */
function parseJson(text: string): unknown {
  if (!isWithinJsonLimits(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Some gateways answer 200 and report the error in the body. */
function hasError(body: unknown): boolean {
  // An empty list beside the error is not a reply.
  const isReply = ['choices', 'output', 'content'].map((name) => memberOf(body, name))
    .some((list) => Array.isArray(list) ? list.length > 0 : (list ?? null) !== null);
  return !isReply && (memberOf(body, 'error') ?? null) !== null;
}

function notJson(text: string): ModelError {
  const what = /^\s*</.test(text) ? 'an HTML page' : text === '' ? 'empty'
    : /^\s*(?:data|event|id|retry)?:/.test(text) ? 'a stream of events, which was not asked for'
      : 'not valid JSON';
  return new ModelError(`The model's answer is ${what}`, { type: 'malformed' });
}
