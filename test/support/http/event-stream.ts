import type { TestContext } from 'node:test';

export interface StreamedEvent {
  readonly event: string;
  readonly id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An answer of Server-Sent Events that is read as it comes. */
export interface EventStream {
  readonly status: number;
  readonly headers: Headers;
  /** All that came so far, as it came. */
  readonly text: () => string;
  /** The next event; null when the answer ended before it. */
  readonly next: () => Promise<StreamedEvent | null>;
  /** The first event from here for which `wanted` holds. */
  readonly until: (wanted: (event: StreamedEvent) => boolean) => Promise<StreamedEvent>;
  readonly close: () => void;
}

export async function listenTo(
  t: TestContext,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventStream> {
  const closed = new AbortController();
  t.after(() => closed.abort());
  const response = await fetch(url, {
    headers: { Accept: 'text/event-stream', ...headers }, signal: closed.signal,
  });
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = '';
  let read = 0;
  const next = async (): Promise<StreamedEvent | null> => {
    for (;;) {
      const end = text.indexOf('\n\n', read);
      if (end === -1) {
        const chunk = await reader?.read().catch(() => undefined);
        if (chunk === undefined || chunk.done) return null;
        text += decoder.decode(chunk.value, { stream: true });
        continue;
      }
      const event = eventIn(text.slice(read, end));
      read = end + 2;
      if (event !== null) return event;
    }
  };
  return {
    status: response.status,
    headers: response.headers,
    text: () => text,
    next,
    async until(wanted) {
      for (;;) {
        const event = await next();
        if (event === null) throw new Error(`The answer ended after: ${text}`);
        if (wanted(event)) return event;
      }
    },
    close: () => closed.abort(),
  };
}

/** Null for a block without data: a comment, or the time to wait. */
function eventIn(block: string): StreamedEvent | null {
  const fields = new Map(block.split('\n').map((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  }));
  const data = fields.get('data');
  if (data === undefined) return null;
  return {
    event: fields.get('event') ?? 'message',
    id: fields.get('id') ?? null,
    data: JSON.parse(data) as Record<string, unknown>,
  };
}
