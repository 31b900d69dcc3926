import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  detailOf, post, sampleBody, startFront, type FrontOptions,
} from '../../support/http/http-front.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const token = { authorization: 'Bearer s3cret-token' };
const tokens = ['s3cret-token'];
const limitText = 'Rate limit exceeded. Try again in 60 seconds.';

test('POST /webhook answers with exactly the fields promised', async (t) => {
  const front = await startFront(t);
  const response = await post(front.url);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
  assert.equal(await response.text(), JSON.stringify({
    status: 'success',
    message: 'Alerts queued for analysis',
    report_urls: [{
      fingerprint: 'aaaaaaaaaaaaaaaa',
      alert_name: 'DiskFull',
      namespace: 'shop',
      report_url: 'https://reports.example:8443/report/aaaaaaaaaaaaaaaa',
    }],
  }));
  assert.equal(response.headers.get('x-alerts-rejected'), null);
  assert.equal(response.headers.get('x-alerts-deduplicated'), null);
  assert.deepEqual(front.webhooks, [{ code: 200, reason: null }]);
  assert.deepEqual(front.notifications, [{ version: '4', rejected: 0, truncated: 0 }]);
});

test('POST /webhook passes the bytes as sent and the time of receipt to intake', async (t) => {
  const clock = new ManualClock(1_700_000_000_000);
  const front = await startFront(t, { clock });
  await post(front.url);
  const [received] = front.received;
  assert.equal(received?.body.toString(), sampleBody);
  assert.equal(received?.receivedAt, 1_700_000_000_000);
});

test('POST /webhook leaves out the byte order mark, which nothing that reads it again expects',
  async (t) => {
    const front = await startFront(t);
    assert.equal((await post(front.url, `\uFEFF${sampleBody}`)).status, 200);
    assert.equal(front.received[0]?.body.toString(), sampleBody);
  });

for (const [method, path] of [['PUT', '/webhook'], ['POST', '/webhook/'], ['PUT', '/webhook/']]) {
  test(`${method} ${path} is the webhook, too, without a redirect`, async (t) => {
    const front = await startFront(t);
    const options = { method: method ?? '', body: sampleBody, redirect: 'manual' } as const;
    assert.equal((await fetch(`${front.url}${path}`, options)).status, 200);
    assert.equal(front.received.length, 1);
  });
}

interface Refusal {
  readonly name: string;
  readonly options?: FrontOptions;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  readonly status: number;
  readonly detail: string;
  readonly reason: string;
}

