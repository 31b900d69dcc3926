import assert from 'node:assert/strict';
import { before, test, type TestContext } from 'node:test';
import type { SourceRequest, RequestOutcome } from '../../src/sources/source-client.ts';
import { SourceFailure, type FailureReason } from '../../src/sources/source-failure.ts';
import { collectGarbage } from '../support/collect-garbage.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { freePort } from '../support/programs/programs.ts';
import {
  answering, endless, faults, startBlackHole, startFakeSource, testAuthority,
  type Answer, type FakeSource,
} from '../support/sources/fake-source.ts';
import { testClient, type TestClientOptions } from '../support/sources/source-clients.ts';

const deadlineMs = 400;
/** For what is found out before: ample, since the machine may be busy. */
const ampleMs = 10_000;
/** How late a busy machine may look. */
const graceMs = 4_000;
const json = (body: Buffer): unknown => JSON.parse(body.toString()) as unknown;

// The first request of a process takes long enough to be mistaken for a slow source.
before(async () => {
  await failureOf({ url: `http://127.0.0.1:${await freePort()}`, timeoutMs: ampleMs });
});

async function failureOf(
  options: TestClientOptions,
  request: SourceRequest = { path: '/api' },
): Promise<SourceFailure> {
  try {
    await testClient({ timeoutMs: deadlineMs, ...options }).ask(request, json);
  } catch (error) {
    assert.ok(error instanceof SourceFailure, String(error));
    assert.ok(error.hint.length > 10);
    return error;
  }
  assert.fail('there was an answer');
}

/** What gives up must not be forgotten over it. */
function collectGarbageMeanwhile(t: TestContext): void {
  const collecting = setTimeout(collectGarbage, deadlineMs / 2);
  t.after(() => clearTimeout(collecting));
}

interface FaultCase {
  readonly name: string;
  readonly answer: Answer;
  readonly reason: FailureReason;
  readonly detail: RegExp;
}

const page = '<!doctype html><title>Sign in</title>';
const html = 'text/html; charset=utf-8';

