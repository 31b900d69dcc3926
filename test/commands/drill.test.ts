import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { drill, drillTarget } from '../../src/commands/drill.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { systemClock, type Clock } from '../../src/lib/clock.ts';
import type { ReportList } from '../../src/report/report-list.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { listenLocally } from '../support/http/local-server.ts';
import { freePort, startProgram } from '../support/programs/programs.ts';
import { startTestService, type Environment } from '../support/programs/running-service.ts';
import { fakeKubernetes, realCluster } from '../support/sources/fake-kubernetes.ts';
import { fakeLoki } from '../support/sources/fake-loki.ts';
import { startFakeSource } from '../support/sources/fake-source.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const token = 'token-of-the-drill-1';
const password = 'password-of-the-drill';
const closed: Environment = {
  ACCESS_TOKEN: token, READ_AUTH: 'basic', READ_USER: 'sre', READ_PASSWORD: password,
};

async function drilled(
  environment: Environment,
  clock: Clock = systemClock,
): Promise<readonly [boolean, string]> {
  const settings = loadSettings(environment, { cores: 1, isTerminal: false });
  const target = drillTarget(settings);
  assert.ok(target !== null);
  let text = '';
  const isGood = await drill(target, { clock, print: (more) => (text += more) });
  for (const secret of [token, password, Buffer.from(`sre:${password}`).toString('base64')]) {
    assert.ok(!text.includes(secret), text);
  }
  return [isGood, text];
}

function portOf(url: string): string {
  return new URL(url).port;
}

/** Starts another program that answers HTTP; returns its port. */
async function otherProgram(t: TestContext, answer: RequestListener): Promise<string> {
  return portOf(await listenLocally(t, createServer(answer)));
}

const open = forAllTests((cleanup) => startTestService(cleanup, temporaryDirectory()));
const guarded = forAllTests((cleanup) => startTestService(cleanup, temporaryDirectory(), closed));

test('drill() follows an alert to its page, with token and login', async () => {
  const [isGood, text] = await drilled({ ...closed, PORT: portOf(guarded().url) });
  assert.ok(isGood, text);
  assert.match(text, /^Health +ok: it takes alerts\.$/m);
  assert.match(text, /^Webhook +ok: on disk and answered within \d+\.\d\d s\.$/m);
  assert.match(text, /^Report +ok: ready \d+\.\d\d s after the answer\.$/m);
  assert.match(text, /^Source +Prometheus is not configured\.$/m);
  assert.match(text, /^Link +ok: http:\S+\/report\/[0-9a-f]{16} opens from here\.$/m);
  assert.match(text, /^End +ok: /m);
  assert.ok(!text.includes('To do'), text);
});

test('drill() leaves nothing open behind, and each is an alert of its own', async () => {
  const { url } = open();
  for (let n = 0; n < 2; n += 1) await drilled({ PORT: portOf(url) });
  const list = (await (await fetch(`${url}/reports.json`)).json()) as ReportList;
  assert.deepEqual(list.total, { open: 0, ended: 2 });
});

test('drill() queries each source, and says why one fails', async (t) => {
  const cluster = await startFakeSource(t, fakeKubernetes(realCluster()));
  const loki = await startFakeSource(t, fakeLoki([]));
  const service = await startTestService(t, temporaryDirectory(), {
    PROMETHEUS_URL: `http://127.0.0.1:${await freePort()}`,
    ALERTMANAGER_URL: `http://127.0.0.1:${await freePort()}`,
    KUBERNETES_URL: cluster.url, LOKI_URL: loki.url,
  });
  const [isGood, text] = await drilled({ PORT: portOf(service.url) });
  assert.ok(!isGood);
  assert.match(text, /^Source +ok: Kubernetes answers\.$/m);
  assert.match(text, /^Source +ok: Loki answers\.$/m);
  assert.ok(cluster.requests.length > 0 && loki.requests.length > 0);
  assert.match(text, /^Source +FAILED: Cannot read from Prometheus: the connection was refused/m);
  assert.match(text, /^Link +ok/m);
  assert.match(text, /^To do +Check PROMETHEUS_URL/m);
  assert.match(text, /^Source +FAILED: Cannot read from Alertmanager: the connection was refused/m);
  assert.match(text, /^To do +Check ALERTMANAGER_URL/m);
});

test('drill() posts a test message to the chat, and says what else is posted', async (t) => {
  const posted: string[] = [];
  let status = 200;
  const port = await otherProgram(t, async (request, response) => {
    posted.push(await text(request));
    response.writeHead(status).end(`POST ${request.url}`);
  });
  const environment = {
    PORT: portOf(open().url), DELIVER_SLACK_URL: `http://127.0.0.1:${port}/services/secret-path`,
  };
  const [isGood, said] = await drilled(environment);
  assert.ok(isGood, said);
  assert.match(said, /^Slack +ok: a test message was accepted\.$/m);
  assert.ok(!said.includes('DELIVER_WEBHOOK_URL'));
  assert.equal(posted.length, 1);
  assert.match(posted[0] ?? '', /This is a test by the drill of .*: nothing is wrong\./);
  status = 404;
  const [isWell, refused] = await drilled({
    ...environment, DELIVER_WEBHOOK_URL: `http://127.0.0.1:${port}/reports`,
  });
  assert.ok(!isWell);
  assert.match(refused, /^Slack +FAILED: it answered 404: POST \*\*\*\.$/m);
  assert.match(refused, /^To do +Check DELIVER_SLACK_URL/m);
  assert.match(refused, /^Deliver +DELIVER_WEBHOOK_URL gets the report of a drill twice\./m);
});

