/**
 * The body of an answer to `fetch`, in pieces. Aborting `signal` ends it, with the signal's reason,
 * and closes the connection, and so does leaving the iteration early.
 *
 * Once a body is coming, `fetch` cannot be relied upon for that: Node 20 and 22 forget at the next
 * garbage collection which signal it follows (github.com/nodejs/node/issues/55428), and a server
 * that drips would be listened to for ever.
 */
export function fetchedBody({ body }: Response, signal: AbortSignal): AsyncIterable<Uint8Array> {
  if (body === null) return noPieces();
  const reader: Reader = body.getReader();
  // Rejects for a body that is broken already; whoever reads hears of that.
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
      // A body that is cancelled ends as a whole one does.
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
