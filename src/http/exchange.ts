import type { IncomingHttpHeaders } from 'node:http';

export type Method = 'GET' | 'POST' | 'PUT';

/** Alternating names and values: Node writes such a list without building an object first. */
export type HeaderList = readonly string[];

/** A request as handlers see it. The body is read on demand, so a route can refuse it unread. */
export interface Exchange {
  readonly method: string;
  /** As sent, without the query; never decoded as a whole. */
  readonly path: string;
  /** As sent, without the `?`; empty if there is none. */
  readonly query: string;
  /** Decoded path segments; empty if the segment is empty or has malformed percent escapes. */
  readonly params: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** With repeated fields, which `headers` merges or drops. */
  readonly rawHeaders: HeaderList;
  /** The client as rate limits count it: an IPv4 address or an IPv6 /64. */
  readonly client: string;
  readonly requestId: string;
  /** What the `Expect` header asks for; `unknown` for anything but `100-continue`. */
  readonly expects: 'nothing' | 'continue' | 'unknown';
  /** Rejects with HttpError 413 or 503, or with ClientGoneError. */
  readBody(limitBytes: number): Promise<Buffer>;
}

/** A handler's answer. A plain value, so tests can call handlers without a socket. */
export interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly headers: HeaderList;
  /** Streams the body instead of sending `body`. */
  readonly stream?: (output: StreamOutput) => void;
}

/** A streamed answer: goes on until it is ended or its reader goes away or falls too far behind. */
export interface StreamOutput {
  /** Does nothing once the answer is over. Disconnects a reader who leaves too much unread. */
  write(text: string): void;
  end(): void;
  /** Calls back once, however the answer ends; at once if it is over. */
  onClose(callback: () => void): void;
}

export type Handler = (exchange: Exchange) => Reply | Promise<Reply>;

/** For answers that change at any time or are meant for one reader only. */
export const uncached: HeaderList = ['Cache-Control', 'no-store'];

const jsonType = 'application/json; charset=utf-8';

export function json(status: number, value: unknown, headers: HeaderList = []): Reply {
  return { status, contentType: jsonType, body: JSON.stringify(value), headers };
}

/** For JSON that was serialised by hand. */
export function jsonText(body: string, headers: HeaderList): Reply {
  return { status: 200, contentType: jsonType, body, headers };
}
