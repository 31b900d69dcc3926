import type { Clock } from '../lib/clock.ts';
import { withDeadline } from '../lib/deadline.ts';
import { fetchTransport } from '../lib/fetch-transport.ts';
import { createHttpsTransport, type Transport } from '../lib/http-request.ts';
import { shortened } from '../lib/shortened.ts';
import { AnswerBody } from './answer-body.ts';
import { readAnswer, readBeginning, readStart, readText } from './read-answer.ts';
import {
  addressOf, encodeParameters, headersFor, withoutSecrets, type Parameters, type SourceAccess,
  type SourceIdentity,
} from './source-access.ts';
import { faultOfError, SourceFailure, type FailureReason, type Fault } from './source-failure.ts';

export interface SourceRequest {
  /** Below the base URL; parts that come from an alert must already be encoded. */
  readonly path: string;
  readonly parameters?: Parameters;
  /** The answer is plain text, whatever its content type, and may be empty. */
  readonly isText?: true;
  /** Only the beginning of the answer is wanted, and is all that is read. */
  readonly firstBytes?: number;
  /** Strips sensitive fields from the body of a good answer before it is handed on. */
  readonly reduce?: (body: Buffer) => Buffer;
  readonly signal?: AbortSignal | undefined;
  /** Called with the body of a good answer before `ask` resolves. */
  readonly onBody?: (body: AnswerBody) => void;
}

/** A server that was given up, for the log. */
interface LeftServer extends Pick<Fault, 'reason' | 'detail'> {
  /** Its base URL. */
  readonly server: string;
}

/** The outcome of one request, for metrics and for the report's list of sources. */
export interface RequestOutcome {
  readonly result: 'ok' | FailureReason;
  /** Including the retry, if there was one. */
  readonly durationMs: number;
  /** Null for `ok`. */
  readonly failure: Pick<SourceFailure, 'detail' | 'hint'> | null;
  /** Base URLs of the servers; one that answers is enough. */
  readonly servers: readonly string[];
  /** That of the one that was asked last. */
  readonly server: string;
  /** Why a server was given up for another, which is asked from now on; null if none was. */
  readonly left: LeftServer | null;
}

/** A {@linkcode SourceClient}, or a cache or player in front of one. */
export type AskableSource = Pick<SourceClient, 'ask' | 'identity' | 'timeoutMs'>;

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

/** A server that is silent for this long, while nothing else is heard of it either, hangs. */
const hangsAfterMs = 1_000;
/** Failures where another server with the same data may do better. */
const serversOwn: ReadonlySet<FailureReason> = new Set([
  'connection', 'tls', 'server_error', 'rate_limited',
]);

/** A question in progress, with times in monotonic ms. */
interface Exchange {
  readonly request: SourceRequest;
  readonly signal: AbortSignal;
  readonly endsAt: number;
  /** When the server that is asked now was asked. */
  askedAt: number;
  /** Its base URL. */
  server: string;
  /** Whether an answer has begun. */
  hasAnswered: boolean;
  left: RequestOutcome['left'];
}

/**
 * Asks one source over HTTP. Every question ends by its deadline, with an answer within bounds or
 * with a {@linkcode SourceFailure}. Redirects are not followed. All requests are reads, so one that
 * fails on the way is retried once, or at the source's next server. That is then asked first, until
 * it fails.
 */
export class SourceClient {
  readonly identity: SourceIdentity;
  readonly timeoutMs: number;
  readonly #access: SourceAccess;
  readonly #options: ClientOptions;
  readonly #sendPrivately: Transport | null;
  /** Index of the server that is asked. */
  #server = 0;
  /** When it last answered: monotonic ms. */
  #heardAt = -Infinity;
  /** Paths that refused a form. */
  readonly #refusesForms = new Set<string>();

  constructor(identity: SourceIdentity, access: SourceAccess, options: ClientOptions) {
    this.identity = identity;
    this.timeoutMs = access.timeoutMs;
    this.#access = access;
    this.#options = options;
    this.#sendPrivately = access.ca === null ? null : createHttpsTransport(access.ca);
  }

