import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { test } from 'node:test';
import { streamOutput } from '../../../src/http/server/stream-output.ts';
import { listenLocally } from '../../support/http/local-server.ts';

test('streamOutput().onClose() calls back at once when the reader has already gone', async (t) => {
  let closed = 0;
  const server = createServer((_request, response) => {
    response.destroy();
    response.once('close', () => streamOutput(response).onClose(() => (closed += 1)));
  });
  const answer = get(await listenLocally(t, server));
  await once(answer, 'error');
  assert.equal(closed, 1);
});
