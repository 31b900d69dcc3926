import type { Exchange } from '../exchange.ts';
import { refusal } from '../http-errors.ts';
import { isAlertmanager } from './alertmanager-sender.ts';
import type { AccessCheck } from './authentication.ts';
import type { RateLimits } from './rate-limits.ts';
import { refuseCrossSite, refuseEmbedded, type OwnHosts } from './same-origin.ts';

export type Readiness = 'starting' | 'ready' | 'stopping';

interface AdmissionOptions {
  readonly access: Readonly<Record<'sending' | 'writing' | 'reading', AccessCheck>>;
  readonly webhookLimits: RateLimits;
  /** Status of an answer above the webhook's limits; `auto` depends on the sender. */
  readonly limitStatus: 'auto' | '429' | '503';
  /** Shared by those who read reports and those who write to them. */
  readonly readLimits: RateLimits;
  /** For whoever presents a wrong login where readers with the right one have no limit. */
  readonly guessLimits: RateLimits;
  readonly ownHosts: OwnHosts;
  readonly readiness: () => Readiness;
}

/**
 * What a request must pass before a route looks at its content, by who may make it. The checks come
 * in order of cost and trust: the cheapest and least trusting first. All throw HttpError, or reject
 * with one.
 */
export class Admission {
  readonly #options: AdmissionOptions;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  anybody(exchange: Exchange): void {
    refuseExpectation(exchange);
  }

  /** As a reader, but without limits for those who may read. */
  scraper(exchange: Exchange): void {
    const { guessLimits, access } = this.#options;
    refuseExpectation(exchange);
    refuseEmbedded(exchange.headers);
    refuseAboveClientLimit(exchange, guessLimits);
    access.reading(exchange);
    guessLimits.giveBackToClient(exchange.client);
  }

  reader(exchange: Exchange): void {
    const { readLimits, access } = this.#options;
    refuseExpectation(exchange);
    refuseEmbedded(exchange.headers);
    checkWithinLimits(exchange, access.reading, readLimits);
  }

  /** Reads the body of a request that adds to a report. */
  writer(exchange: Exchange, limitBytes: number): Promise<Buffer> {
    const { readLimits, access, ownHosts } = this.#options;
    refuseCrossSite(exchange.headers, ownHosts);
    checkWithinLimits(exchange, access.writing, readLimits);
    return this.#bodyOf(exchange, limitBytes);
  }

  /** Reads the body of a notification. */
  sender(exchange: Exchange, limitBytes: number): Promise<Buffer> {
    const { webhookLimits, access, ownHosts } = this.#options;
    const { client, headers } = exchange;
    if (!webhookLimits.takeFromClient(client)) {
      throw this.#aboveWebhookLimit('RATE_LIMIT_PER_CLIENT', exchange);
    }
    access.sending(exchange);
    // Only now, so that nobody without the token can use up the total limit.
    if (!webhookLimits.takeFromTotal(client)) {
      throw this.#aboveWebhookLimit('RATE_LIMIT_TOTAL', exchange);
    }
    refuseCrossSite(headers, ownHosts);
    return this.#bodyOf(exchange, limitBytes);
  }

  #aboveWebhookLimit(limit: string, { headers, client }: Exchange): Error {
    const { webhookLimits, limitStatus } = this.#options;
    const status =
      limitStatus !== 'auto' ? Number(limitStatus) : isAlertmanager(headers) ? 503 : 429;
    return refusal('rateLimited', {
      status, headers: webhookLimits.retryAfter(client), why: whyAbove(limit),
    });
  }

  /** The sender has passed authentication. Wherever possible it is refused before it sends. */
  #bodyOf(exchange: Exchange, limitBytes: number): Promise<Buffer> {
    const { readiness } = this.#options;
    const { headers } = exchange;
    // Still answers while stopping.
    if (readiness() === 'starting') throw refusal('notInitialised');
    refuseContentEncoding(headers['content-encoding']);
    refuseExpectation(exchange);
    return exchange.readBody(limitBytes);
  }
}

/** Throws HttpError 417 unless `Expect` is absent or `100-continue`. */
function refuseExpectation({ expects }: Exchange): void {
  if (expects === 'unknown') throw refusal('expectationFailed');
}

/**
 * The client's limit comes before its login, so that guessing is limited; the total one after it,
 * so that nobody without the login can use it up. Throws HttpError 401 or 429.
 */
function checkWithinLimits(exchange: Exchange, check: AccessCheck, limits: RateLimits): void {
  const { client } = exchange;
  refuseAboveClientLimit(exchange, limits);
  check(exchange);
  if (!limits.takeFromTotal(client)) throw aboveReadLimit('READ_LIMIT_TOTAL', client, limits);
}

/** Draws from the reader's bucket. Throws HttpError 429. */
function refuseAboveClientLimit({ client }: Exchange, limits: RateLimits): void {
  if (limits.takeFromClient(client)) return;
  throw aboveReadLimit('READ_LIMIT_PER_CLIENT', client, limits);
}

function aboveReadLimit(limit: string, client: string, limits: RateLimits): Error {
  const headers = [...limits.headers(client), ...limits.retryAfter(client)];
  return refusal('rateLimited', { headers, why: whyAbove(limit) });
}

function whyAbove(limit: string): string {
  return `More than ${limit} allows in a minute`;
}

/** Compressed bodies are never inflated: a small one could expand without bound. */
function refuseContentEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return;
  throw refusal('unsupportedContentEncoding');
}
