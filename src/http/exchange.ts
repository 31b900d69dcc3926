import type { IncomingHttpHeaders } from 'node:http';

export type Method = 'GET' | 'POST' | 'PUT';

/** Names and values in turn: Node writes such a list without copying it into an object first. */
export type HeaderList = readonly string[];

/** What a handler sees of a request. The body is read on demand: a route can refuse it unread. */
export interface Exchange {
  readonly method: string;
  /** As sent, without the query; never decoded as a whole. */
  readonly path: string;
  /** As sent, without its `?`; empty where there is none. */
  readonly query: string;
  /** Decoded; empty where the segment was empty or its percent escapes were malformed. */
  readonly params: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** As {@linkcode HeaderList}, with repeated fields, which `headers` hides. */
  readonly rawHeaders: HeaderList;
  /** Who asks, as far as limits care: an IPv4 address or an IPv6 /64. */
  readonly client: string;
  readonly requestId: string;
  /** What the `Expect` field asks for before the body is sent. */
  readonly expects: 'nothing' | 'continue' | 'unknown';
  /** Throws {@linkcode HttpError} 413 over the limit, {@linkcode ClientGoneError} when cut off. */
  readBody(limitBytes: number): Promise<Buffer>;
}

/** What a handler answers: a value, so a test can call the handler without a socket. */
export interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly headers: HeaderList;
  /** Writes what comes after the headers, as it comes, in the place of `body`. */
  readonly stream?: (output: StreamOutput) => void;
}

/** An answer that goes on until it is ended, its reader goes away, or falls too far behind. */
export interface StreamOutput {
  /** Does nothing when the answer is over. Cuts off a reader who leaves too much unread. */
  write(text: string): void;
  end(): void;
  /** Calls back once, however the answer comes to its end. */
  onClose(callback: () => void): void;
}

export type Handler = (exchange: Exchange) => Reply | Promise<Reply>;

/** Why a request was refused: a closed set, so that it can be a metric's label. */
export type RefusalReason =
  | 'aborted'
  | 'bad_request'
  | 'conflict'
  | 'expectation_failed'
  | 'forbidden'
  | 'internal'
  | 'invalid_format'
  | 'method_not_allowed'
  | 'not_found'
  | 'not_initialised'
  | 'payload_too_large'
  | 'queue_full'
  | 'rate_limited'
  | 'storage_unavailable'
  | 'unauthorized'
  | 'unsupported_encoding';

/** For what is of the moment, or not for others. */
export const uncached: HeaderList = ['Cache-Control', 'no-store'];

const jsonType = 'application/json; charset=utf-8';

export function json(status: number, value: unknown, headers: HeaderList = []): Reply {
  return { status, contentType: jsonType, body: JSON.stringify(value), headers };
}

/** JSON that was put together by hand. */
export function jsonText(body: string, headers: HeaderList): Reply {
  return { status: 200, contentType: jsonType, body, headers };
}

interface HttpErrorOptions {
  readonly headers?: HeaderList;
  /** The connection cannot be trusted, or is too dear, to carry another request. */
  readonly closesConnection?: boolean;
  /** Why, for the log: nothing that was sent. */
  readonly cause?: unknown;
}

/**
 * A failure the client is told about; anything else thrown is ours, and becomes a bare 500. The
 * message is the `detail` of the answer: constant, as Alertmanager copies it into its own log and
 * takes a changed text for a new failure.
 */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly reason: RefusalReason;
  readonly headers: HeaderList;
  readonly closesConnection: boolean;

  constructor(
    status: number,
    detail: string,
    options: HttpErrorOptions & { readonly reason: RefusalReason },
  ) {
    super(detail, { cause: options.cause });
    this.status = status;
    this.reason = options.reason;
    this.headers = options.headers ?? [];
    this.closesConnection = options.closesConnection ?? false;
  }
}

/** The client went away before it had sent its whole body: there is nobody to answer. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/** The reason behind anything a handler threw. */
export function reasonOf(error: unknown): RefusalReason {
  if (error instanceof HttpError) return error.reason;
  return error instanceof ClientGoneError ? 'aborted' : 'internal';
}
