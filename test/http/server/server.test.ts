import assert from 'node:assert/strict';
import { Server as NetServer } from 'node:net';
import { test } from 'node:test';
import { json, type Reply } from '../../../src/http/exchange.ts';
import { route, type Route, type RouteName } from '../../../src/http/router.ts';
import { connectionsFor } from '../../../src/http/server/server.ts';
import { acceptAll, post, sampleBody, startFront } from '../../support/http/http-front.ts';
import { RawClient } from '../../support/http/raw-http.ts';

const getHealth = 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n';

const paths: readonly [method: string, path: string, status: number, allow: string | null][] = [
  ['GET', '/health', 200, null],
  ['HEAD', '/health', 200, null],
  ['HEAD', '/', 200, null],
  ['GET', '/health?x=/report/a', 200, null],
  ['GET', '/health/', 404, null],
  ['GET', '//health', 404, null],
  ['GET', '/Health', 404, null],
  ['GET', '/%68ealth', 404, null],
  ['GET', '/report', 404, null],
  ['GET', '/report/a/1/x', 404, null],
  ['GET', '/favicon.ico', 404, null],
  ['OPTIONS', '/nowhere', 404, null],
  ['POST', '/health', 405, 'GET, HEAD'],
  ['PUT', '/metrics', 405, 'GET, HEAD'],
  ['DELETE', '/report/abc', 405, 'GET, HEAD'],
  ['OPTIONS', '/webhook', 405, 'POST, PUT'],
  ['HEAD', '/webhook/', 405, 'POST, PUT'],
  ['PATCH', '/', 405, 'GET, HEAD'],
];
for (const [method, path, status, allow] of paths) {
  test(`${method} ${path} is answered ${status}`, async (t) => {
    const front = await startFront(t);
    const response = await fetch(`${front.url}${path}`, { method, redirect: 'manual' });
    assert.equal(response.status, status);
    assert.equal(response.headers.get('allow'), allow);
    assert.match(response.headers.get('x-request-id') ?? '', /^request-[0-9a-z]+$/);
    const text = await response.text();
    if (method === 'HEAD') assert.equal(text, '');
    else if (status === 404) assert.equal(text, '{"detail":"Not found"}');
    else if (status === 405) assert.equal(text, '{"detail":"Method not allowed"}');
    const counted = status === 404 ? null : path.replace('?x=/report/a', '').split('/')[1];
    assert.equal(front.done[0]?.route, counted === '' ? 'list' : counted);
    assert.equal(front.done[0]?.status, status);
  });
}

test('HttpServer reports the route name of every answer', async (t) => {
  const front = await startFront(t);
  const addresses: readonly (readonly [path: string, name: RouteName])[] = [
    ['/', 'list'], ['/reports.json?q=a', 'list'], ['/incident/a', 'incident'],
    ['/report/a', 'report'], ['/report/a/1', 'report'], ['/report/a/1/recording', 'report'],
    ['/events', 'events'], ['/incident/a/events', 'events'],
    ['/report/a/events', 'events'], ['/report/a/1/events', 'events'],
  ];
  for (const [path] of addresses) await (await fetch(`${front.url}${path}`)).text();
  assert.deepEqual(front.done.map(({ route: name }) => name), addresses.map(([, name]) => name));
});

test('HttpServer answers HEAD with the header of GET and nothing after it', async (t) => {
  const client = await RawClient.connect((await startFront(t)).port, t);
  client.send(getHealth);
  const length = (await client.answer())?.headers.get('content-length');
  client.send(getHealth.replace('GET', 'HEAD') + getHealth);
  const head = await client.answer({ isHead: true });
  assert.equal(head?.headers.get('content-length'), length);
  assert.equal((await client.answer())?.status, 200);
});

test('HttpServer takes no request id from outside', async (t) => {
  const front = await startFront(t);
  const { headers } = await fetch(`${front.url}/health`, { headers: { 'x-request-id': 'mine' } });
  assert.equal(headers.get('x-request-id'), 'request-1');
});