const invalid = { status: 400, detail: 'Invalid alert format', reason: 'invalid_format' };
const locked = { options: { tokens: () => tokens } };
const unauthorized = { ...locked, status: 401, detail: 'Unauthorized', reason: 'unauthorized' };
const crossSite = { status: 403, detail: 'Forbidden', reason: 'forbidden' };
const notReady = { status: 503, detail: 'Service not initialised', reason: 'not_initialised' };
const encoded = {
  status: 415, detail: 'Unsupported content encoding', reason: 'unsupported_encoding',
};
const refusals: readonly Refusal[] = [
  { name: 'no JSON', body: 'alerts', ...invalid },
  { name: 'an empty body', body: '', ...invalid },
  { name: 'invalid UTF-8', body: new Uint8Array([0x7b, 0xff, 0x7d]), ...invalid },
  { name: 'a list', body: '[]', ...invalid },
  { name: 'null', body: 'null', ...invalid },
  { name: 'no alerts', body: '{}', ...invalid },
  { name: 'alerts that are no list', body: '{"alerts":{"0":{"labels":{}}}}', ...invalid },
  { name: 'only invalid alerts', body: '{"alerts":[{},{"labels":{"a":1}}]}', ...invalid },
  { name: 'deep nesting', body: `{"alerts":${'['.repeat(1e5)}`, ...invalid },
  { name: 'no token', ...unauthorized },
  { name: 'an empty token', headers: { authorization: 'Bearer ' }, ...unauthorized },
  { name: 'a wrong token', headers: { authorization: 'Bearer s3cret-tokeN' }, ...unauthorized },
  { name: 'half a token', headers: { authorization: 'Bearer s3cret-tok' }, ...unauthorized },
  {
    name: 'more than a token', headers: { authorization: 'Bearer s3cret-tokens' },
    ...unauthorized,
  },
  { name: 'a bare token', headers: { authorization: 's3cret-token' }, ...unauthorized },
  { name: 'basic for bearer', headers: { authorization: 'Basic s3cret-token' }, ...unauthorized },
  {
    name: '15 KB of token', headers: { authorization: `Bearer ${'x'.repeat(15e3)}` },
    ...unauthorized,
  },
  {
    name: '8-bit in the token', headers: { authorization: 'Bearer s3cret-t\u00f6ken' },
    ...unauthorized,
  },
  { name: 'a cross-site fetch', headers: { 'sec-fetch-site': 'cross-site' }, ...crossSite },
  { name: 'a same-site fetch', headers: { 'sec-fetch-site': 'same-site' }, ...crossSite },
  { name: 'a foreign origin', headers: { origin: 'https://evil.example' }, ...crossSite },
  { name: 'the null origin', headers: { origin: 'null' }, ...crossSite },
  { name: 'an origin on another port', headers: { origin: 'http://127.0.0.1:1' }, ...crossSite },
  { name: 'a local file', headers: { origin: 'file://' }, ...crossSite },
  { name: 'a garbled origin', headers: { origin: 'reports.example' }, ...crossSite },
  { name: 'a start under way', options: { readiness: () => 'starting' }, ...notReady },
  { name: 'gzip', headers: { 'content-encoding': 'gzip' }, ...encoded },
  { name: 'two encodings', headers: { 'content-encoding': 'identity, br' }, ...encoded },
  {
    name: 'a long body', options: { bodyLimitBytes: 100 },
    status: 413, detail: 'Payload too large', reason: 'payload_too_large',
  },
  {
    name: 'a full queue', options: { accept: () => Promise.resolve({ kind: 'queue_full' }) },
    status: 503, detail: 'Queue is full', reason: 'queue_full',
  },
  {
    name: 'a broken disk',
    options: { accept: () => Promise.resolve({ kind: 'storage_unavailable' }) },
    status: 503, detail: 'Storage unavailable', reason: 'storage_unavailable',
  },
  {
    name: 'a failing intake', options: { accept: () => Promise.reject(new Error('secret')) },
    status: 500, detail: 'Internal server error', reason: 'internal',
  },
];
for (const { name, options, headers, body, ...expected } of refusals) {
  test(`POST /webhook answers ${name} with ${expected.status} ${expected.detail}`, async (t) => {
    const front = await startFront(t, options);
    const response = await post(front.url, body, headers);
    assert.equal(response.status, expected.status);
    assert.equal(await response.text(), JSON.stringify({ detail: expected.detail }));
    assert.equal(response.headers.get('x-ratelimit-limit'), '100');
    assert.equal(response.headers.get('x-ratelimit-remaining'), '99');
    assert.match(response.headers.get('x-ratelimit-reset') ?? '', /^\d{10}$/);
    assert.match(response.headers.get('x-request-id') ?? '', /^request-[0-9a-z]+$/);
    assert.deepEqual(front.webhooks, [{ code: expected.status, reason: expected.reason }]);
  });
}

const admitted: readonly [string, Record<string, string>][] = [
  ['its own origin', { origin: 'https://reports.example:8443' }],
  ['a same-origin fetch', { 'sec-fetch-site': 'same-origin' }],
  ['an address typed in', { 'sec-fetch-site': 'none' }],
  ['the identity encoding', { 'content-encoding': 'Identity' }],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['plain text', { 'content-type': 'text/plain' }],
];
for (const [name, headers] of admitted) {
  test(`POST /webhook accepts ${name}`, async (t) => {
    const front = await startFront(t);
    assert.equal((await post(front.url, sampleBody, headers)).status, 200);
  });
}

test('POST /webhook accepts the origin of the address it was reached under', async (t) => {
  const front = await startFront(t);
  assert.equal((await post(front.url, sampleBody, { origin: front.url })).status, 200);
});

test('POST /webhook takes the scheme of a token in any case', async (t) => {
  const front = await startFront(t, { tokens: () => tokens });
  for (const scheme of ['bearer', 'BEARER']) {
    const authorization = `${scheme} s3cret-token`;
    assert.equal((await post(front.url, sampleBody, { authorization })).status, 200, scheme);
  }
});

test('POST /webhook accepts any of several tokens and follows their rotation', async (t) => {
  let valid: readonly string[] = ['old', 'a-much-longer-new-one'];
  const front = await startFront(t, { tokens: () => valid });
  const statusWith = async (sent: string): Promise<number> =>
    (await post(front.url, sampleBody, { authorization: `Bearer ${sent}` })).status;
  assert.equal(await statusWith('old'), 200);
  assert.equal(await statusWith('a-much-longer-new-one'), 200);
  valid = ['a-much-longer-new-one', 'pässwörd'];
  assert.equal(await statusWith('old'), 401);
  const asSent = Buffer.from('pässwörd').toString('latin1');
  assert.equal(await statusWith(asSent), 200);
});