  /** `read` turns the body into the result; it throws FormatError or SyntaxError to refuse it. */
  async ask<T>(request: SourceRequest, read: (body: Buffer) => T): Promise<T> {
    const { clock, onOutcome } = this.#options;
    const startedAt = clock.monotonic();
    const endsAt = startedAt + this.timeoutMs;
    const deadline = { clock, ms: this.timeoutMs, outer: request.signal };
    return withDeadline(deadline, async (signal) => {
      const exchange: Exchange = {
        request, signal, endsAt, askedAt: startedAt, server: this.#access.urls[this.#server] ?? '',
        hasAnswered: false, left: null,
      };
      let failed: SourceFailure | null = null;
      try {
        const whole = await this.#askInTurn(exchange);
        const body = request.reduce?.(whole) ?? whole;
        const answer = read(body);
        request.onBody?.(new AnswerBody(body));
        return answer;
      } catch (error) {
        failed = new SourceFailure(this.identity, this.#fault(error, exchange));
        throw failed;
      } finally {
        const durationMs = clock.monotonic() - startedAt;
        const { server, left } = exchange;
        onOutcome?.({
          ...outcomeOf(failed), durationMs, servers: this.#access.urls, server, left,
        });
      }
    });
  }

  async #askInTurn(exchange: Exchange): Promise<Buffer> {
    const { clock, random } = this.#options;
    const attemptsMax = Math.max(2, this.#access.urls.length);
    for (let attempt = 1; ; attempt += 1) {
      const server = this.#server;
      exchange.askedAt = clock.monotonic();
      try {
        exchange.server = this.#access.urls[server] ?? '';
        return await this.#askOnce(exchange, exchange.server);
      } catch (error) {
        const fault = this.#fault(error, exchange);
        this.#leaveIfAtFault(server, fault, exchange);
        const hasMoved = this.#server !== server;
        const pauseMs = hasMoved ? 0 : pauseMinMs + random() * pauseSpreadMs;
        const isOver = exchange.signal.aborted || clock.monotonic() + pauseMs >= exchange.endsAt;
        const mayHelp = fault.isTransient === true || (hasMoved && serversOwn.has(fault.reason));
        if (isOver || !mayHelp || attempt >= attemptsMax) throw error;
        if (!hasMoved) await clock.sleep(pauseMs, exchange.signal);
      }
    }
  }

  /** Has the next server asked, if there is one and another question has not seen to it. */
  #leaveIfAtFault(server: number, fault: Fault, exchange: Exchange): void {
    const { urls } = this.#access;
    if (urls.length < 2 || this.#server !== server) return;
    const { askedAt, signal, hasAnswered } = exchange;
    const hangs = signal.aborted && !hasAnswered && this.#heardAt < askedAt &&
      this.#options.clock.monotonic() - askedAt >= hangsAfterMs;
    if (!hangs && !serversOwn.has(fault.reason)) return;
    this.#server = (server + 1) % urls.length;
    this.#heardAt = -Infinity;
    const { reason, detail } = hangs
      ? { reason: 'timeout' as const, detail: 'it does not answer' } : fault;
    exchange.left = { server: urls[server] ?? '', reason, detail };
  }

  async #askOnce(exchange: Exchange, base: string): Promise<Buffer> {
    const { path, parameters = [], isText = false, firstBytes } = exchange.request;
    exchange.signal.throwIfAborted();
    exchange.hasAnswered = false;
    const encoded = encodeParameters(parameters);
    const isForm = encoded.length > addressParametersMax &&
      this.identity.readsOnlyByGet !== true && !this.#refusesForms.has(path);
    const address = addressOf(base, path);
    const isPrivate = base.startsWith('https:') && this.#sendPrivately !== null;
    const answer = await (isPrivate ? this.#sendPrivately : fetchTransport)({
      url: isForm || encoded === '' ? address : `${address}?${encoded}`,
      method: isForm ? 'POST' : 'GET',
      headers: { ...headersFor(this.#access), ...(isForm && { 'content-type': formType }) },
      body: isForm ? encoded : null,
      signal: exchange.signal,
    });
    exchange.hasAnswered = true;
    this.#heardAt = this.#options.clock.monotonic();
    if (isForm && formRefusals.has(answer.status)) {
      this.#refusesForms.add(path);
      await readStart(answer);
      return this.#askOnce(exchange, base);
    }
    if (firstBytes !== undefined) return readBeginning(answer, firstBytes);
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

function outcomeOf(failed: SourceFailure | null): Pick<RequestOutcome, 'result' | 'failure'> {
  if (failed === null) return { result: 'ok', failure: null };
  const { reason, detail, hint } = failed;
  return { result: reason, failure: { detail, hint } };
}

const formType = 'application/x-www-form-urlencoded';

/** One line of bounded length, without control characters or a full stop at the end. */
function short(text: string): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}\p{Surrogate}]+/gu, ' ').trim();
  return line.length > detailLengthMax ? shortened(line, detailLengthMax)
    : line.replace(/[ .]+$/, '');
}
