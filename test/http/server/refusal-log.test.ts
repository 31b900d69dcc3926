import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAccessCheck } from '../../../src/http/checks/authentication.ts';
import type { Exchange } from '../../../src/http/exchange.ts';
import { refusal } from '../../../src/http/http-errors.ts';
import { RefusalLog } from '../../../src/http/server/refusal-log.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { post, startFront, type Front, type FrontOptions } from '../../support/http/http-front.ts';
import { RawClient } from '../../support/http/raw-http.ts';
import { ManualClock } from '../../support/manual-clock.ts';

type Line = Readonly<Record<string, unknown>>;

function startLog(): { clock: ManualClock; log: RefusalLog; lines: Line[] } {
  const clock = new ManualClock();
  const lines: Line[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Line);
  const now = (): number => clock.now();
  const logger = createLogger({ level: 'debug', format: 'json', now, write });
  return { clock, log: new RefusalLog({ clock, log: logger }), lines };
}

const request = { requestId: 'r-1', route: '/webhook', status: 503, client: '192.0.2.1' };
const refused = { ...request, isMisdirected: false };

test('RefusalLog warns of a reason once in ten seconds, and counts the rest', async () => {
  const { clock, log, lines } = startLog();
  const levels = (): unknown[] => lines.splice(0)
    .map(({ level, suppressed }) => [level, suppressed]);
  const refuse = (error: unknown): void => log.refused({ ...refused, error, isWarning: true });
  for (let count = 0; count < 3; count += 1) refuse(refusal('queueIsFull'));
  refuse(refusal('rateLimited'));
  assert.deepEqual(levels(), [
    ['warn', undefined], ['debug', undefined], ['debug', undefined], ['warn', undefined],
  ]);
  await clock.advance(10_000);
  refuse(refusal('queueIsFull'));
  refuse(refusal('rateLimited'));
  assert.deepEqual(levels(), [['warn', 2], ['warn', undefined]]);
});

test('RefusalLog logs by id why a request was refused, quoting nothing from it', () => {
  const { log, lines } = startLog();
  const error = refusal('invalidAlertFormat', { why: 'The body is empty' });
  log.refused({ ...refused, error, isWarning: false });
  log.refused({ ...refused, error: refusal('storageUnavailable'), isWarning: false });
  const [first, second] = lines.map(({ time: _, ...line }) => line);
  assert.deepEqual(first, {
    level: 'debug', message: 'Refused a request', ...request,
    reason: 'invalid_format', why: 'The body is empty',
  });
  assert.deepEqual(second, {
    level: 'debug', message: 'Refused a request', ...request, reason: 'storage_unavailable',
  });
});

const whys: readonly [string, string][] = [
  ['', 'The body is empty'],
  ['{"alerts":[', 'The body is not JSON: it ends too early'],
  ['{"secret" 1}', 'The body is not JSON: it breaks at position 10'],
  ['secret', 'The body is not JSON'],
  ['{}', 'body.alerts: expected an array, got nothing'],
  ['{"alerts":[{"labels":"secret"}]}',
    'No alert is valid; the first: alerts[0].labels: expected an object, got a string'],
];
for (const [body, why] of whys) {
  test(`a refused notification ${JSON.stringify(body)} is logged with why`, async (t) => {
    const front = await startFront(t);
    const response = await post(front.url, body);
    assert.equal(response.status, 400);
    assert.deepEqual(refusalsOf(front), [{
      level: 'warn', requestId: response.headers.get('x-request-id'), route: '/webhook',
      status: 400, reason: 'invalid_format', why, client: '127.0.0.1', suppressed: undefined,
    }]);
  });
}

const presented: readonly [string | null, string][] = [
  [null, 'There is no Authorization header, or more than one'],
  ['Basic YTpzZWNyZXQ=', 'The Authorization header is not "Bearer …"'],
  ['Bearer secret', 'The credentials do not match ACCESS_TOKEN'],
];
for (const [authorization, why] of presented) {
  test(`a webhook that presents ${authorization ?? 'nothing'} is logged with why`, async (t) => {
    const tokens = ['0123456789abcdef'];
    const front = await startFront(t, { tokens: () => tokens });
    const response = await post(front.url, '{}', { ...(authorization && { authorization }) });
    assert.equal(response.status, 401);
    assert.equal(refusalsOf(front)[0]?.['why'], why);
    assert.doesNotMatch(JSON.stringify(front.logged), /secret|YTpz/);
  });
}