test('HttpServer answers a bare 500 when a reply cannot be sent', async (t) => {
  const routes: Route[] = [
    route('list', 'GET', '/broken', () => {
      return { ...json(200, {}), headers: ['X-Bad', 'line\nbreak'] };
    }),
    route('list', 'GET', '/throws', (): Reply => {
      throw new TypeError('secret');
    }),
  ];
  const front = await startFront(t, { extraRoutes: routes });
  const thrown = await fetch(`${front.url}/throws`);
  assert.equal(thrown.status, 500);
  assert.equal(await thrown.text(), '{"detail":"Internal server error"}');
  await assert.rejects(fetch(`${front.url}/broken`));
  assert.deepEqual(front.logged.map(({ message }) => message), [
    'Cannot answer a request', 'Cannot send an answer',
  ]);
  assert.equal((await fetch(`${front.url}/health`)).status, 200);
});

test('HttpServer completes a notification whose sender hung up', async (t) => {
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  let reached: () => void = () => {};
  const accepting = new Promise<void>((resolve) => (reached = resolve));
  const front = await startFront(t, {
    accept: async (received) => {
      reached();
      await finished;
      return acceptAll(received);
    },
  });
  const client = await RawClient.connect(front.port, t);
  const head = `POST /webhook HTTP/1.1\r\nHost: a\r\nContent-Length: ${sampleBody.length}`;
  client.send(`${head}\r\n\r\n${sampleBody}`);
  await accepting;
  client.socket.destroy();
  await client.closed;
  finish();
  while (front.webhooks.length === 0) await new Promise(setImmediate);
  assert.deepEqual(front.webhooks, [{ code: 200, reason: null }]);
  assert.equal((await fetch(`${front.url}/health`)).status, 200);
});

test('HttpServer drops half a notification and counts it as aborted', async (t) => {
  const front = await startFront(t);
  const client = await RawClient.connect(front.port, t);
  client.send('POST /webhook HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"alerts":[');
  client.socket.end();
  while (front.webhooks.length === 0) await new Promise(setImmediate);
  assert.deepEqual(front.webhooks, [{ code: 499, reason: 'aborted' }]);
  assert.equal(front.received.length, 0);
});

const quick = { checkIntervalMs: 20, headersTimeoutMs: 100, requestTimeoutMs: 100 };
const halfABody = 'POST /webhook HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{';
const byAlertmanager = halfABody.replace('Host: a', 'Host: a\r\nUser-Agent: Alertmanager/0.33.1');
const slow: readonly [string, string, number][] = [
  ['a silent connection', '', 408],
  ['half a header', 'GET /health HTTP/1.1\r\nHost: a\r\n', 408],
  ['half a body', halfABody, 408],
  ['half a body of Alertmanager, which never repeats a 408,', byAlertmanager, 503],
];
for (const [name, sent, status] of slow) {
  test(`HttpServer ends ${name} with ${status}`, async (t) => {
    const client = await RawClient.connect((await startFront(t, { limits: quick })).port, t);
    client.send(sent);
    const answer = await client.answer();
    assert.equal(answer?.status, status);
    assert.equal(answer.body, '{"detail":"Request timeout"}');
    await client.closed;
  });
}

test('HttpServer ends half a request after an answered one with 408', async (t) => {
  const client = await RawClient.connect((await startFront(t, { limits: quick })).port, t);
  client.send(getHealth);
  assert.equal((await client.answer())?.status, 200);
  client.send('GET /health HTTP/1.1\r\nHost: a\r\n');
  assert.equal((await client.answer())?.status, 408);
  await client.closed;
});

