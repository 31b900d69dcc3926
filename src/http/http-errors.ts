import type { HeaderList } from './exchange.ts';

/** Every refusal of the service, each with a constant text. */
const refusals = {
  badRequest: { status: 400, detail: 'Bad request', reason: 'bad_request', closesConnection: true },
  invalidAlertFormat: { status: 400, detail: 'Invalid alert format', reason: 'invalid_format' },
  invalidFeedback: { status: 400, detail: 'Invalid feedback', reason: 'invalid_format' },
  invalidQuestion: {
    status: 400, detail: 'question must be text of 1 to 500 characters', reason: 'invalid_format',
  },
  unauthorized: { status: 401, detail: 'Unauthorized', reason: 'unauthorized' },
  forbidden: { status: 403, detail: 'Forbidden', reason: 'forbidden' },
  /** Only readers who have authenticated may see data that is not redacted. */
  recordingForbidden: {
    status: 403, reason: 'forbidden',
    detail: 'Recordings are not redacted, so they need READ_AUTH=basic or READ_AUTH=token',
  },
  notFound: { status: 404, detail: 'Not found', reason: 'not_found' },
  reportNotFound: { status: 404, detail: 'Report not found', reason: 'not_found' },
  recordingNotFound: { status: 404, detail: 'Recording not found', reason: 'not_found' },
  methodNotAllowed: { status: 405, detail: 'Method not allowed', reason: 'method_not_allowed' },
  feedbackIsFull: {
    status: 409, detail: 'The report has too much feedback already', reason: 'conflict',
  },
  questionsAreFull: {
    status: 409, detail: 'The report has too many questions already', reason: 'conflict',
  },
  reportNotReady: { status: 409, detail: 'The report is not ready yet', reason: 'conflict' },
  noModel: { status: 409, detail: 'No language model is configured', reason: 'conflict' },
  alertForgotten: { status: 409, detail: 'The alert is no longer known', reason: 'conflict' },
  payloadTooLarge: {
    status: 413, detail: 'Payload too large', reason: 'payload_too_large', closesConnection: true,
  },
  unsupportedContentEncoding: {
    status: 415, detail: 'Unsupported content encoding', reason: 'unsupported_encoding',
  },
  expectationFailed: { status: 417, detail: 'Expectation failed', reason: 'expectation_failed' },
  /** The text is the same for the status 503, which some senders get. */
  rateLimited: {
    status: 429, detail: 'Rate limit exceeded. Try again in 60 seconds.', reason: 'rate_limited',
  },
  analysedJustNow: {
    status: 429, detail: 'Analysed less than a minute ago', reason: 'rate_limited',
  },
  tooManyQuestions: {
    status: 429, detail: 'Too many questions wait', reason: 'rate_limited',
    headers: ['Retry-After', '30'],
  },
  /** 503 if not this client but all together have too many. */
  tooManyListeners: {
    status: 429, detail: 'Too many open pages', reason: 'rate_limited',
    headers: ['Retry-After', '30'],
  },
  tooManyHeaderFields: {
    status: 431, detail: 'Request header fields too large', reason: 'bad_request',
    closesConnection: true,
  },
  internal: { status: 500, detail: 'Internal server error', reason: 'internal' },
  unsupportedTransferEncoding: {
    status: 501, detail: 'Unsupported transfer encoding', reason: 'unsupported_encoding',
    closesConnection: true,
  },
  notInitialised: { status: 503, detail: 'Service not initialised', reason: 'not_initialised' },
  /** For new listeners, which the next process takes. */
  isStopping: {
    status: 503, detail: 'Service is stopping', reason: 'not_initialised',
    headers: ['Retry-After', '2'],
  },
  queueIsFull: {
    status: 503, detail: 'Queue is full', reason: 'queue_full',
    headers: ['Retry-After', '10'],
    why: 'Too many alerts wait for analysis, or they take too much memory',
  },
  storageUnavailable: {
    status: 503, detail: 'Storage unavailable', reason: 'storage_unavailable',
    headers: ['Retry-After', '10'],
  },
  bodyEvicted: {
    status: 503, detail: 'Too many large requests at once', reason: 'queue_full',
    headers: ['Retry-After', '10'], closesConnection: true,
    why: 'All request bodies together take too much memory',
  },
  unsupportedHttpVersion: {
    status: 505, detail: 'HTTP version not supported', reason: 'bad_request',
    closesConnection: true,
  },
} as const;

export type RefusalName = keyof typeof refusals;

/** Why a request was refused: a closed set, so that it can be a metric's label. */
export type RefusalReason = (typeof refusals)[RefusalName]['reason'] | 'aborted';

interface RefusalParts {
  readonly status: number;
  /** Constant text. */
  readonly detail: string;
  readonly reason: RefusalReason;
  readonly headers?: HeaderList;
  /** Closes the connection: its state is not reliable, or reading on would cost too much. */
  readonly closesConnection?: boolean;
  /** For the log. Must not quote the request. */
  readonly why?: string;
  /** Operators should see it, whatever was asked for. */
  readonly isWarning?: boolean;
}

/** A refusal to throw; `parts` adds what depends on the request. */
export function refusal(name: RefusalName, parts: Partial<RefusalParts> = {}): HttpError {
  return new HttpError({ ...refusals[name], ...parts });
}

/**
 * A refusal that the client gets to read; any other error is a fault of this service and answered
 * with a bare 500. The message is the `detail` of the answer. It is constant, as Alertmanager
 * copies it into its own log and treats a different text as a new failure.
 */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly reason: RefusalReason;
  readonly headers: HeaderList;
  readonly closesConnection: boolean;
  readonly why: string | undefined;
  readonly isWarning: boolean;

  constructor(parts: RefusalParts) {
    super(parts.detail);
    this.status = parts.status;
    this.reason = parts.reason;
    this.headers = parts.headers ?? [];
    this.closesConnection = parts.closesConnection ?? false;
    this.why = parts.why;
    this.isWarning = parts.isWarning ?? false;
  }
}

/** The client disconnected before it had sent its whole body: there is nobody to answer. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/** The refusal reason for anything a handler threw. */
export function reasonOf(error: unknown): RefusalReason {
  if (error instanceof HttpError) return error.reason;
  return error instanceof ClientGoneError ? 'aborted' : 'internal';
}
