/** Hundreds of slow clients are disconnected, and do not delay others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAttackedService } from '../support/http/attacked-service.ts';
import { RawClient } from '../support/http/raw-http.ts';

const post = 'POST /webhook HTTP/1.1\r\nHost: a\r\n';
const headersMs = 5000;
/** Allows for the server's check interval and a busy machine. */
const graceMs = 10_000;
const each = 60;

test('hundreds of slow and silent clients are disconnected without delaying others', async (t) => {
  const service = await startAttackedService(t);
  const startedAt = performance.now();
  const clients = await Promise.all(Array.from({ length: each * 3 }, () =>
    RawClient.connect(service.port, t)));
  const dripping = clients.slice(0, each);
  const silent = clients.slice(each, each * 2);
  const halfOpen = clients.slice(each * 2);
  for (const client of dripping) client.send(post);
  for (const client of halfOpen) {
    client.send(`${post}Content-Length: 100\r\n\r\n{"alerts":`);
    client.socket.end();
  }
  // A byte now and then does not help: the limit is for the whole head.
  const drips = setInterval(() => {
    for (const { socket } of dripping) if (socket.writable) socket.write('X');
  }, 500);
  t.after(() => clearInterval(drips));
  const firstClosed = await Promise.race([
    Promise.all(halfOpen.map(({ closed }) => closed)).then(() => 'half-open'),
    ...silent.map(({ closed }) => closed.then(() => 'silent')),
  ]);
  assert.equal(firstClosed, 'half-open', 'a body that ended early is not waited for');
  for (let round = 0; round < 5; round += 1) {
    const askedAt = performance.now();
    assert.equal((await service.postBody('{"alerts":[]}')).status, 200);
    assert.ok(performance.now() - askedAt < graceMs, 'others are delayed');
  }
  for (const client of [...dripping, ...silent]) {
    const answer = await client.answer();
    assert.ok(answer === null || answer.status === 408, `${answer?.status}`);
    await client.closed;
  }
  const ms = performance.now() - startedAt;
  assert.ok(ms >= headersMs - 500 && ms < headersMs + graceMs, `closed after ${Math.round(ms)} ms`);
  await service.assertUnharmed();
});

test('a body in endless chunks of one byte is refused at the limit', async (t) => {
  const service = await startAttackedService(t, { BODY_LIMIT_BYTES: '2000' });
  const client = await RawClient.connect(service.port, t);
  client.send(`${post}Transfer-Encoding: chunked\r\n\r\n`);
  for (let sent = 0; sent < 40 && client.socket.writable; sent += 1) {
    client.send('1\r\n \r\n'.repeat(100));
    await new Promise(setImmediate);
  }
  assert.equal((await client.answer())?.status, 413);
  await client.closed;
  await service.assertUnharmed();
});

test('floods of header fields and of trailers are refused', async (t) => {
  const service = await startAttackedService(t);
  const flood = (count: number): string =>
    Array.from({ length: count }, (_, index) => `X-${index}: a\r\n`).join('');
  const floods: readonly (readonly [bytes: string, statuses: readonly number[]])[] = [
    [`${post}${flood(65)}Content-Length: 0\r\n\r\n`, [431]],
    [`${post}${flood(3000)}Content-Length: 0\r\n\r\n`, [431]],
    [`${post}${flood(1e5)}`, [431]],
    [`${post}X: ${'a'.repeat(1e6)}`, [431]],
    [`${post}${'X: a\r\n'.repeat(64)}Content-Length: 0\r\n\r\n`, [431]],
    [`${post}Cookie: ${'a=b; '.repeat(5000)}\r\n\r\n`, [431]],
    [`${post}Transfer-Encoding: chunked\r\n\r\n0\r\n${flood(1e5)}`, [400, 413, 431]],
  ];
  for (const [bytes, statuses] of floods) {
    const answer = await service.send(bytes);
    const status = answer?.status ?? 0;
    assert.ok(answer === null || statuses.includes(status), `${bytes.slice(0, 80)}: ${status}`);
  }
  const manyAnswers = await service.exhaust(`GET /health HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(2000));
  assert.deepEqual(manyAnswers, []);
  await service.assertUnharmed();
});
