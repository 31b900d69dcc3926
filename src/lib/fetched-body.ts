/**
 * The body of a `fetch` response, in pieces. Aborting `signal` makes the iteration throw the
 * signal's reason and closes the connection; so does leaving the iteration early.
 *
 * `fetch` itself cannot be relied on for that: once the body is arriving, Node 20 and 22 lose the
 * signal at the next garbage collection (github.com/nodejs/node/issues/55428), and we would go on
 * reading from a server that drips for ever.
 */
export function fetchedBody({ body }: Response, signal: AbortSignal): AsyncIterable<Uint8Array> {
  if (body === null) return noPieces();
  const reader: Reader = body.getReader();
  // Rejects if the body has already failed; the reader gets that error.
  const cancel = (): void => void reader.cancel(signal.reason).catch(() => {});
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  return pieces(reader, { signal, cancel });
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function* pieces(
  reader: Reader,
  { signal, cancel }: { readonly signal: AbortSignal; readonly cancel: () => void },
): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // A cancelled body ends like a complete one.
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

async function* noPieces(): AsyncGenerator<Uint8Array> {}
