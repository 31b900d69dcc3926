/** Checks that requests must pass before a route looks at their content. */
import type { Exchange } from '../exchange.ts';
import { refusal } from '../http-errors.ts';
import type { RateLimits } from './rate-limits.ts';
import { refuseCrossSite } from './same-origin.ts';

export type Readiness = 'starting' | 'ready' | 'stopping';

/** Throws HttpError 417 unless `Expect` is absent or `100-continue`. */
export function refuseExpectation({ expects }: Pick<Exchange, 'expects'>): void {
  if (expects === 'unknown') throw refusal('expectationFailed');
}

/** Draws from the reader's bucket and the total one. Throws HttpError 429. */
export function refuseAboveLimits({ client }: Exchange, limits: RateLimits): void {
  const refused = (limit: string): Error => refusal('rateLimited', {
    headers: [...limits.headers(client), ...limits.retryAfter(client)],
    why: `More than ${limit} allows in a minute`,
  });
  if (!limits.takeFromClient(client)) throw refused('READ_LIMIT_PER_CLIENT');
  if (!limits.takeFromTotal(client)) throw refused('READ_LIMIT_TOTAL');
}

export interface BodyRules {
  /** Host, with port, of REPORT_BASE_URL; known once the service listens. */
  readonly ownHost: () => string;
  readonly readiness: () => Readiness;
}

/**
 * Reads the body of a writing request whose sender has passed authentication. Throws HttpError, or
 * rejects with one; wherever possible before any of the body is read.
 */
export function admittedBody(
  exchange: Exchange,
  { ownHost, readiness }: BodyRules,
  limitBytes: number,
): Promise<Buffer> {
  const { headers } = exchange;
  refuseCrossSite(headers, ownHost);
  if (readiness() === 'starting') throw refusal('notInitialised'); // Still answers while stopping.
  refuseContentEncoding(headers['content-encoding']);
  refuseExpectation(exchange);
  return exchange.readBody(limitBytes);
}

/** Compressed bodies are never inflated: a small one could expand without bound. */
function refuseContentEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return;
  throw refusal('unsupportedContentEncoding');
}
