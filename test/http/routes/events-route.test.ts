import assert from 'node:assert/strict';
import { test } from 'node:test';
import { route } from '../../../src/http/router.ts';
import { unreadBytesMax } from '../../../src/http/server/stream-output.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { absent, type LiveState, type LiveSubject } from '../../../src/report/live-state.ts';
import { listenTo } from '../../support/http/event-stream.ts';
import { startFront, type FrontOptions } from '../../support/http/http-front.ts';
import { RawClient } from '../../support/http/raw-http.ts';

const incidentId = '00c0ffee00c0ffee';

/** Reports of `abc`, of `own.json`, and of everything still to come; one incident; the list. */
function live(subject: LiveSubject): LiveState | null {
  const state = { ...absent, revision: JSON.stringify(subject) };
  if (subject.kind === 'incident') return subject.id === incidentId ? state : null;
  return subject.kind === 'list' || subject.episode === null || subject.episode < 3 ? state : null;
}

const front: FrontOptions = { reports: { live } };

const report = (fingerprint: string, episode: number | null = null): LiveSubject =>
  ({ kind: 'report', fingerprint, episode });

const heard: readonly [path: string, subject: LiveSubject][] = [
  ['/events', { kind: 'list' }],
  ['/report/abc/events', report('abc')],
  ['/report/own.json/events', report('own.json')],
  ['/report/events/events', report('events')],
  ['/report/a%2Fb%20%F0%9F%94%A5/events', report('a/b 🔥')],
  ['/report/abc/2/events', report('abc', 2)],
  [`/incident/${incidentId}/events`, { kind: 'incident', id: incidentId }],
];
for (const [path, subject] of heard) {
  test(`GET ${path} sends the current state of its subject, and goes on`, async (t) => {
    const { url, listeners } = await startFront(t, front);
    const stream = await listenTo(t, url + path);
    assert.equal(stream.status, 200);
    assert.equal(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.equal(stream.headers.get('cache-control'), 'no-store');
    assert.equal(stream.headers.get('x-accel-buffering'), 'no');
    assert.equal(stream.headers.get('content-length'), null);
    assert.equal((await stream.next())?.data['revision'], JSON.stringify(subject));
    assert.equal(listeners.size, 1);
  });
}

const nothing = [
  '/report/%ff/events', '/report//events', '/report/abc/3/events', '/report/abc/0/events',
  '/report/abc/2.json/events', `/report/${'x'.repeat(5000)}/events`, '/incident/abc/events',
  '/incident/00c0ffee00c0ffef/events', '/report/abc/events/events', '/events/',
];
for (const path of nothing) {
  test(`GET ${path.slice(0, 40)} is a 404 that tells nothing`, async (t) => {
    const { url } = await startFront(t, front);
    const response = await fetch(url + path);
    assert.equal(response.status, 404);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    await response.text();
  });
}

test('HEAD of events has the headers and leaves no listener behind', async (t) => {
  const { port, listeners } = await startFront(t, front);
  const client = await RawClient.connect(port, t);
  for (let turn = 0; turn < 2; turn++) {
    client.send('HEAD /events HTTP/1.1\r\nHost: a\r\n\r\n');
    const answer = await client.answer({ isHead: true });
    assert.equal(answer?.status, 200);
    assert.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  }
  assert.equal(listeners.size, 0);
});

test('events are subject to the limits and the login of pages', async (t) => {
  const access = { tokens: () => ['a-token-of-this-test'], logins: null };
  const { url } = await startFront(t, { ...front, readersPerClient: 2, readAccess: access });
  const refused = await fetch(`${url}/events`);
  assert.equal(refused.status, 401);
  const headers = { Authorization: 'Bearer a-token-of-this-test' };
  assert.equal((await listenTo(t, `${url}/events`, headers)).status, 200);
  assert.equal((await listenTo(t, `${url}/events`, headers)).status, 429);
});

test('events beyond the limits per client and in all are refused with Retry-After', async (t) => {
  const { url, listeners } = await startFront(t, {
    ...front, listeners: { perClient: 1, total: 2 }, trustedProxies: ['127.0.0.1'],
  });
  const from = (client: string): Record<string, string> => ({ 'X-Forwarded-For': client });
  const first = await listenTo(t, `${url}/events`, from('192.0.2.1'));
  const second = await listenTo(t, `${url}/events`, from('192.0.2.1'));
  assert.equal(second.status, 429);
  assert.equal(second.headers.get('retry-after'), '30');
  await listenTo(t, `${url}/events`, from('192.0.2.2'));
  assert.equal((await listenTo(t, `${url}/events`, from('192.0.2.3'))).status, 503);
  first.close();
  while (listeners.size > 1) await systemClock.sleep(5);
  assert.equal((await listenTo(t, `${url}/events`, from('192.0.2.1'))).status, 200);
});

test('pipelined events stay within the limits and leave no listener behind', async (t) => {
  const { port, listeners } = await startFront(t, {
    ...front, listeners: { perClient: 3, total: 3 },
  });
  const client = await RawClient.connect(port, t);
  client.send('GET /events HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(10));
  while (!client.received.includes('event: changed')) await systemClock.sleep(5);
  assert.equal(listeners.size, 1);
  client.socket.destroy();
  while (listeners.size > 0) await systemClock.sleep(5);
});

test('a browser that reconnects is told only what it missed', async (t) => {
  let revision = '1';
  const { url, listeners } = await startFront(t, {
    reports: { live: () => ({ ...absent, revision }) },
  });
  const back = await listenTo(t, `${url}/events`, { 'Last-Event-ID': '1' });
  revision = '2';
  listeners.changed();
  assert.equal((await back.next())?.id, '2');
  const late = await listenTo(t, `${url}/events`, { 'Last-Event-ID': '1' });
  assert.equal((await late.next())?.id, '2');
});

test('events are sent whole to a reader of HTTP/1.0, as most proxies are', async (t) => {
  const { port } = await startFront(t, front);
  const client = await RawClient.connect(port, t);
  client.send('GET /report/abc/events HTTP/1.0\r\n\r\n');
  while (!client.received.includes('event: changed')) await systemClock.sleep(5);
  assert.match(client.received, /^HTTP\/1\.1 200 OK\r\n/);
  assert.doesNotMatch(client.received, /chunked/i);
  assert.match(client.received, /\r\n\r\nretry: 2000\n\nevent: changed\nid: /);
});

test('a reader who falls too far behind is disconnected', async (t) => {
  let written = 0;
  let isOver = false;
  const flood = route('list', 'GET', '/flood', () => ({
    status: 200, contentType: 'text/event-stream', body: '', headers: [],
    stream(output) {
      output.onClose(() => (isOver = true));
      const more = async (): Promise<void> => {
        while (!isOver) {
          output.write(`${'x'.repeat(unreadBytesMax / 4)}\n`);
          written += unreadBytesMax / 4;
          await systemClock.sleep(0);
        }
        output.write('nobody hears this');
        output.end();
      };
      void more();
    },
  }));
  const { port } = await startFront(t, { extraRoutes: [flood] });
  const client = await RawClient.connect(port, t);
  client.socket.pause();
  client.send('GET /flood HTTP/1.1\r\nHost: a\r\n\r\n');
  while (!isOver) await systemClock.sleep(5);
  assert.ok(written < 64 * 1024 * 1024, `${written} bytes were taken for it`);
});

test('draining ends streams at once', async (t) => {
  const { url, server, listeners } = await startFront(t, front);
  const stream = await listenTo(t, `${url}/report/abc/events`);
  await stream.next();
  const before = performance.now();
  listeners.close();
  await server.drain({ graceMs: 0, timeoutMs: 10_000 });
  assert.ok(performance.now() - before < 5_000);
  assert.equal(await stream.next(), null);
});