type Refusing = readonly [FrontOptions, string, Record<string, string>, string];
const refusing: readonly Refusing[] = [
  [{ perClient: 1 }, '/webhook', {}, 'More than RATE_LIMIT_PER_CLIENT allows in a minute'],
  [{ total: 1 }, '/webhook', {}, 'More than RATE_LIMIT_TOTAL allows in a minute'],
  [{ readersPerClient: 1 }, '/', {}, 'More than READ_LIMIT_PER_CLIENT allows in a minute'],
  [{ readersTotal: 1 }, '/', {}, 'More than READ_LIMIT_TOTAL allows in a minute'],
  [{}, '/webhook', { 'sec-fetch-site': 'cross-site' }, 'A browser sent it from another site'],
  [{}, '/webhook', { origin: 'null' }, 'Its Origin is not an address'],
  [{}, '/webhook', { origin: 'https://secret.example' },
    'Its Origin is neither the host of REPORT_BASE_URL nor that of its Host field'],
];
for (const [options, path, headers, why] of refusing) {
  test(`the log says why: ${why}`, async (t) => {
    const front = await startFront(t, options);
    const method = path === '/' ? 'GET' : 'POST';
    const body = path === '/' ? null : '{"alerts":[]}';
    for (let n = 0; n < 2; n += 1) await fetch(front.url + path, { method, body, headers });
    assert.equal(refusalsOf(front).at(-1)?.['why'], why);
    assert.doesNotMatch(JSON.stringify(front.logged), /secret/);
  });
}

const elsewhere: readonly [string, string, Record<string, string>, boolean][] = [
  ['POST', '/alerts', { 'user-agent': 'Alertmanager/0.28.1' }, true],
  ['POST', '/', { 'user-agent': 'Alertmanager/0.28.1' }, true],
  ['POST', '/alerts', {}, false],
  ['GET', '/alerts', { 'user-agent': 'Alertmanager/0.28.1' }, false],
];
for (const [method, path, headers, isWarning] of elsewhere) {
  const sender = headers['user-agent'] ?? 'anybody';
  test(`${method} ${path} by ${sender} is ${isWarning ? '' : 'not '}a warning`, async (t) => {
    const front = await startFront(t);
    const { status } = await fetch(front.url + path, { method, headers });
    const [line] = refusalsOf(front);
    assert.deepEqual([line?.['level'], line?.['status']], [isWarning ? 'warn' : 'debug', status]);
    assert.equal(/url in its webhook_configs/.test(String(line?.['why'])), isWarning);
    assert.equal(front.done[0]?.isMisdirected, isWarning);
    assert.doesNotMatch(JSON.stringify(front.logged), /alerts"/);
  });
}

test('refusals without a route or a valid request are logged at debug level', async (t) => {
  const front = await startFront(t);
  await fetch(`${front.url}/secret`);
  const client = await RawClient.connect(front.port, t);
  client.send('GET /health HTTP/1.1\r\nHost: a b\r\n\r\n');
  assert.equal((await client.answer())?.status, 400);
  const other = await RawClient.connect(front.port, t);
  other.send('secret\r\n\r\n');
  const id = (await other.answer())?.headers.get('x-request-id');
  const [nowhere, malformed, connection] = refusalsOf(front);
  assert.deepEqual([nowhere?.['level'], nowhere?.['reason']], ['debug', 'not_found']);
  assert.deepEqual([malformed?.['level'], malformed?.['why']], ['debug', 'Malformed Host header']);
  assert.equal(connection?.['level'], 'debug');
  assert.equal(connection['requestId'], id);
  assert.match(String(connection['code']), /^HPE_/);
  assert.doesNotMatch(JSON.stringify(front.logged), /secret/);
});

function refusalsOf({ logged }: Front): Line[] {
  return logged.map(({ level, fields }) => ({ level, ...(fields as Line) }));
}

test('a refused login is a warning on any route, and quotes nothing', () => {
  const { log, lines } = startLog();
  const check = createAccessCheck({ tokens: () => ['right'], logins: null });
  for (const authorization of ['', 'Bearer wrong', 'Bearer wrong']) {
    const isGiven = authorization !== '';
    const headers = isGiven ? { authorization } : {};
    const rawHeaders = isGiven ? ['Authorization', authorization] : [];
    try {
      check({ headers, rawHeaders } as unknown as Exchange);
    } catch (error) {
      log.refused({ ...refused, route: '/report/:fingerprint', error, isWarning: false });
    }
  }
  assert.deepEqual(lines.map(({ level }) => level), ['debug', 'warn', 'debug']);
  assert.equal(lines[1]?.['client'], '192.0.2.1');
  assert.doesNotMatch(JSON.stringify(lines), /wrong|right/u);
});