type Wrong = readonly [name: string, environment: Environment, said: RegExp, toDo: RegExp];
const wrong: readonly Wrong[] = [
  ['a wrong token', { ...closed, ACCESS_TOKEN: 'another-token-of-16' },
    /^Webhook +FAILED: it answered 401: Unauthorized\.$/m, /ACCESS_TOKEN/],
  ['a wrong login', { ...closed, READ_PASSWORD: 'another' },
    /^Report +FAILED: it answered 401: Unauthorized\.$/m, /READ_AUTH/],
  ['another address of links', { ...closed, REPORT_BASE_URL: 'https://alerts.example.com' },
    /^Link +FAILED: its link does not begin with https:\/\/alerts\.example\.com: http/m,
    /REPORT_BASE_URL/],
];
for (const [name, environment, said, toDo] of wrong) {
  test(`drill() says what to do about ${name}, and ends what it began`, async () => {
    const [isGood, text] = await drilled({ ...environment, PORT: portOf(guarded().url) });
    assert.ok(!isGood);
    assert.match(text, said);
    assert.match(/^To do +(.*)$/m.exec(text)?.[1] ?? '', toDo);
    assert.equal(/^Webhook +ok/m.test(text), /^End +ok/m.test(text));
  });
}

test('drill() says when nothing listens', async () => {
  const [isGood, text] = await drilled({ PORT: String(await freePort()) });
  assert.ok(!isGood);
  assert.match(text, /^Health +FAILED: the connection was refused\.\nTo do +Start the service/m);
  assert.match(text, /^To do .* TLS_CERT_FILE and TLS_KEY_FILE/m);
});

type Stranger = readonly [name: string, answer: RequestListener, said: RegExp];
const strangers: readonly Stranger[] = [
  ['a web page', (_, response) => response.setHeader('content-type', 'text/html').end('<p>'),
    /a web page/],
  ['other JSON', (_, response) => response.end('{"status":"green"}'), /unexpected format/],
  ['a redirect', (_, response) => response.writeHead(302, { location: '/login' }).end(),
    /redirects/],
  ['that it starts', (_, response) => {
    response.writeHead(503, { 'content-type': 'application/json' });
    response.end('{"detail":"Service not initialized"}');
  }, /it answered 503: Service not initialized\.$/m],
  ['that it was asked too often', (_, response) => {
    response.writeHead(429, { 'content-type': 'application/json' });
    response.end('{"detail":"Try again in 60 seconds."}');
  }, /it answered 429: Try again in 60 seconds\.$/m],
];
for (const [name, answer, said] of strangers) {
  test(`drill() posts nothing and sends no token to a server that answers ${name}`, async (t) => {
    const asked: string[] = [];
    const port = await otherProgram(t, (request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
      answer(request, response);
    });
    const [isGood, text] = await drilled({ ...closed, PORT: port });
    assert.ok(!isGood);
    assert.match(text, said);
    assert.match(text, /^To do +\S/m);
    assert.deepEqual(asked, ['GET /health ']);
  });
}

test('drill() shows no part of a token that an answer repeats', async (t) => {
  const port = await otherProgram(t, ({ url }, response) => {
    const refused = { detail: `${'x'.repeat(175)} ${token}` };
    if (url === '/webhook') response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify(url === '/health' ? { status: 'healthy' } : refused));
  });
  const [, text] = await drilled({ ...closed, PORT: port });
  assert.match(text, /^Webhook +FAILED: it answered 400: x+ \*/m);
});

/** Takes the alert, and answers for its report as `report` says. */
function pretender(link: string | null, report: (path: string) => object): RequestListener {
  return (request, response) => {
    const { url = '', method } = request;
    request.resume();
    const links = link === null ? [] : [{ fingerprint: 'f1', report_url: link }];
    const answer = url === '/health' ? { status: 'healthy' }
      : method === 'POST' ? { report_urls: links } : report(url);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  };
}

test('drill() says that an answer has no link, or that an analysis failed', async (t) => {
  const without = await otherProgram(t, pretender(null, () => ({})));
  const [, text] = await drilled({ PORT: without });
  assert.match(text, /^Webhook +FAILED: its answer has no report link\.$/m);
  const failed = { fingerprint: 'f1', status: 'failed' };
  const failing = await otherProgram(t, pretender('/elsewhere', () => failed));
  const [isGood, said] = await drilled({ PORT: failing });
  assert.ok(!isGood);
  assert.match(said, /^Report +FAILED: its analysis failed\.$/m);
  assert.match(said, /^To do +The log of the service says why\.$/m);
});

