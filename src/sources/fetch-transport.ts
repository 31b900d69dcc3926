import { fetchedBody } from '../lib/fetched-body.ts';

/** One request as it goes over the wire. */
export interface WireRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Ends the exchange at whatever stage it is, and closes its connection. */
  readonly signal: AbortSignal;
}

/** An answer whose body is still coming. Leaving the iteration early closes the connection. */
export interface WireAnswer {
  readonly status: number;
  readonly contentType: string;
  /** As announced, so before it is unpacked; null when the answer does not say. */
  readonly contentLength: number | null;
  /** The header as it came; null without it. */
  readonly retryAfter: string | null;
  readonly body: AsyncIterable<Uint8Array>;
}

export type Transport = (request: WireRequest) => Promise<WireAnswer>;

/** Node's own `fetch`. A redirect is an error: it could lead anywhere, with our credentials. */
export const fetchTransport: Transport = async ({ url, method, headers, body, signal }) => {
  const response = await fetch(url, { method, headers, body, signal, redirect: 'error' });
  const length = response.headers.get('content-length');
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    contentLength: length === null ? null : Number(length),
    retryAfter: response.headers.get('retry-after'),
    body: fetchedBody(response, signal),
  };
};
