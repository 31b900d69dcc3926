import { fetchedBody } from '../../lib/fetched-body.ts';

/** One request to a model's server. */
interface ModelHttpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Cancels the exchange at any stage and closes its connection. */
  readonly signal: AbortSignal;
}

/** An answer whose body is still being received. */
export interface ModelHttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Rejects on a redirect: following it could send the alert's data anywhere. */
export async function fetchModel(request: ModelHttpRequest): Promise<ModelHttpAnswer> {
  const { url, headers, body, signal } = request;
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
  const { status, headers: heard } = response;
  return { status, headers: heard, body: fetchedBody(response, signal) };
}