test('drill() says that the link leads to another report', async (t) => {
  let port = '';
  const report = { status: 'ready', provenance: { sources: [] }, evidence: [], unknowns: [] };
  port = await otherProgram(t, (request, response) => {
    pretender(`http://127.0.0.1:${port}/report/f2`, (path) =>
      ({ ...report, fingerprint: path === '/report/f1.json' ? 'f1' : 'f2' }))(request, response);
  });
  const [isGood, text] = await drilled({ PORT: port });
  assert.ok(!isGood);
  assert.match(text, /^Report +ok: /m);
  assert.match(text, /^Link +FAILED: the link leads to another report\.$/m);
});

test('drill() gives up after a while', async (t) => {
  const asked = new EventEmitter();
  const port = await otherProgram(t, () => asked.emit('request'));
  // The deadline passes once the request has arrived.
  const sleep = async (): Promise<void> => void (await once(asked, 'request'));
  const [isGood, text] = await drilled({ PORT: port }, { ...systemClock, sleep });
  assert.ok(!isGood);
  assert.match(text, /^Health +FAILED: no complete answer within 10 s\.$/m);
});

test('drill() says that other alerts come first', async (t) => {
  const waiting = {
    fingerprint: 'f', status: 'queued',
    report_urls: [{ fingerprint: 'f', report_url: 'http://localhost/report/f' }],
  };
  const port = await otherProgram(t, ({ url }, response) => {
    response.end(JSON.stringify(url === '/health' ? { status: 'healthy' } : waiting));
  });
  let passedMs = 0;
  const clock: Clock = { ...systemClock, monotonic: () => (passedMs += 30_000) };
  const [isGood, text] = await drilled({ PORT: port }, clock);
  assert.ok(!isGood);
  assert.match(text, /^Report +FAILED: still queued after 60 s\.$/m);
  assert.match(text, /^To do +A drill comes after all other alerts: service_queue_size/m);
  assert.match(text, /^End +ok/m);
});

test('drill() resolves an alert that may have been accepted without an answer', async (t) => {
  const posted: string[] = [];
  const port = await otherProgram(t, async (request, response) => {
    const sent = await text(request);
    if (request.url === '/health') return void response.end('{"status":"healthy"}');
    posted.push((JSON.parse(sent) as { status: string }).status);
    request.socket.destroy();
  });
  const [isGood, output] = await drilled({ PORT: port });
  assert.ok(!isGood);
  assert.match(output, /^Webhook +FAILED: the connection broke\.$/m);
  assert.deepEqual(posted, ['firing', 'resolved']);
});

test('drill stops on a signal only once its alert is resolved', async (t) => {
  const posted: string[] = [];
  const asked = new EventEmitter();
  const port = await otherProgram(t, async (request, response) => {
    const sent = await text(request);
    if (request.method === 'POST') posted.push((JSON.parse(sent) as { status: string }).status);
    const links = [{ fingerprint: 'f', report_url: `http://127.0.0.1:${port}/report/f` }];
    // A request for the report is never answered.
    if (request.url === '/health') response.end('{"status":"healthy"}');
    else if (request.url === '/webhook') response.end(JSON.stringify({ report_urls: links }));
    else asked.emit('report');
  });
  const looks = once(asked, 'report');
  const main = join(process.cwd(), 'dist', 'main.js');
  const program = startProgram(process.execPath, [main, 'drill'], { env: { PORT: port } });
  await looks;
  await program.stop('SIGINT');
  assert.equal(program.exitCode(), 1, program.output());
  assert.deepEqual(posted, ['firing', 'resolved']);
  assert.match(program.output(), /^Report +FAILED: the drill was stopped\.$/m);
  assert.match(program.output(), /^End +ok: the alert is resolved/m);
  assert.match(program.output(), /^To do +Run the drill again/m);
});

test('drillTarget() takes the name of the certificate, and knows no port of its own', () => {
  const targetOf = (environment: Environment): string | null => {
    return drillTarget(loadSettings(environment, { cores: 1, isTerminal: false }))?.url ?? null;
  };
  const base = 'https://alerts.example.com';
  const fixture = (file: string): string => join(process.cwd(), 'test', 'fixtures', 'tls', file);
  const tls = { TLS_CERT_FILE: fixture('first.pem'), TLS_KEY_FILE: fixture('first.key') };
  assert.equal(targetOf({ REPORT_BASE_URL: base }), 'http://127.0.0.1:8080');
  assert.equal(targetOf({ REPORT_BASE_URL: base, ...tls }), base);
  assert.equal(targetOf({ REPORT_BASE_URL: base, PORT: '0' }), base);
  assert.equal(targetOf({ PORT: '0' }), null);
});

test('drill is a command with an exit code', async () => {
  const main = join(process.cwd(), 'dist', 'main.js');
  const run = (environment: Environment) =>
    promisify(execFile)(process.execPath, [main, 'drill'], { env: environment });
  const { stdout } = await run({ PORT: portOf(open().url) });
  assert.match(stdout, /becomes a report that opens/);
  await assert.rejects(run({ PORT: String(await freePort()) }), { code: 1 });
  await assert.rejects(run({ PORT: '0' }), { code: 2, stderr: /Set PORT/ });
});
