import type { TestContext } from 'node:test';

export interface StreamedEvent {
  readonly event: string;
  readonly id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A response of Server-Sent Events, read as it arrives. */
export interface EventStream {
  readonly status: number;
  readonly headers: Headers;
  /** Everything read so far, unparsed. */
  readonly text: () => string;
  /** The next event; null if the response ends before it. */
  readonly next: () => Promise<StreamedEvent | null>;
  /** The next event for which `wanted` holds; others are skipped. */
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
        if (event === null) throw new Error(`The response ended after: ${text}`);
        if (wanted(event)) return event;
      }
    },
    close: () => closed.abort(),
  };
}

/** Null for a block without data, such as a comment or `retry`. */
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