const faultCases: readonly FaultCase[] = [
  { name: 'is silent', answer: faults.silent, reason: 'timeout', detail: /^no answer .*0.4 s$/ },
  {
    name: 'sends headers, then nothing', answer: faults.headersOnly, reason: 'timeout',
    detail: /^no whole answer/,
  },
  { name: 'drips', answer: faults.drip, reason: 'timeout', detail: /^no whole answer/ },
  { name: 'never ends', answer: faults.endless, reason: 'too_large', detail: /larger than 100000/ },
  { name: 'sends a gzip bomb', answer: faults.bomb, reason: 'too_large', detail: /larger than/ },
  {
    name: 'announces too much', answer: answering('1'.repeat(100_001)), reason: 'too_large',
    detail: /larger than/,
  },
  { name: 'resets', answer: faults.reset, reason: 'connection', detail: /connection broke/ },
  { name: 'is cut off', answer: faults.cutOff, reason: 'connection', detail: /connection broke/ },
  { name: 'redirects', answer: faults.redirect, reason: 'unexpected', detail: /redirects/ },
  { name: 'is no HTTP', answer: faults.notHttp, reason: 'unexpected', detail: /HPE_|not be read/ },
  {
    name: 'sends a page', answer: answering(page, { type: html }), reason: 'not_json',
    detail: /page/,
  },
  { name: 'calls a page JSON', answer: answering(page), reason: 'not_json', detail: /page/ },
  {
    name: 'sends an image', answer: answering('GIF89a', { type: 'image/gif' }), reason: 'not_json',
    detail: /not answer in JSON/,
  },
  {
    name: 'sends broken JSON', answer: answering('{"a":'), reason: 'not_json',
    detail: /not valid JSON/,
  },
  {
    name: 'sends no UTF-8', answer: answering(Buffer.from([0x22, 0xff, 0x22])), reason: 'not_json',
    detail: /not UTF-8/,
  },
  { name: 'sends nothing', answer: answering(''), reason: 'not_json', detail: /empty/ },
  {
    name: 'explains without end', answer: (response) => endless(response, 400),
    reason: 'bad_query', detail: /400: \["aaa/,
  },
  {
    name: 'announces far too much', reason: 'too_large', detail: /larger than/,
    answer: (response) => response.writeHead(200, { 'content-length': '1000000' }).flushHeaders(),
  },
  { name: 'is gone', answer: answering('', { status: 410 }), reason: 'not_found', detail: /410/ },
];

for (const { name, answer, reason, detail } of faultCases) {
  test(`SourceClient gives up in time on a source that ${name}`, async (t) => {
    const source = await startFakeSource(t, answer);
    const timeoutMs = reason === 'timeout' ? deadlineMs : ampleMs;
    const startedAt = performance.now();
    collectGarbageMeanwhile(t);
    const failure = await failureOf({ url: source.url, timeoutMs, answerBytesMax: 100_000 });
    assert.equal(failure.reason, reason, failure.detail);
    assert.match(failure.detail, detail);
    await source.quiet();
    assert.ok(performance.now() - startedAt < timeoutMs + graceMs);
  });
}

const statusCases: readonly (readonly [number, string, FailureReason, RegExp])[] = [
  [400, '{"status":"error","error":"parse error: unclosed"}', 'bad_query', /400: parse error: unc/],
  [400, '"bad matcher format: bad"', 'bad_query', /400: bad matcher format: bad$/],
  [422, '{"error":"many-to-many"}', 'bad_query', /422: many-to-many/],
  // Prometheus, then Mimir, then VictoriaMetrics (app/vmselect/promql/eval.go).
  [422, '{"error":"query processing would load too many samples"}', 'too_large', /samples$/],
  [422, '{"error":"the query exceeded the maximum number of series"}', 'too_large', /of series$/],
  [422, '{"error":"matching timeseries exceeds 300; see -search.max"}', 'too_large', /exceeds/],
  [400, 'missing -http.pathPrefix="/select/0" in the requested path', 'not_found', /pathPrefix/],
  [400, 'Client sent an HTTP request to an HTTPS server.\n', 'unexpected', /HTTPS server$/],
  [400, 'unsupported path requested: "/nothing"\n', 'not_found', /400: unsupported path/],
  [401, 'no org id\n', 'unauthorized', /401: no org id$/],
  [401, page, 'unauthorized', /401: a web page$/],
  [403, '{"kind":"Status","message":"pods is forbidden"}', 'unauthorized', /pods is forbidden/],
  [404, '404 page not found\n', 'not_found', /404: 404 page not found$/],
  [418, 'null', 'unexpected', /answered 418$/],
  [429, '{"error":7}', 'rate_limited', /answered 429$/],
  [500, 'line one\nline\ttwo\u0000', 'server_error', /500: line one line two$/],
  [502, page, 'server_error', /502: a web page$/],
  [503, '{"errorType":"timeout","error":"query timed out in expression"}', 'timeout', /timed out/],
  [503, '', 'server_error', /answered 503$/],
  [504, '', 'timeout', /answered 504$/],
];

for (const [status, body, reason, detail] of statusCases) {
  const shown = JSON.stringify(body.slice(0, 20));
  test(`SourceClient takes ${status} with ${shown} for ${reason}`, async (t) => {
    const source = await startFakeSource(t, answering(body, { status, type: 'text/plain' }));
    const failure = await failureOf({ url: source.url, timeoutMs: ampleMs });
    assert.equal(failure.reason, reason);
    assert.equal(failure.status, status);
    assert.match(failure.detail, detail);
    assert.equal(source.requests.length, reason === 'server_error' ? 2 : 1);
    await source.quiet();
  });
}

test('SourceClient reports a refused connection and names the setting', async () => {
  // The second name has two addresses on many machines, and so two errors in one.
  for (const host of ['127.0.0.1', 'localhost']) {
    const url = `http://${host}:${await freePort()}`;
    const failure = await failureOf({ url, timeoutMs: ampleMs });
    assert.equal(failure.reason, 'connection');
    assert.equal(failure.message, 'Cannot read from Prometheus: the connection was refused');
    assert.match(failure.hint, /PROMETHEUS_URL/);
  }
});

test('SourceClient reports a host that does not exist', async () => {
  const failure = await failureOf({ url: 'http://nowhere.invalid', timeoutMs: ampleMs });
  assert.equal(failure.reason, 'connection');
  assert.match(failure.detail, /host name/);
});

test('SourceClient gives up in time on a host that does not let it connect', async (t) => {
  const url = await startBlackHole(t);
  const startedAt = performance.now();
  assert.equal((await failureOf({ url })).reason, 'timeout');
  assert.ok(performance.now() - startedAt < deadlineMs + graceMs);
});

test('SourceClient joins the path to the prefix and sends headers and the token', async (t) => {
  const source = await startFakeSource(t, answering('[1]'));
  const client = testClient({
    url: `${source.url}/select/0/prometheus/`, token: 's3cret',
    headers: [['X-Scope-OrgID', 'team-a'], ['Authorization', 'overridden']],
  });
  const parameters = [['match[]', 'a&b=c'], ['match[]', '\ud800é']] as const;
  assert.deepEqual(await client.ask({ path: '/api/v1/x', parameters }, json), [1]);
  const [request] = source.requests;
  assert.equal(request?.path, '/select/0/prometheus/api/v1/x');
  assert.equal(request.method, 'GET');
  assert.equal(request.headers['x-scope-orgid'], 'team-a');
  assert.equal(request.headers.authorization, 'Bearer s3cret');
  assert.equal(request.headers['user-agent'], 'alert-analyst');
  assert.deepEqual(request.parameters.getAll('match[]'), ['a&b=c', '\ufffdé']);
});

test('SourceClient sends the login', async (t) => {
  const source = await startFakeSource(t, answering('1'));
  await testClient({ url: source.url, login: { user: 'ü', password: 'p:w' } })
    .ask({ path: '/' }, json);
  const expected = `Basic ${Buffer.from('ü:p:w').toString('base64')}`;
  assert.equal(source.requests[0]?.headers.authorization, expected);
});

const basic = Buffer.from('reader:pass-word-1').toString('base64');
const spoken: readonly (readonly [string, Partial<TestClientOptions>])[] = [
  ['token-1234', { token: 'token-1234' }],
  [basic, { login: { user: 'reader', password: 'pass-word-1' } }],
  ['pass-word-1', { login: { user: 'reader', password: 'pass-word-1' } }],
  ['tenant-9', { headers: [['X-Key', 'tenant-9']] }],
  ['key-of-team', { headers: [['X-Tenant', 'team'], ['X-Key', 'key-of-team']] }],
  ['user:key', {}],
];

for (const [secret, access] of spoken) {
  test(`SourceClient does not repeat ${secret} when the source does`, async (t) => {
    // At several places, so that the cut to size meets it in its middle as well.
    for (const lead of [0, 150, 170, 175, 180]) {
      const said = `${'x'.repeat(lead)} http://${secret}@host/ ${lead > 0 ? '' : secret}`;
      const text = secret === 'user:key' ? `${'x'.repeat(lead)} http://user:key@host/` : said;
      const source = await startFakeSource(t, answering(text, { status: 401, type: 'text/plain' }));
      const { detail, message, hint } = await failureOf({
        url: source.url, timeoutMs: ampleMs, ...access,
      });
      assert.ok(detail.length <= 200);
      assert.ok(!`${message} ${hint}`.includes(secret.slice(0, 6)), detail);
    }
  });
}

test('SourceClient asks once more after a reset and after a 5xx', async (t) => {
  for (const fault of [faults.reset, answering('', { status: 502 })]) {
    const source = await startFakeSource(t, [fault, answering('"fine"')]);
    const outcomes: RequestOutcome[] = [];
    const client = testClient({ url: source.url, onOutcome: (each) => outcomes.push(each) });
    assert.equal(await client.ask({ path: '/a' }, json), 'fine');
    assert.deepEqual(outcomes.map(({ result, failure }) => [result, failure]), [['ok', null]]);
    assert.equal(source.requests.length, 2);
  }
});

test('SourceClient does not ask again when the deadline is too near', async (t) => {
  const source = await startFakeSource(t, answering('', { status: 500 }));
  // By this clock the first attempt takes no time, and a pause would take more than is left.
  const clock = new ManualClock();
  assert.equal((await failureOf({ url: source.url, clock, timeoutMs: 40 })).reason, 'server_error');
  assert.equal(source.requests.length, 1);
});

test('SourceClient keeps one deadline for both attempts', async (t) => {
  const clock = new ManualClock();
  const source = await startFakeSource(t, [answering('', { status: 500 }), faults.silent]);
  const asked = failureOf({ url: source.url, clock, timeoutMs: 1000 });
  // The pause and the second attempt both wait for the clock.
  while (source.requests.length < 2) await clock.advance(10);
  assert.ok(clock.monotonic() < 1000);
  await clock.advance(1000 - clock.monotonic());
  assert.equal((await asked).reason, 'timeout');
  await source.quiet();
});

test('SourceClient sends long parameters as a form, unless the path refuses forms', async (t) => {
  // A server without forms at this path, then a proxy that lets only GET through.
  const [refused, denied] = [answering('', { status: 405 }), answering('', { status: 403 })];
  const answers = [answering('1'), refused, answering('2'), answering('3'), denied, answering('4')];
  const source = await startFakeSource(t, answers);
  const client = testClient({ url: source.url });
  const request = { path: '/q', parameters: [['query', 'é'.repeat(1000)]] as const };
  assert.equal(await client.ask(request, json), 1);
  assert.equal(await client.ask(request, json), 2);
  assert.equal(await client.ask(request, json), 3);
  assert.equal(await client.ask({ ...request, path: '/rules' }, json), 4);
  assert.deepEqual(source.requests.map(({ method, path }) => `${method} ${path}`), [
    'POST /q', 'POST /q', 'GET /q', 'GET /q', 'POST /rules', 'GET /rules',
  ]);
  for (const { parameters } of source.requests) {
    assert.equal(parameters.get('query'), 'é'.repeat(1000));
  }
});

test('SourceClient ends at once when it is cancelled, before and during', async (t) => {
  const source = await startFakeSource(t, faults.headersOnly);
  const cancelled = new AbortController();
  const asked = failureOf(
    { url: source.url, timeoutMs: 60_000 }, { path: '/', signal: cancelled.signal },
  );
  while (source.requests.length === 0) await new Promise(setImmediate);
  cancelled.abort(new Error('stopping'));
  assert.equal((await asked).reason, 'cancelled');
  await source.quiet();
  const again = await failureOf({ url: source.url }, { path: '/', signal: cancelled.signal });
  assert.equal(again.reason, 'cancelled');
  assert.equal(source.requests.length, 1);
});

test('SourceClient closes the connection on answers it refuses', async (t) => {
  const source = await startFakeSource(t, (response) => {
    response.writeHead(200, { 'content-type': 'image/gif' }).flushHeaders();
  });
  const failure = await failureOf({ url: source.url, timeoutMs: 60_000 });
  assert.equal(failure.reason, 'not_json');
  await source.quiet();
});

test('SourceClient takes 10 MB', async (t) => {
  const source = await startFakeSource(t, answering(JSON.stringify('é'.repeat(5_000_000))));
  const length = await testClient({ url: source.url })
    .ask({ path: '/' }, (body) => body.length);
  assert.equal(length, 10_000_002);
});

async function privateSource(t: TestContext, answer: Answer): Promise<FakeSource> {
  return startFakeSource(t, answer, { tls: true });
}

test('SourceClient trusts a private authority when it is given one', async (t) => {
  const source = await privateSource(t, answering('{"a":1}'));
  const client = testClient({ url: source.url, ca: testAuthority(), token: 'tls-token' });
  const long = { path: '/x', parameters: [['query', 'q'.repeat(3000)]] as const };
  assert.deepEqual(await client.ask(long, json), { a: 1 });
  assert.deepEqual(await client.ask({ path: '/x' }, json), { a: 1 });
  const [first, second] = source.requests;
  assert.equal(first?.method, 'POST');
  assert.equal(first.parameters.get('query')?.length, 3000);
  assert.equal(second?.headers.authorization, 'Bearer tls-token');
});

const privateCases: readonly FaultCase[] = [
  { name: 'is silent', answer: faults.silent, reason: 'timeout', detail: /^no answer/ },
  { name: 'drips', answer: faults.drip, reason: 'timeout', detail: /^no (whole )?answer/ },
  { name: 'hangs up', answer: faults.reset, reason: 'connection', detail: /broke/ },
  { name: 'is cut off', answer: faults.cutOff, reason: 'connection', detail: /broke/ },
  { name: 'redirects', answer: faults.redirect, reason: 'unexpected', detail: /redirects/ },
  { name: 'never ends', answer: faults.endless, reason: 'too_large', detail: /larger/ },
  {
    name: 'announces too much', answer: answering('1'.repeat(3_000_000)), reason: 'too_large',
    detail: /larger/,
  },
  {
    name: 'sends an image', answer: answering('GIF'.repeat(1_000_000), { type: 'image/gif' }),
    reason: 'not_json', detail: /not answer in JSON/,
  },
  {
    name: 'explains at length', answer: answering('no '.repeat(1_000_000), { status: 400 }),
    reason: 'bad_query', detail: /no no/,
  },
  { name: 'sends a gzip bomb', answer: faults.bomb, reason: 'too_large', detail: /larger than/ },
];

for (const { name, answer, reason, detail } of privateCases) {
  test(`SourceClient gives up in time on a source with TLS that ${name}`, async (t) => {
    const source = await privateSource(t, answer);
    const timeoutMs = reason === 'timeout' ? deadlineMs : ampleMs;
    collectGarbageMeanwhile(t);
    const failure = await failureOf({
      url: source.url, ca: testAuthority(), timeoutMs, answerBytesMax: 100_000,
    });
    assert.equal(failure.reason, reason, failure.detail);
    assert.match(failure.detail, detail);
    await source.quiet();
  });
}

test('SourceClient refuses certificates it has no reason to trust', async (t) => {
  const source = await privateSource(t, answering('1'));
  const cases = [
    { detail: /^no trusted authority signed/, url: source.url },
    {
      detail: /^its certificate is for another host$/,
      url: source.url.replace('localhost', '127.0.0.1'), ca: testAuthority(),
    },
    {
      detail: /./, url: source.url,
      ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    },
  ];
  for (const { detail, ...access } of cases) {
    const failure = await failureOf({ ...access, timeoutMs: ampleMs });
    assert.equal(failure.reason, 'tls', `${access.url} ${failure.detail}`);
    assert.match(failure.detail, detail);
    assert.match(failure.hint, /PROMETHEUS_CA_FILE/);
  }
  assert.equal(source.requests.length, 0);
});

test('SourceClient says that what speaks plain HTTP may want http', async (t) => {
  const url = (await startFakeSource(t, answering('1'))).url.replace('http:', 'https:');
  for (const access of [{ url }, { url, ca: testAuthority() }]) {
    const failure = await failureOf({ ...access, timeoutMs: ampleMs });
    assert.equal(failure.reason, 'connection');
    assert.match(failure.detail, /it does not speak TLS on that port: .* begin with http:/);
    assert.match(failure.hint, /^Check PROMETHEUS_URL/);
  }
});
