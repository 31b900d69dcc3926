import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json } from '../../../src/http/exchange.ts';
import { route } from '../../../src/http/router.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { startFront } from '../../support/http/http-front.ts';
import { RawClient } from '../../support/http/raw-http.ts';

interface Attack {
  readonly name: string;
  readonly bytes: string;
  /** Every acceptable status; the connection must close after it. */
  readonly status: readonly number[];
}

const get = (line: string, ...fields: readonly string[]): string =>
  [line, ...fields, '', ''].join('\r\n');
const postWith = (...fields: readonly string[]): string =>
  get('POST /webhook HTTP/1.1', 'Host: a', ...fields);
const hosts = ['a/b', 'user@a', 'a,b', 'a b', '', 'a:b', 'a:1:2', '[::1', 'a#', 'a?b', '\xe9'];
const lengths = ['1, 1', '+2', '0x2', '-1', '99999999999999999999999', '2 2', '', '2,3', '2;', ' '];
const codings = ['xchunked', 'identity', 'chunked, identity', 'chunked, chunked', '\x0bchunked',
  'gzip, chunked', 'gzip', '', '"chunked"', 'chunked;q=1'];
const chunks = ['0x2\r\n{}', '-2\r\n{}', '1_0\r\n{}', 'fffffffffffffffffff\r\n', '2\n{}\n0\n\n',
  '2\r\n{}x\r\n', 'g\r\n', ' 2\r\n{}', `2;${'x'.repeat(20_000)}\r\n{}`];
const fields = ['X: a\r\n folded', ' X: a', 'X : a', 'X: a\rb', 'X: a\nY: b', 'X: a\x00b',
  'X: a\x01b', 'no colon', ': no name', 'X\x7f: a', '(X): a', 'X\xe9: a'];

