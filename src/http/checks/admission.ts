/** What a request has to pass before its route looks at what it says. */
import type { Exchange } from '../exchange.ts';
import {
  expectationFailed, notInitialised, rateLimited, unsupportedContentEncoding,
} from '../http-errors.ts';
import type { Readiness } from '../routes/health-route.ts';
import type { RateLimits } from './rate-limits.ts';
import { refuseCrossSite } from './same-origin.ts';

/** Nothing but `100-continue` is known. Throws HttpError 417. */
export function refuseExpectation({ expects }: Pick<Exchange, 'expects'>): void {
  if (expects === 'unknown') throw expectationFailed();
}

/** Draws from both limits of readers. Throws HttpError 429. */
export function refuseAboveLimits({ client }: Exchange, limits: RateLimits): void {
  if (limits.takeFromClient(client) && limits.takeFromTotal(client)) return;
  throw rateLimited(429, [...limits.headers(client), ...limits.retryAfter(client)]);
}

export interface BodyRules {
  /** Host, with port, of the report address; known once the service listens. */
  readonly ownHost: () => string;
  readonly readiness: () => Readiness;
  readonly bodyLimitBytes: number;
}

/**
 * The body of a request that may write, as far as its sender goes. Throws HttpError, before a byte
 * is read wherever that can be, or rejects with one.
 */
export function admittedBody(
  exchange: Exchange,
  { ownHost, readiness, bodyLimitBytes }: BodyRules,
): Promise<Buffer> {
  const { headers } = exchange;
  refuseCrossSite(headers, ownHost);
  if (readiness() === 'starting') throw notInitialised(); // A stop answers what comes.
  refuseContentEncoding(headers['content-encoding']);
  refuseExpectation(exchange);
  return exchange.readBody(bodyLimitBytes);
}

/** Never inflated: a small body could grow without bound. */
function refuseContentEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return;
  throw unsupportedContentEncoding();
}
