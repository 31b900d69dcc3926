import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { startFront } from '../../support/http/http-front.ts';
import { RawClient } from '../../support/http/raw-http.ts';

function pair(name: string) {
  const read = (ending: string): Buffer =>
    readFileSync(join(process.cwd(), `test/fixtures/tls/${name}.${ending}`));
  return { cert: read('pem'), key: read('key') };
}

/** The name on the certificate that a new connection is shown. */
function certificateName(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

test('HttpServer takes a new certificate and keeps the old one on errors', async (t) => {
  const front = await startFront(t, { tls: pair('first') });
  assert.equal(await certificateName(front.port), 'first.test');
  const mixed = { cert: pair('second').cert, key: pair('first').key };
  assert.throws(() => front.server.reloadTls(mixed));
  assert.throws(() => front.server.reloadTls({ cert: 'no certificate', key: '' }));
  assert.equal(await certificateName(front.port), 'first.test');
  front.server.reloadTls(pair('second'));
  assert.equal(await certificateName(front.port), 'second.test');
});

test('HttpServer survives plain HTTP on its TLS port, and logs it for debugging', async (t) => {
  const front = await startFront(t, { tls: pair('first') });
  const client = await RawClient.connect(front.port, t);
  client.send('GET /health HTTP/1.1\r\nHost: a\r\n\r\n');
  await client.closed;
  assert.equal(await certificateName(front.port), 'first.test');
  assert.deepEqual(front.logged.filter(({ message }) => message === 'Refused a connection'), [
    { level: 'debug', message: 'Refused a connection', fields: { code: 'ERR_SSL_HTTP_REQUEST' } },
  ]);
});

test('HttpServer makes room for a TLS client when silent connections fill it', async (t) => {
  const front = await startFront(t, { tls: pair('first'), limits: { connectionsMax: 20 } });
  const silent = await Promise.all(Array.from({ length: 25 }, () =>
    RawClient.connect(front.port, t)));
  assert.equal(await certificateName(front.port), 'first.test');
  assert.ok(front.cuts() > 0 && front.server.connections <= 20);
  for (const { socket } of silent.slice(-2)) assert.ok(!socket.destroyed, 'the newest stay');
});

test('HttpServer.drain() waits for no TLS handshake that takes long', async (t) => {
  const longer = { headersTimeoutMs: 60_000, requestTimeoutMs: 60_000 };
  const front = await startFront(t, { limits: longer, tls: pair('first') });
  const silent = await RawClient.connect(front.port, t);
  while (front.server.connections === 0) await new Promise(setImmediate);
  const startedAt = performance.now();
  await front.server.drain({ graceMs: 0, timeoutMs: 60_000 });
  assert.ok(performance.now() - startedAt < 30_000);
  await silent.closed;
});
