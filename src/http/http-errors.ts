/**
 * Every refusal of the service, each with a constant text. A cause is only for the log: a text that
 * quotes nothing from the request, or a FormatError, which does not either.
 */
import type { FormatError } from '../lib/parse.ts';
import { HttpError, type HeaderList } from './exchange.ts';

export function invalidAlertFormat(cause: string | FormatError): HttpError {
  return new HttpError(400, 'Invalid alert format', { reason: 'invalid_format', cause });
}

/** `detail` is one of a few constants. */
export function invalidFeedback(detail: string, cause: string | FormatError): HttpError {
  return new HttpError(400, detail, { reason: 'invalid_format', cause });
}

export function feedbackIsFull(): HttpError {
  return new HttpError(409, 'The report has too much feedback already', { reason: 'conflict' });
}

export function alertForgotten(): HttpError {
  const detail = 'The alert is no longer known';
  return new HttpError(409, detail, { reason: 'conflict' });
}

export function analysedJustNow(waitSeconds: number): HttpError {
  const headers = ['Retry-After', String(Math.max(1, waitSeconds))];
  return new HttpError(429, 'Analysed less than a minute ago', {
    reason: 'rate_limited', headers,
  });
}

/** For a request that violates HTTP/1.1; `why` is only for the log. */
export function badRequest(why: string): HttpError {
  return new HttpError(400, 'Bad request', {
    reason: 'bad_request', closesConnection: true, cause: why,
  });
}

/** `challenge` is the value of WWW-Authenticate; `why` is only for the log. */
export function unauthorized(challenge: string, why: string): HttpError {
  const headers = ['WWW-Authenticate', challenge];
  return new HttpError(401, 'Unauthorized', { reason: 'unauthorized', headers, cause: why });
}

/** `why` is only for the log. */
export function forbidden(why: string): HttpError {
  return new HttpError(403, 'Forbidden', { reason: 'forbidden', cause: why });
}

export function notFound(): HttpError {
  return new HttpError(404, 'Not found', { reason: 'not_found' });
}

export function reportNotFound(headers: HeaderList): HttpError {
  return new HttpError(404, 'Report not found', { reason: 'not_found', headers });
}

/** Only readers who have authenticated may see data that is not redacted. */
export function recordingForbidden(headers: HeaderList): HttpError {
  const detail = 'Recordings are not redacted, so they need READ_AUTH=basic or READ_AUTH=token';
  return new HttpError(403, detail, { reason: 'forbidden', headers });
}

export function recordingNotFound(headers: HeaderList): HttpError {
  return new HttpError(404, 'Recording not found', { reason: 'not_found', headers });
}

export function methodNotAllowed(allowed: readonly string[]): HttpError {
  const headers = ['Allow', allowed.join(', ')];
  return new HttpError(405, 'Method not allowed', { reason: 'method_not_allowed', headers });
}

export function payloadTooLarge(): HttpError {
  return new HttpError(413, 'Payload too large', {
    reason: 'payload_too_large', closesConnection: true,
  });
}

export function unsupportedContentEncoding(): HttpError {
  return new HttpError(415, 'Unsupported content encoding', { reason: 'unsupported_encoding' });
}

export function expectationFailed(): HttpError {
  return new HttpError(417, 'Expectation failed', { reason: 'expectation_failed' });
}

/** The text is the same for both statuses; `limit` is the setting, for the log. */
export function rateLimited(
  status: 429 | 503, headers: HeaderList, limit: string,
): HttpError {
  const detail = 'Rate limit exceeded. Try again in 60 seconds.';
  const cause = `More than ${limit} allows in a minute`;
  return new HttpError(status, detail, { reason: 'rate_limited', headers, cause });
}

/** 429 when the client has too many, 503 when all clients together do. */
export function tooManyListeners(status: 429 | 503): HttpError {
  const detail = 'Too many open pages';
  return new HttpError(status, detail, { reason: 'rate_limited', headers: ['Retry-After', '30'] });
}

/** While the service stops: its successor takes new listeners. */
export function notListening(): HttpError {
  const headers = ['Retry-After', '2'];
  return new HttpError(503, 'Service is stopping', { reason: 'not_initialised', headers });
}

export function tooManyHeaderFields(): HttpError {
  return new HttpError(431, 'Request header fields too large', {
    reason: 'bad_request', closesConnection: true,
  });
}

export function unsupportedTransferEncoding(): HttpError {
  return new HttpError(501, 'Unsupported transfer encoding', {
    reason: 'unsupported_encoding', closesConnection: true,
  });
}

export function unsupportedHttpVersion(): HttpError {
  return new HttpError(505, 'HTTP version not supported', {
    reason: 'bad_request', closesConnection: true,
  });
}

export function notInitialised(): HttpError {
  return new HttpError(503, 'Service not initialised', { reason: 'not_initialised' });
}

const retryAfter: HeaderList = ['Retry-After', '10'];

export function queueIsFull(): HttpError {
  const cause = 'Too many alerts wait for analysis, or they take too much memory';
  return new HttpError(503, 'Queue is full', { reason: 'queue_full', headers: retryAfter, cause });
}

export function storageUnavailable(): HttpError {
  const detail = 'Storage unavailable';
  return new HttpError(503, detail, { reason: 'storage_unavailable', headers: retryAfter });
}

/** For the body that was evicted because all bodies take too much memory; may be retried. */
export function bodyEvicted(): HttpError {
  return new HttpError(503, 'Too many large requests at once', {
    reason: 'queue_full', headers: retryAfter, closesConnection: true,
    cause: 'All request bodies together take too much memory',
  });
}
