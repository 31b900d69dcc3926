/**
 * Every refusal the service knows, each with its one constant text. A cause is for the log alone:
 * a text that quotes nothing of the request, or a FormatError, which quotes nothing either.
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
  return new HttpError(409, 'No more feedback is kept', { reason: 'conflict' });
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

/** A request that is no HTTP/1.1; `why` is for the log alone. */
export function badRequest(why: string): HttpError {
  return new HttpError(400, 'Bad request', {
    reason: 'bad_request', closesConnection: true, cause: why,
  });
}

/** `challenge` is the value of WWW-Authenticate; `why` is for the log alone. */
export function unauthorized(challenge: string, why: string): HttpError {
  const headers = ['WWW-Authenticate', challenge];
  return new HttpError(401, 'Unauthorized', { reason: 'unauthorized', headers, cause: why });
}

export function forbidden(): HttpError {
  return new HttpError(403, 'Forbidden', { reason: 'forbidden' });
}

export function notFound(): HttpError {
  return new HttpError(404, 'Not found', { reason: 'not_found' });
}

export function reportNotFound(headers: HeaderList): HttpError {
  return new HttpError(404, 'Report not found', { reason: 'not_found', headers });
}

/** What is not redacted is for those alone who have proved who they are. */
export function recordingForbidden(headers: HeaderList): HttpError {
  const detail = 'Recordings are not redacted: they are served with READ_AUTH=basic or token only';
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

/** The text is the same with either status. */
export function rateLimited(status: 429 | 503, headers: HeaderList): HttpError {
  const detail = 'Rate limit exceeded. Try again in 60 seconds.';
  return new HttpError(status, detail, { reason: 'rate_limited', headers });
}

/** 429 for one client's share, 503 for everybody's. */
export function tooManyListeners(status: 429 | 503): HttpError {
  const detail = 'Too many pages listen for changes';
  return new HttpError(status, detail, { reason: 'rate_limited', headers: ['Retry-After', '30'] });
}

/** While the service stops: the next one will listen. */
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
  const cause = 'The alerts that wait for analysis are too many or too large';
  return new HttpError(503, 'Queue is full', { reason: 'queue_full', headers: retryAfter, cause });
}

export function storageUnavailable(): HttpError {
  const detail = 'Storage unavailable';
  return new HttpError(503, detail, { reason: 'storage_unavailable', headers: retryAfter });
}

/** For a body that is the largest of those on their way; it may come again. */
export function tooMuchAtOnce(): HttpError {
  return new HttpError(503, 'Too much is being received', {
    reason: 'queue_full', headers: retryAfter, closesConnection: true,
    cause: 'The bodies that are being received take too much memory together',
  });
}