const attacks: readonly Attack[] = [
  ...hosts.map((host) => ({
    name: `Host "${host}"`, bytes: get('GET /health HTTP/1.1', `Host: ${host}`), status: [400],
  })),
  ...lengths.map((length) => ({
    name: `Content-Length "${length}"`, bytes: postWith(`Content-Length: ${length}`), status: [400],
  })),
  ...codings.map((coding) => ({
    name: `Transfer-Encoding "${coding}"`, bytes: postWith(`Transfer-Encoding: ${coding}`),
    status: [400, 501],
  })),
  ...chunks.map((chunk) => ({
    name: `the chunk ${JSON.stringify(chunk.slice(0, 20))}`,
    bytes: postWith('Transfer-Encoding: chunked') + chunk, status: [400, 413],
  })),
  ...fields.map((field) => ({
    name: `the field ${JSON.stringify(field)}`,
    bytes: get('GET /health HTTP/1.1', 'Host: a', field), status: [400],
  })),
  { name: 'no Host', bytes: get('GET /health HTTP/1.1'), status: [400] },
  { name: 'two Hosts', bytes: get('GET /health HTTP/1.1', 'Host: a', 'Host: a'), status: [400] },
  {
    name: 'two lengths', bytes: postWith('Content-Length: 2', 'Content-Length: 3'), status: [400],
  },
  {
    name: 'a length and a coding', status: [400],
    bytes: postWith('Content-Length: 4', 'Transfer-Encoding: chunked') + '0\r\n\r\n',
  },
  {
    name: 'a coding in HTTP/1.0', status: [400, 501],
    bytes: get('POST /webhook HTTP/1.0', 'Host: a', 'Transfer-Encoding: chunked') + '0\r\n\r\n',
  },
  { name: 'no version', bytes: get('GET /health', 'Host: a'), status: [400] },
  { name: 'HTTP/2.0', bytes: get('GET /health HTTP/2.0', 'Host: a'), status: [400, 505] },
  { name: 'HTTP/9.9', bytes: get('GET /health HTTP/9.9', 'Host: a'), status: [400, 505] },
  { name: 'an HTTP/2 preface', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', status: [400, 505] },
  { name: 'a TLS hello', bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', status: [400] },
  { name: 'random bytes', bytes: '\x93\x1f\xfe\x00\x81\r\n\r\n', status: [400] },
  { name: 'an unknown method', bytes: get('BREW /health HTTP/1.1', 'Host: a'), status: [400] },
  { name: 'a small method', bytes: get('get /health HTTP/1.1', 'Host: a'), status: [400] },
  { name: 'CONNECT', bytes: get('CONNECT a:1 HTTP/1.1', 'Host: a'), status: [400, 405] },
  { name: '* with GET', bytes: get('GET * HTTP/1.1', 'Host: a'), status: [400] },
  { name: '* with OPTIONS', bytes: get('OPTIONS * HTTP/1.1', 'Host: a'), status: [400] },
  {
    name: 'an absolute form', status: [400],
    bytes: get('GET http://b/health HTTP/1.1', 'Host: a'),
  },
  { name: 'a fragment', bytes: get('GET /health#x HTTP/1.1', 'Host: a'), status: [400] },
  { name: 'a blank in the target', bytes: get('GET /he alth HTTP/1.1', 'Host: a'), status: [400] },
  {
    name: '65 fields', status: [431],
    bytes: get('GET /health HTTP/1.1', 'Host: a', ...Array<string>(64).fill('X: a')),
  },
  {
    name: '20 KB of fields', status: [431],
    bytes: get('GET /health HTTP/1.1', 'Host: a', `X: ${'x'.repeat(20_000)}`),
  },
  { name: '20 KB of target', bytes: get(`GET /${'x'.repeat(20_000)} HTTP/1.1`), status: [431] },
];
for (const { name, bytes, status } of attacks) {
  test(`the front refuses ${name} and closes`, async (t) => {
    const front = await startFront(t);
    const client = await RawClient.connect(front.port, t);
    client.send(bytes);
    const answer = await client.answer();
    assert.ok(answer !== null && status.includes(answer.status), `answered ${answer?.status}`);
    assert.match(answer.body, /^\{"detail":"[A-Za-z /]+"\}$/);
    assert.equal(answer.headers.get('connection'), 'close');
    assert.match(answer.headers.get('date') ?? '', /^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/);
    assert.match(answer.headers.get('x-request-id') ?? '', /^request-[0-9a-z]+$/);
    await client.closed;
    assert.equal(client.received, '', 'nothing follows');
    assert.equal(front.received.length, 0);
    assert.equal((await fetch(`${front.url}/health`)).status, 200);
  });
}

const fine: readonly [string, string][] = [
  ['an IPv6 Host', get('GET /health HTTP/1.1', 'Host: [::1]:8080')],
  ['HTTP/1.0 without Host', get('GET /health HTTP/1.0')],
  ['64 fields', get('GET /health HTTP/1.1', 'Host: a', ...Array<string>(63).fill('X: a'))],
  ['__proto__ as a field', get('GET /health HTTP/1.1', 'Host: a', '__proto__: a', '__proto__: b')],
  ['an upgrade', get('GET /health HTTP/1.1', 'Host: a', 'Connection: Upgrade', 'Upgrade: h2c')],
  ['a body with GET', `${get('GET /health HTTP/1.1', 'Host: a', 'Content-Length: 2')}{}`],
  ['leading empty lines', `\r\n\r\n${get('GET /health HTTP/1.1', 'Host: a')}`],
];
for (const [name, bytes] of fine) {
  test(`the front serves ${name}`, async (t) => {
    const client = await RawClient.connect((await startFront(t)).port, t);
    client.send(bytes);
    assert.equal((await client.answer())?.status, 200);
  });
}

test('the front sends the limit headers even for a malformed webhook request', async (t) => {
  const client = await RawClient.connect((await startFront(t)).port, t);
  client.send(get('POST /webhook HTTP/1.1', 'Host: a', 'Host: b', 'Content-Length: 2'));
  const answer = await client.answer();
  assert.equal(answer?.status, 400);
  assert.equal(answer.headers.get('x-ratelimit-remaining'), '100');
});

test('the front refuses TRACE as a method not allowed', async (t) => {
  const client = await RawClient.connect((await startFront(t)).port, t);
  client.send(get('TRACE /health HTTP/1.1', 'Host: a'));
  assert.equal((await client.answer())?.status, 405);
});

test('the front answers a request before the garbage that follows it', async (t) => {
  const client = await RawClient.connect((await startFront(t)).port, t);
  client.send(`${postWith('Content-Length: 13')}{"alerts":[]}GARBAGE\r\n\r\n`);
  assert.equal((await client.answer())?.status, 200);
  assert.equal((await client.answer())?.status, 400);
  await client.closed;
});

test('the front answers a request before the malformed body of the next one', async (t) => {
  const client = await RawClient.connect((await startFront(t)).port, t);
  const good = `${postWith('Content-Length: 13')}{"alerts":[]}`;
  client.send(`${good}${good}${postWith('Transfer-Encoding: chunked')}g\r\n`);
  for (const status of [200, 200, 400]) assert.equal((await client.answer())?.status, status);
  await client.closed;
});

test('the front answers garbage on a connection whose request it has answered', async (t) => {
  const client = await RawClient.connect((await startFront(t)).port, t);
  client.send(get('GET /health HTTP/1.1', 'Host: a'));
  assert.equal((await client.answer())?.status, 200);
  client.send('GARBAGE\r\n\r\n');
  assert.equal((await client.answer())?.status, 400);
  await client.closed;
});

test('the front answers pipelined requests in their order', async (t) => {
  const client = await RawClient.connect((await startFront(t)).port, t);
  const bodies = ['{"alerts":[]}', 'x', '{"alerts":[]}'];
  client.send(bodies.map((body) => postWith(`Content-Length: ${body.length}`) + body).join(''));
  const statuses: (number | undefined)[] = [];
  for (const _ of bodies) statuses.push((await client.answer())?.status);
  assert.deepEqual(statuses, [200, 400, 200]);
});

test('the front begins a pipelined request only after the answer before it', async (t) => {
  const events: string[] = [];
  const noted = route('list', 'GET', '/noted', async ({ query }) => {
    events.push(`begin ${query}`);
    await systemClock.sleep(1);
    events.push(`end ${query}`);
    return json(200, query);
  });
  const { port } = await startFront(t, { extraRoutes: [noted] });
  const client = await RawClient.connect(port, t);
  client.send(get('GET /noted?1 HTTP/1.1', 'Host: a') + get('GET /noted?2 HTTP/1.1', 'Host: a'));
  assert.equal((await client.answer())?.body, '"1"');
  assert.equal((await client.answer())?.body, '"2"');
  assert.deepEqual(events, ['begin 1', 'end 1', 'begin 2', 'end 2']);
});

test('the front begins no request behind an answer that closes the connection', async (t) => {
  const front = await startFront(t);
  const client = await RawClient.connect(front.port, t);
  client.send(get('GET /health HTTP/1.1') + get('GET /health HTTP/1.1', 'Host: a'));
  assert.equal((await client.answer())?.status, 400);
  assert.equal(await client.answer(), null);
  assert.deepEqual(front.done.map(({ status }) => status), [400]);
});

test('the front closes a connection with more than 100 pending requests', async (t) => {
  const front = await startFront(t);
  for (const [requests, answers] of [[100, 100], [101, 0]] as const) {
    const client = await RawClient.connect(front.port, t);
    client.send(get('GET /health HTTP/1.1', 'Host: a').repeat(requests));
    for (let answer = 0; answer < answers; answer++) {
      assert.equal((await client.answer())?.status, 200);
    }
    client.socket.end();
    await client.closed;
    assert.equal(client.received, '');
  }
});

test('the front refuses two Authorization fields, even when both are right', async (t) => {
  const front = await startFront(t, { tokens: () => ['right'] });
  const field = 'Authorization: Bearer right';
  for (const [fields, status] of [[[field, field], 401], [[field], 200]] as const) {
    const client = await RawClient.connect(front.port, t);
    client.send(`${postWith(...fields, 'Content-Length: 13')}{"alerts":[]}`);
    assert.equal((await client.answer())?.status, status);
  }
});

test('the front asks for a body only when it wants one', async (t) => {
  const expecting = ['Expect: 100-continue', 'Content-Length: 13'];
  const front = await startFront(t, { tokens: () => ['right'], bodyLimitBytes: 13 });
  const right = 'Authorization: Bearer right';
  const first: readonly [fields: readonly string[], status: number][] = [
    [expecting, 401],
    [[right, 'Expect: 100-continue', 'Content-Length: 14'], 413],
    [[right, 'Expect: 200-maybe', 'Content-Length: 13'], 417],
    [[right, ...expecting], 100],
  ];
  for (const [fields, status] of first) {
    const client = await RawClient.connect(front.port, t);
    client.send(postWith(...fields));
    const answer = await client.answer();
    assert.equal(answer?.status, status);
    if (status !== 100) {
      assert.equal(answer.headers.get('connection'), 'close');
      await client.closed;
      continue;
    }
    client.send('{"alerts":[]}');
    assert.equal((await client.answer())?.status, 200);
  }
});

test('the front refuses unknown expectations of readers, too', async (t) => {
  const front = await startFront(t);
  for (const path of ['/', '/health', '/metrics', '/report/a']) {
    const client = await RawClient.connect(front.port, t);
    client.send(get(`GET ${path} HTTP/1.1`, 'Host: a', 'Expect: cake'));
    assert.equal((await client.answer())?.status, 417);
  }
});

test('the front refuses an announced length over the limit at once', async (t) => {
  const client = await RawClient.connect((await startFront(t, { bodyLimitBytes: 10 })).port, t);
  client.send(postWith('Content-Length: 100000000'));
  const answer = await client.answer();
  assert.equal(answer?.status, 413);
  assert.equal(answer.headers.get('connection'), 'close');
  await client.closed;
});

test('the front stops reading a chunked body where it crosses the limit', async (t) => {
  const front = await startFront(t, { bodyLimitBytes: 100 });
  const client = await RawClient.connect(front.port, t);
  client.send(postWith('Transfer-Encoding: chunked'));
  const chunk = `32\r\n${'x'.repeat(50)}\r\n`;
  client.send(chunk + chunk);
  await new Promise(setImmediate);
  client.send(chunk);
  assert.equal((await client.answer())?.status, 413);
  await client.closed;
  assert.deepEqual(front.webhooks, [{ code: 413, reason: 'payload_too_large' }]);
});

test('the front takes a chunked body that reaches the limit exactly', async (t) => {
  const client = await RawClient.connect((await startFront(t, { bodyLimitBytes: 13 })).port, t);
  client.send(postWith('Transfer-Encoding: chunked'));
  client.send('4\r\n{"al\r\n9;x=y\r\nerts":[]}\r\n0\r\n\r\n');
  assert.equal((await client.answer())?.status, 200);
});

test('the front lets the client read a refusal while the body is still coming', async (t) => {
  const front = await startFront(t, { bodyLimitBytes: 1000 });
  const client = await RawClient.connect(front.port, t);
  client.send(postWith('Content-Length: 30000000'));
  client.send(Buffer.alloc(30_000_000));
  assert.equal((await client.answer())?.status, 413);
});

test('the front closes the connection after refusing a chunked body unread', async (t) => {
  const client = await RawClient.connect((await startFront(t, { tokens: () => ['a'] })).port, t);
  client.send(postWith('Transfer-Encoding: chunked'));
  const answer = await client.answer();
  assert.deepEqual([answer?.status, answer?.headers.get('connection')], [401, 'close']);
  await client.closed;
});

test('the front keeps the connection after refusing a small body unread', async (t) => {
  const front = await startFront(t, { tokens: () => ['right'] });
  const client = await RawClient.connect(front.port, t);
  for (let index = 0; index < 3; index += 1) {
    client.send(`${postWith('Content-Length: 13')}{"alerts":[]}`);
    assert.equal((await client.answer())?.status, 401);
  }
});