test('HttpServer accepts what arrived in time while the process was suspended', async (t) => {
  const front = await startFront(t, { limits: quick });
  const client = await RawClient.connect(front.port, t);
  const half = Math.floor(sampleBody.length / 2);
  const head = `POST /webhook HTTP/1.1\r\nHost: a\r\nContent-Length: ${sampleBody.length}\r\n\r\n`;
  client.send(head + sampleBody.slice(0, half));
  const other = await RawClient.connect(front.port, t);
  other.send(getHealth);
  await other.answer(); // The server has read what came before it.
  client.send(sampleBody.slice(half));
  const stoodStillAt = performance.now();
  while (performance.now() - stoodStillAt < 3 * quick.requestTimeoutMs);
  assert.equal((await client.answer())?.status, 200);
  client.send('GARBAGE\r\n\r\n');
  assert.equal((await client.answer())?.status, 400, 'errors that come later are answered');
});

test('HttpServer keeps an idle connection longer than a header may take', async (t) => {
  const client = await RawClient.connect((await startFront(t, { limits: quick })).port, t);
  client.send(getHealth);
  assert.equal((await client.answer())?.headers.get('keep-alive'), 'timeout=310, max=10000');
  await new Promise((resolve) => setTimeout(resolve, 300));
  client.send(getHealth);
  assert.equal((await client.answer())?.status, 200);
});

