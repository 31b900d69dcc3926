import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    release() {
      isReleased = true;
      for (const response of held) response.writeHead(503).end();
    },
  };
}
