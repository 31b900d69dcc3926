import { isFingerprint } from '../alert/fingerprint.ts';
import type { AgainResult, FeedbackResult, NewFeedback } from '../report/feedback.ts';
import type { AccessCheck } from './authentication.ts';
import { json, type Exchange, type HeaderList, type Reply } from './exchange.ts';
import { parseFeedbackBody } from './feedback-body.ts';
import { refuseExpectation, type Readiness } from './health-route.ts';
import {
  alertForgotten, analysedJustNow, feedbackIsFull, notInitialised, payloadTooLarge, queueIsFull,
  rateLimited, reportNotFound, storageUnavailable, unsupportedContentEncoding,
} from './http-errors.ts';
import type { RateLimits } from './rate-limits.ts';
import { isBrowser } from './representation.ts';
import { route, type Route } from './router.ts';
import { refuseCrossSite } from './same-origin.ts';

/** Each resolves when what was asked for is on disk, or says why it is not. */
export interface ReportWriting {
  takeFeedback(fingerprint: string, number: number, said: NewFeedback): Promise<FeedbackResult>;
  /** Queues a new analysis of the fingerprint's newest episode. */
  analyseAgain(fingerprint: string): Promise<AgainResult>;
}

export interface ReportWritingOptions {
  readonly writing: ReportWriting;
  /** The same as for reading: whoever writes reads, too. */
  readonly limits: RateLimits;
  readonly checkAccess: AccessCheck;
  /** Host, with port, of the report address. */
  readonly ownHost: () => string;
  readonly readiness: () => Readiness;
}

/** A form with both texts at their longest, each character escaped, is 23 KB. */
const bodyLimitBytes = 32 * 1024;

/**
 * What people tell the service about its reports. They come before the routes that read, one of
 * whose paths would fit as well.
 */
export function createReportWritingRoutes(options: ReportWritingOptions): Route[] {
  const { writing } = options;
  return [
    route('POST', '/report/:fingerprint/:episode/feedback', async (exchange) => {
      admit(exchange, options);
      const { fingerprint, episode } = exchange.params;
      const body = await exchange.readBody(bodyLimitBytes);
      if (!isFingerprint(fingerprint) || !/^[1-9]\d{0,8}$/.test(episode)) throw reportNotFound([]);
      const said = parseFeedbackBody(body, exchange.headers['content-type']);
      const result = await writing.takeFeedback(fingerprint, Number(episode), said);
      return feedbackReply(result, exchange, `../${episode}#feedback`);
    }),
    route('POST', '/report/:fingerprint/analyse', async (exchange) => {
      admit(exchange, options);
      const { fingerprint } = exchange.params;
      await exchange.readBody(bodyLimitBytes);
      if (!isFingerprint(fingerprint)) throw reportNotFound([]);
      return againReply(await writing.analyseAgain(fingerprint), exchange);
    }),
  ];
}

/** Limits before logins, so that guessing is limited, too; all of it before a byte is read. */
function admit(exchange: Exchange, options: ReportWritingOptions): void {
  const { limits, checkAccess, ownHost, readiness } = options;
  const { client, headers } = exchange;
  if (!limits.takeFromClient(client) || !limits.takeFromTotal(client)) {
    throw rateLimited(429, [...limits.headers(client), ...limits.retryAfter(client)]);
  }
  checkAccess(exchange);
  refuseCrossSite(headers, ownHost);
  if (readiness() === 'starting') throw notInitialised();
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity') throw unsupportedContentEncoding();
  refuseExpectation(exchange);
  if (Number(headers['content-length'] ?? 0) > bodyLimitBytes) throw payloadTooLarge();
}

function feedbackReply(
  result: FeedbackResult,
  { headers }: Pick<Exchange, 'headers'>,
  address: string,
): Reply {
  if (result.kind === 'not_found') throw reportNotFound([]);
  if (result.kind === 'full') throw feedbackIsFull();
  if (result.kind === 'storage_unavailable') throw storageUnavailable();
  if (isBrowser(headers.accept)) return seeOther(address);
  return json(201, { status: 'success', feedback: result.feedback }, uncached);
}

function againReply(result: AgainResult, { headers }: Pick<Exchange, 'headers'>): Reply {
  if (result.kind === 'not_found') throw reportNotFound([]);
  if (result.kind === 'too_soon') throw analysedJustNow(Math.ceil(result.waitMs / 1000));
  if (result.kind === 'forgotten') throw alertForgotten();
  if (result.kind === 'queue_full') throw queueIsFull();
  if (result.kind === 'storage_unavailable') throw storageUnavailable();
  const { number, reportUrl } = result;
  if (isBrowser(headers.accept)) return seeOther(String(number));
  const message = 'Alert queued for analysis';
  return json(202, { status: 'success', message, report_url: reportUrl }, uncached);
}

const uncached: HeaderList = ['Cache-Control', 'no-store'];

/** To an address relative to the request's, which holds behind any proxy and for any name. */
function seeOther(address: string): Reply {
  return {
    status: 303,
    contentType: 'text/plain; charset=utf-8',
    body: 'See the report.\n',
    headers: [...uncached, 'Location', address],
  };
}