test('HttpServer cuts a client that never reads its answers', async (t) => {
  const long = route('list', 'GET', '/long', () => json(200, 'x'.repeat(5e7)));
  const front = await startFront(t, { extraRoutes: [long], limits: { stallTimeoutMs: 100 } });
  const client = await RawClient.connect(front.port, t);
  client.socket.pause();
  client.send('GET /long HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2));
  while (front.done.length === 0) await new Promise(setImmediate);
  const startedAt = performance.now();
  await front.server.drain({ graceMs: 0, timeoutMs: 10_000 });
  assert.ok(performance.now() - startedAt < 9000, 'only the end of the drain cut it');
});

test('connectionsFor() leaves as many files for other use', () => {
  assert.deepEqual([256, 1024, 4096, null].map(connectionsFor), [128, 512, 1024, 1024]);
});

test('HttpServer makes room for a new client when idle connections fill it', async (t) => {
  const front = await startFront(t, { limits: { connectionsMax: 4 } });
  for (let index = 0; index < 12; index += 1) {
    const client = await RawClient.connect(front.port, t);
    client.send(getHealth);
    assert.equal((await client.answer())?.status, 200, `client ${index}`);
  }
});

test('HttpServer evicts a client that does not read, although a request of it waits', async (t) => {
  const long = route('list', 'GET', '/long', () => json(200, 'x'.repeat(5e7)));
  const front = await startFront(t, { extraRoutes: [long], limits: { connectionsMax: 4 } });
  const silent = await RawClient.connect(front.port, t);
  silent.socket.pause();
  silent.send('GET /long HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2));
  while (front.done.length === 0) await new Promise(setImmediate);
  const reader = await RawClient.connect(front.port, t);
  for (const client of [reader, await RawClient.connect(front.port, t)]) {
    client.send(getHealth);
    assert.equal((await client.answer())?.status, 200);
  }
  await RawClient.connect(front.port, t);
  while (front.cuts() === 0) await new Promise(setImmediate);
  reader.send(getHealth);
  assert.equal((await reader.answer())?.status, 200);
});

test('HttpServer.drain() answers who had connected, but waits for no silent ones', async (t) => {
  const longer = { headersTimeoutMs: 60_000, requestTimeoutMs: 60_000 };
  const front = await startFront(t, { limits: longer });
  const [late, silent] = [
    await RawClient.connect(front.port, t), await RawClient.connect(front.port, t),
  ];
  const seen = await RawClient.connect(front.port, t); // Connections are accepted in their order.
  seen.send(getHealth);
  await seen.answer();
  const drained = front.server.drain({ graceMs: 0, timeoutMs: 60_000 });
  await seen.closed;
  late.send(getHealth);
  const answer = await late.answer();
  assert.deepEqual([answer?.status, answer?.headers.get('connection')], [200, 'close']);
  await Promise.all([drained, silent.closed]);
});

for (const [who, first] of [
  ['send nothing', ''],
  ['send half a header', 'POST /webhook HTTP/1.1\r\nHost: a\r\n'],
  ['send half a body', 'POST /webhook HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{'],
] as const) {
  test(`HttpServer makes room for a new client when those who ${who} fill it`, async (t) => {
    const front = await startFront(t, { limits: { connectionsMax: 4 } });
    for (let index = 0; index < 12; index += 1) {
      (await RawClient.connect(front.port, t)).send(first);
    }
    const client = await RawClient.connect(front.port, t);
    client.send(getHealth);
    assert.equal((await client.answer())?.status, 200);
  });
}

test('HttpServer evicts the largest body when all together take too much', async (t) => {
  const front = await startFront(t, { bodiesBytesMax: 100_000 });
  const dawdler = await RawClient.connect(front.port, t);
  dawdler.send('POST /webhook HTTP/1.1\r\nHost: a\r\nContent-Length: 110000\r\n\r\n');
  dawdler.send(' '.repeat(99_999));
  const other = await RawClient.connect(front.port, t);
  other.send('POST /webhook HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n');
  other.send(' '.repeat(99));
  const refused = await dawdler.answer();
  assert.equal(refused?.status, 503);
  assert.equal(refused.body, '{"detail":"Too many large requests at once"}');
  assert.match(JSON.stringify(front.logged), /"why":"All request bodies together take too/);
  assert.equal((await post(front.url)).status, 200);
});

test('HttpServer counts a body until its alerts are stored', async (t) => {
  let store: () => void = () => {};
  const stored = new Promise<void>((resolve) => (store = resolve));
  const front = await startFront(t, {
    bodiesBytesMax: 150_000,
    accept: async (received) => {
      await stored;
      return acceptAll(received);
    },
  });
  const large = JSON.stringify({ alerts: [], padding: ' '.repeat(100_000) });
  const posted = (): Promise<Response> => fetch(`${front.url}/webhook`, {
    method: 'POST', body: large,
  });
  const first = posted();
  while (front.received.length === 0) await new Promise(setImmediate);
  const second = await posted();
  assert.equal(second.status, 503);
  assert.deepEqual(await second.json(), { detail: 'Too many large requests at once' });
  store();
  assert.equal((await first).status, 200);
  assert.equal((await posted()).status, 200);
});

test('HttpServer.drain() finishes requests under way and closes connections', async (t) => {
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const front = await startFront(t, {
    accept: async (received) => {
      await finished;
      return acceptAll(received);
    },
  });
  const idle = await RawClient.connect(front.port, t);
  idle.send(getHealth);
  assert.equal((await idle.answer())?.headers.get('connection'), 'keep-alive');
  const inFlight = post(front.url);
  while (front.received.length === 0) await new Promise(setImmediate);
  const drained = front.server.drain({ graceMs: 1_000, timeoutMs: 60_000 });
  const late = await RawClient.connect(front.port, t);
  late.send(getHealth);
  assert.equal((await late.answer())?.headers.get('connection'), 'close');
  await Promise.all([late.closed, idle.closed]);
  finish();
  const response = await inFlight;
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('connection'), 'close');
  await drained;
  await assert.rejects(fetch(`${front.url}/health`));
});

test('HttpServer.drain() cuts what takes too long', async (t) => {
  const front = await startFront(t, { accept: () => new Promise(() => {}) });
  const cut = assert.rejects(post(front.url));
  while (front.received.length === 0) await new Promise(setImmediate);
  await front.server.drain({ graceMs: 0, timeoutMs: 50 });
  await cut;
});

test('HttpServer survives errors of accept, and logs them once', async (t) => {
  const listening = t.mock.method(NetServer.prototype, 'listen');
  const front = await startFront(t);
  const server = listening.mock.calls[0]?.this as NetServer;
  for (const code of ['ENOBUFS', 'EMFILE']) {
    server.emit('error', Object.assign(new Error(`accept ${code}`), { code }));
  }
  assert.equal((await post(front.url)).status, 200);
  const told = front.logged.filter(({ message }) => message === 'Cannot accept a connection');
  assert.equal(told.length, 1);
});
