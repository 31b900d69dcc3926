import { fetchedBody } from '../lib/fetched-body.ts';

/** One request as it goes over the wire. */
export interface WireRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Aborts the exchange at any stage and closes its connection. */
  readonly signal: AbortSignal;
}

/** An answer whose body is still arriving. Leaving the iteration early closes the connection. */
export interface WireAnswer {
  readonly status: number;
  readonly contentType: string;
  /** From the header, so before decompression; null without it. */
  readonly contentLength: number | null;
  /** The raw header; null without it. */
  readonly retryAfter: string | null;
  readonly body: AsyncIterable<Uint8Array>;
}

export type Transport = (request: WireRequest) => Promise<WireAnswer>;

/** Node's own `fetch`. A redirect is an error: it could take our credentials anywhere. */
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
