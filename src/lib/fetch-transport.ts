import { fetchedBody } from './fetched-body.ts';
import { RefusedAnswer, type Transport } from './http-request.ts';

type Dispatcher = NonNullable<RequestInit['dispatcher']>;

/**
 * Node's own `fetch`. A redirect is an error: it could take our credentials anywhere. Once it has
 * answered or failed, nothing in it is aborted any more: whoever reads the body closes it.
 */
export const fetchTransport: Transport = async (request) => {
  const { url, method, headers, body: content, signal } = request;
  const pending = new AbortController();
  const abort = (): void => pending.abort(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const dispatcher = await strictDispatcher();
    const response = await fetch(url, {
      method, headers, body: content, redirect: 'manual', signal: pending.signal,
      ...(dispatcher !== null && { dispatcher }),
    });
    const { status } = response;
    if (status >= 300 && status < 400 && response.headers.has('location')) {
      await response.body?.cancel().catch(() => {}); // It has broken off already.
      throw new RefusedAnswer('ERR_REDIRECT');
    }
    const body = fetchedBody(response, signal);
    return { status, headers: Object.fromEntries(response.headers), body };
  } finally {
    signal.removeEventListener('abort', abort);
  }
};

/** Where Node keeps the dispatcher of `fetch`, by its documentation ("Custom dispatcher"). */
const globalDispatcher = Symbol.for('undici.globalDispatcher.1');

let strict: Dispatcher | null | undefined;

/**
 * Refuses an answer with several content encodings before `fetch` sees it. On Node 20 the `fetch`
 * inside rejects more than five, but keeps a stream that nobody can listen to, and that ends the
 * thread by its next error. Null where `fetch` has no such stream.
 */
async function strictDispatcher(): Promise<Dispatcher | null> {
  if (strict !== undefined) return strict;
  if (Number.parseInt(process.versions['undici'] ?? '', 10) > 6) return (strict = null);
  await fetch('data:,'); // The dispatcher is there once `fetch` was used.
  const own = (globalThis as Record<symbol, unknown>)[globalDispatcher] as Dispatcher | undefined;
  return (strict = own === undefined ? null : strictly(own));
}

function strictly(own: Dispatcher): Dispatcher {
  const dispatch: Dispatcher['dispatch'] = (options, handler) => {
    let abort = (_error: Error): void => {};
    const checked = Object.create(handler, {
      onConnect: {
        value: (cancel: (error?: Error) => void) => {
          abort = cancel;
          handler.onConnect?.(cancel);
        },
      },
      onHeaders: {
        value: (...answer: Parameters<NonNullable<typeof handler.onHeaders>>) => {
          if (encodingsIn(answer[1]) <= 1) return handler.onHeaders?.(...answer) ?? true;
          abort(new RefusedAnswer('ERR_CONTENT_ENCODING'));
          return false;
        },
      },
    }) as typeof handler;
    return own.dispatch(options, checked);
  };
  return Object.create(own, { dispatch: { value: dispatch } }) as Dispatcher;
}

/** Names and values take turns. */
function encodingsIn(rawHeaders: readonly Buffer[]): number {
  const values = rawHeaders.filter((_, index) =>
    index % 2 === 1 && rawHeaders[index - 1]?.toString().toLowerCase() === 'content-encoding');
  return values.flatMap((value) => value.toString().split(',')).length;
}
