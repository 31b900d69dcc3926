import { fetchedBody } from '../../lib/fetched-body.ts';

/** One request to a model's server. */
export interface ModelHttpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the exchange at whatever stage it is, and closes its connection. */
  readonly signal: AbortSignal;
}

/** An answer whose body is still coming. */
export interface ModelHttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array>;
}

/** A redirect is an error: it could lead anywhere, with all that is known of an alert. */
export async function fetchModel(request: ModelHttpRequest): Promise<ModelHttpAnswer> {
  const { url, headers, body, signal } = request;
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
  const { status, headers: heard } = response;
  return { status, headers: heard, body: fetchedBody(response, signal) };
}