test('POST /webhook takes the valid alerts and announces the others', async (t) => {
  const front = await startFront(t);
  const secret = 'a value nobody may log';
  const alerts = [{ labels: { alertname: 'A' } }, { labels: { [secret]: 1 } }, secret, null, 7];
  const response = await post(front.url, JSON.stringify({ alerts }));
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('x-alerts-rejected'), '4');
  const { report_urls } = (await response.json()) as { report_urls: unknown[] };
  assert.equal(report_urls.length, 1);
  assert.deepEqual(front.notifications, [
    { version: 'absent', rejected: 4, truncated: 0 },
  ]);
  assert.equal(front.logged.length, 1);
  const [entry] = front.logged;
  assert.equal(entry?.level, 'warn');
  assert.deepEqual((entry?.fields as { first: { index: number }[] }).first.map((it) => it.index), [
    1, 2, 3,
  ]);
  assert.ok(!JSON.stringify(entry).includes(secret));
});

test('POST /webhook announces duplicates', async (t) => {
  const front = await startFront(t, {
    accept: () => Promise.resolve({ kind: 'accepted', links: [], deduplicated: 2 }),
  });
  assert.equal((await post(front.url)).headers.get('x-alerts-deduplicated'), '2');
});

test('POST /webhook accepts a notification without alerts', async (t) => {
  const front = await startFront(t);
  const response = await post(front.url, '{"alerts":[]}');
  assert.equal(response.status, 200);
  const { report_urls } = (await response.json()) as { report_urls: unknown };
  assert.deepEqual(report_urls, []);
});

test('POST /webhook escapes what an alert is called', async (t) => {
  const front = await startFront(t);
  const name = '"}],"x":[{"\\\u2028\ud800';
  const body = JSON.stringify({ alerts: [{ labels: { alertname: name } }] });
  const response = await post(front.url, body);
  const { report_urls } = (await response.json()) as { report_urls: { alert_name: string }[] };
  assert.equal(report_urls[0]?.alert_name, name);
});

test('POST /webhook refuses the 101st request of a minute', async (t) => {
  const clock = new ManualClock(1_700_000_000_000);
  const front = await startFront(t, { clock });
  for (let index = 0; index < 100; index += 1) {
    const response = await post(front.url, index % 2 === 0 ? sampleBody : 'nonsense');
    assert.equal(response.headers.get('x-ratelimit-remaining'), String(99 - index));
    await response.arrayBuffer();
  }
  await clock.advance(12_300);
  const refused = await post(front.url);
  assert.equal(refused.status, 429);
  assert.equal(await detailOf(refused), limitText);
  assert.equal(refused.headers.get('retry-after'), '48');
  assert.equal(refused.headers.get('x-ratelimit-reset'), '1700000060');
  assert.equal(refused.headers.get('x-ratelimit-remaining'), '0');
  await clock.advance(47_700);
  assert.equal((await post(front.url)).status, 200);
});

const alertmanager = { 'user-agent': 'Alertmanager/0.28.1' };
const limitStatuses: readonly ['auto' | '429' | '503', Record<string, string>, number][] = [
  ['auto', alertmanager, 503],
  ['auto', { 'user-agent': 'Grafana' }, 429],
  ['auto', { 'user-agent': 'Not Alertmanager/1' }, 429],
  ['429', alertmanager, 429],
  ['503', { 'user-agent': 'curl' }, 503],
];
for (const [limitStatus, headers, status] of limitStatuses) {
  const sender = headers['user-agent'];
  test(`POST /webhook answers ${sender} over its limit ${status} if ${limitStatus}`, async (t) => {
    const front = await startFront(t, { perClient: 1, limitStatus });
    await post(front.url);
    const refused = await post(front.url, sampleBody, headers);
    assert.equal(refused.status, status);
    assert.equal(await detailOf(refused), limitText);
    assert.deepEqual(front.webhooks.at(-1), { code: status, reason: 'rate_limited' });
  });
}

/** As many clients as wanted, told apart by what the trusted proxy says. */
function from(client: number): Record<string, string> {
  return { 'x-forwarded-for': `203.0.113.${client}` };
}

async function startBehindProxy(t: TestContext, options: FrontOptions) {
  return startFront(t, { trustedProxies: ['127.0.0.1'], ...options });
}

