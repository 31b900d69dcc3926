import { fetchedBody } from '../../lib/fetched-body.ts';

/** An answer whose body is still being received. */
export interface ModelHttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Posts to a model's server. The signal cancels the exchange at any stage and closes its
 * connection. Rejects on a redirect: following it could send the alert's data anywhere.
 */
export async function fetchModel(
  url: string,
  request: { readonly headers: Record<string, string>; readonly body: string },
  signal: AbortSignal,
): Promise<ModelHttpAnswer> {
  const response = await fetch(url, { method: 'POST', ...request, signal, redirect: 'error' });
  const { status, headers } = response;
  return { status, headers, body: fetchedBody(response, signal) };
}
