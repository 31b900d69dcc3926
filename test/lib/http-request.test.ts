import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpsTransport } from '../../src/lib/http-request.ts';
import { startFakeSource, testAuthority } from '../support/sources/fake-source.ts';

test('createHttpsTransport() closes idle connections, and waits for slow answers', async (t) => {
  const connections = new Set<Socket>();
  const { url } = await startFakeSource(t, (response, { socket }) => {
    connections.add(socket);
    void sleep(200).then(() => response.end('fine'));
  }, { tls: true });
  const send = createHttpsTransport(testAuthority(), 50);
  const { signal } = new AbortController();
  for (let round = 0; round < 2; round++) {
    const answer = await send({ url, method: 'GET', headers: {}, body: null, signal });
    assert.equal(await text(answer.body), 'fine');
  }
  const [connection] = connections;
  assert.ok(connection);
  if (!connection.destroyed) {
    await once(connection, 'close', { signal: AbortSignal.timeout(2_000) });
  }
});