test('POST /webhook draws nothing from the total limit without the token', async (t) => {
  const front = await startBehindProxy(t, { total: 2, tokens: () => tokens });
  for (let client = 1; client <= 5; client += 1) {
    assert.equal((await post(front.url, sampleBody, from(client))).status, 401);
  }
  assert.equal((await post(front.url, sampleBody, { ...from(9), ...token })).status, 200);
});

test('POST /webhook counts wrong tokens against the client who guesses', async (t) => {
  const front = await startFront(t, { perClient: 2, tokens: () => tokens });
  const statuses: number[] = [];
  for (let index = 0; index < 3; index += 1) statuses.push((await post(front.url)).status);
  assert.deepEqual(statuses, [401, 401, 429]);
  assert.equal((await post(front.url, sampleBody, token)).status, 429);
});

test('POST /webhook draws nothing from the client when the total limit refuses', async (t) => {
  const clock = new ManualClock();
  const front = await startBehindProxy(t, { clock, perClient: 2, total: 1 });
  assert.equal((await post(front.url, sampleBody, from(1))).status, 200);
  for (let index = 0; index < 5; index += 1) {
    const refused = await post(front.url, sampleBody, from(2));
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('x-ratelimit-limit'), '1');
    assert.equal(refused.headers.get('x-ratelimit-remaining'), '0');
  }
  await clock.advance(60_000);
  const response = await post(front.url, sampleBody, from(2));
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('x-ratelimit-remaining'), '0');
});

test('POST /webhook shows the bucket with fewer left', async (t) => {
  const front = await startBehindProxy(t, { perClient: 3, total: 4 });
  const shown: string[] = [];
  for (const client of [1, 2, 3]) {
    const { headers } = await post(front.url, sampleBody, from(client));
    shown.push(`${headers.get('x-ratelimit-remaining')} of ${headers.get('x-ratelimit-limit')}`);
  }
  assert.deepEqual(shown, ['2 of 3', '2 of 3', '1 of 4']);
});

test('POST /webhook ignores X-Forwarded-For of an untrusted client', async (t) => {
  const front = await startFront(t, { perClient: 2 });
  const statuses: number[] = [];
  for (const client of [1, 2, 3]) {
    statuses.push((await post(front.url, sampleBody, from(client))).status);
  }
  assert.deepEqual(statuses, [200, 200, 429]);
});

const switchedOff: readonly [FrontOptions, limit: string | null][] = [
  [{ perClient: 0, total: 5 }, '5'],
  [{ perClient: 5, total: 0 }, '5'],
  [{ perClient: 0, total: 0 }, null],
];
for (const [options, limit] of switchedOff) {
  test(`POST /webhook shows limit ${limit} with limits ${JSON.stringify(options)}`, async (t) => {
    const front = await startFront(t, options);
    const response = await post(front.url);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('x-ratelimit-limit'), limit);
  });
}

test('POST /webhook takes alerts until the connection closes, also while stopping', async (t) => {
  const front = await startFront(t, { readiness: () => 'stopping' });
  assert.equal((await post(front.url)).status, 200);
});

test('POST /webhook checks in its order, each fault hiding the ones after it', async (t) => {
  let readiness: 'ready' | 'starting' = 'starting';
  const front = await startFront(t, {
    perClient: 7, tokens: () => tokens, readiness: () => readiness, bodyLimitBytes: 20,
  });
  const faults: Record<string, string> = { origin: 'null', 'content-encoding': 'gzip' };
  const next = async (): Promise<number> => (await post(front.url, 'x'.repeat(30), faults)).status;
  const statuses = [await next()];
  faults['authorization'] = token.authorization;
  statuses.push(await next());
  delete faults['origin'];
  statuses.push(await next());
  readiness = 'ready';
  statuses.push(await next());
  delete faults['content-encoding'];
  statuses.push(await next());
  statuses.push((await post(front.url, 'x', faults)).status);
  statuses.push((await post(front.url, '{"alerts":[]}', faults)).status);
  delete faults['authorization'];
  statuses.push(await next());
  assert.deepEqual(statuses, [401, 403, 503, 415, 413, 400, 200, 429]);
});

test('GET /webhook is refused with what is allowed, and with the limits', async (t) => {
  const front = await startFront(t);
  const response = await fetch(`${front.url}/webhook`);
  assert.equal(response.status, 405);
  assert.equal(await detailOf(response), 'Method not allowed');
  assert.equal(response.headers.get('allow'), 'POST, PUT');
  assert.equal(response.headers.get('x-ratelimit-remaining'), '100');
  assert.deepEqual(front.webhooks, [{ code: 405, reason: 'method_not_allowed' }]);
});
