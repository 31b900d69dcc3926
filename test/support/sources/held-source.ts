import { createServer, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { listenLocally } from '../http/local-server.ts';

export interface HeldSource {
  readonly url: string;
  /** Makes all waiting requests fail, and all later ones. */
  readonly release: () => void;
}

/** A source of evidence that keeps every request waiting, so that analyses keep running. */
export async function startHeldSource(t: TestContext): Promise<HeldSource> {
  const held: ServerResponse[] = [];
  let isReleased = false;
  const server = createServer((_request, response) => {
    if (isReleased) response.writeHead(503).end();
    else held.push(response);
  });
  return {
    url: await listenLocally(t, server),
    release() {
      isReleased = true;
      for (const response of held) response.writeHead(503).end();
    },
  };
}
