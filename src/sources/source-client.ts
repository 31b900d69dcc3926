import type { Clock } from '../lib/clock.ts';
import { withDeadline } from '../lib/deadline.ts';
import { shortened } from '../lib/shortened.ts';
import { AnswerBody } from './answer-body.ts';
import { fetchTransport, type Transport } from './fetch-transport.ts';
import { createHttpsTransport } from './https-transport.ts';
import { readAnswer, readStart, readText } from './read-answer.ts';
import {
  addressOf, encodeParameters, headersFor, withoutSecrets,
  type Parameters, type SourceAccess, type SourceIdentity,
} from './source-access.ts';
import { faultOfError, SourceFailure, type FailureReason, type Fault } from './source-failure.ts';

export interface SourceRequest {
  /** Below the base URL; parts that come from an alert must already be encoded. */
  readonly path: string;
  readonly parameters?: Parameters;
  /** The answer is plain text, whatever its content type, and may be empty. */
  readonly isText?: true;
  readonly signal?: AbortSignal | undefined;
  /** Called with the body of a good answer before `ask` resolves. */
  readonly onBody?: (body: AnswerBody) => void;
}

/** The outcome of one request, for metrics and for the report's list of sources. */
export interface RequestOutcome {
  readonly result: 'ok' | FailureReason;
  /** Including the retry, if there was one. */
  readonly durationMs: number;
  /** Null for `ok`. */
  readonly failure: Pick<SourceFailure, 'detail' | 'hint'> | null;
}

/** A {@linkcode SourceClient}, or a cache or player in front of one. */
export type AskableSource = Pick<SourceClient, 'ask' | 'failure' | 'timeoutMs'>;

interface ClientOptions {
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Largest answer body after decompression. Default 16 MiB. */
  readonly answerBytesMax?: number;
  readonly onOutcome?: (outcome: RequestOutcome) => void;
}

export const answerBytesMaxDefault: number = 16 * 1024 * 1024;
const detailLengthMax = 200;
/** Longer parameters are sent as a form: some proxies refuse URLs of 8 KiB. */
const addressParametersMax = 2000;
/** How a path refuses forms, as `/api/v1/rules` of Prometheus does, or a proxy anything but GET. */
const formRefusals: ReadonlySet<number> = new Set([403, 405, 501]);
const pauseMinMs = 50;
const pauseSpreadMs = 250;

/** A question in progress: its deadline, and whether an answer has begun. */
interface Exchange {
  readonly request: SourceRequest;
  readonly signal: AbortSignal;
  readonly endsAt: number;
  hasAnswered: boolean;
}

/**
 * Asks one source over HTTP. Every question ends by its deadline, with an answer within bounds or
 * with a {@linkcode SourceFailure}. Redirects are not followed. All requests are reads, so one that
 * fails on the way is retried once.
 */
export class SourceClient {
  readonly timeoutMs: number;
  readonly #identity: SourceIdentity;
  readonly #access: SourceAccess;
  readonly #options: ClientOptions;
  readonly #send: Transport;
  /** Paths that refused a form. */
  readonly #refusesForms = new Set<string>();

  constructor(identity: SourceIdentity, access: SourceAccess, options: ClientOptions) {
    this.#identity = identity;
    this.timeoutMs = access.timeoutMs;
    this.#access = access;
    this.#options = options;
    const isPrivate = access.ca !== null && access.url.startsWith('https:');
    this.#send = isPrivate ? createHttpsTransport(access.ca) : fetchTransport;
  }

  /** `read` turns the body into the result; it throws FormatError or SyntaxError to refuse it. */
  async ask<T>(request: SourceRequest, read: (body: Buffer) => T): Promise<T> {
    const { clock, onOutcome } = this.#options;
    const startedAt = clock.monotonic();
    let failed: SourceFailure | null = null;
    const deadline = { clock, ms: this.timeoutMs, outer: request.signal };
    return withDeadline(deadline, async (signal) => {
      const endsAt = startedAt + this.timeoutMs;
      const exchange: Exchange = { request, signal, endsAt, hasAnswered: false };
      try {
        const body = await this.#askWithRetry(exchange);
        const answer = read(body);
        request.onBody?.(new AnswerBody(body));
        return answer;
      } catch (error) {
        failed = new SourceFailure(this.#identity, this.#fault(error, exchange));
        throw failed;
      }
    }).finally(() => onOutcome?.(outcomeOf(failed, clock.monotonic() - startedAt)));
  }

  /** The failure of a question that was never sent. */
  failure(fault: Fault): SourceFailure {
    return new SourceFailure(this.#identity, fault);
  }

  async #askWithRetry(exchange: Exchange): Promise<Buffer> {
    const { clock, random } = this.#options;
    try {
      return await this.#askOnce(exchange);
    } catch (error) {
      const pauseMs = pauseMinMs + random() * pauseSpreadMs;
      const isOver = exchange.signal.aborted || clock.monotonic() + pauseMs >= exchange.endsAt;
      if (isOver || this.#fault(error, exchange).isTransient !== true) throw error;
      await clock.sleep(pauseMs, exchange.signal);
      return this.#askOnce(exchange);
    }
  }

  async #askOnce(exchange: Exchange): Promise<Buffer> {
    const { path, parameters = [], isText = false } = exchange.request;
    exchange.signal.throwIfAborted();
    exchange.hasAnswered = false;
    const encoded = encodeParameters(parameters);
    const isForm = encoded.length > addressParametersMax &&
      this.#identity.readsOnlyByGet !== true && !this.#refusesForms.has(path);
    const address = addressOf(this.#access.url, path);
    const answer = await this.#send({
      url: isForm || encoded === '' ? address : `${address}?${encoded}`,
      method: isForm ? 'POST' : 'GET',
      headers: { ...headersFor(this.#access), ...(isForm && { 'content-type': formType }) },
      body: isForm ? encoded : null,
      signal: exchange.signal,
    });
    exchange.hasAnswered = true;
    if (isForm && formRefusals.has(answer.status)) {
      this.#refusesForms.add(path);
      await readStart(answer);
      return this.#askOnce(exchange);
    }
    const bytesMax = this.#options.answerBytesMax ?? answerBytesMaxDefault;
    return isText ? readText(answer, bytesMax) : readAnswer(answer, bytesMax);
  }

  #fault(error: unknown, { request, signal, hasAnswered }: Exchange): Fault {
    if (request.signal?.aborted === true) {
      return { reason: 'cancelled', detail: 'the investigation ended before the answer' };
    }
    if (signal.aborted) {
      const what = hasAnswered ? 'no whole answer' : 'no answer';
      return { reason: 'timeout', detail: `${what} within ${this.timeoutMs / 1000} s` };
    }
    const fault = faultOfError(error);
    return { ...fault, detail: short(withoutSecrets(fault.detail, this.#access)) };
  }
}

function outcomeOf(failed: SourceFailure | null, durationMs: number): RequestOutcome {
  if (failed === null) return { result: 'ok', durationMs, failure: null };
  const { reason, detail, hint } = failed;
  return { result: reason, durationMs, failure: { detail, hint } };
}

const formType = 'application/x-www-form-urlencoded';

/** One line of bounded length, without control characters or a full stop at the end. */
function short(text: string): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}\p{Surrogate}]+/gu, ' ').trim();
  return line.length > detailLengthMax ? shortened(line, detailLengthMax)
    : line.replace(/[ .]+$/, '');
}
