/** Forged and rotating client addresses, guessed tokens, and requests from other sites. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ClientBuckets } from '../../src/http/checks/client-buckets.ts';
import { clientOf } from '../../src/http/server/client-address.ts';
import { parseNetworkList } from '../../src/lib/network-list.ts';
import { startAttackedService, type AttackedService } from '../support/http/attacked-service.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { seededRandom } from '../support/random.ts';

const limited = { RATE_LIMIT_PER_CLIENT: '5', READ_LIMIT_PER_CLIENT: '5' };
const empty = '{"alerts":[]}';

async function statusesOf(
  service: AttackedService,
  fieldsOf: (index: number) => readonly string[],
): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < 8; index += 1) {
    statuses.push((await service.postBody(empty, fieldsOf(index))).status);
  }
  return statuses;
}

const fiveThenNone = [200, 200, 200, 200, 200, 429, 429, 429];

const forged: readonly (readonly [name: string, field: (index: number) => readonly string[]])[] = [
  ['X-Forwarded-For', (index) => [`X-Forwarded-For: 10.0.0.${index}`]],
  ['two X-Forwarded-For', (index) =>
    [`X-Forwarded-For: ${index}.1.1.1`, 'X-Forwarded-For: 1.1.1.1']],
  ['Forwarded', (index) => [`Forwarded: for=10.0.0.${index}`]],
  ['X-Real-IP', (index) => [`X-Real-IP: 10.0.0.${index}`]],
  ['X-Client-IP and its kin', (index) =>
    [`X-Client-IP: 1.1.1.${index}`, `CF-Connecting-IP: 1.1.1.${index}`, `True-Client-IP: 1.1.1.1`]],
];

test('forged address headers do not change which client is counted', async (t) => {
  const service = await startAttackedService(t, limited);
  assert.deepEqual(await statusesOf(service, () => []), fiveThenNone);
  for (const [name, field] of forged) {
    const statuses = new Set(await statusesOf(service, field));
    assert.deepEqual([...statuses], [429], name);
  }
});

const behindProxy: readonly (readonly [name: string, value: (index: number) => string])[] = [
  ['claims left of the proxy\'s own entry', (index) => `10.0.0.${index}, 203.0.113.8`],
  ['entries of the same /64', (index) => `2001:db8:1:2:${index}::${index}`],
  ['spellings of one address', (index) =>
    ['203.0.113.9', '::ffff:203.0.113.9', '[::ffff:203.0.113.9]:80', '203.0.113.9:1',
      '::FFFF:CB00:7109', '0:0:0:0:0:ffff:203.0.113.9', ' 203.0.113.9 ',
      '203.0.113.9'][index] ?? ''],
  ['entries that are no address', (index) =>
    (index % 2 === 0 ? `${index}.${index}` : `0x7f.${index}`)],
  ['thousands of hops', (index) => `${`9.9.9.${index},`.repeat(700)}203.0.113.7`],
];

test('behind a proxy only the address that it added counts', async (t) => {
  const service = await startAttackedService(t, { ...limited, TRUSTED_PROXIES: '127.0.0.1' });
  for (const [name, value] of behindProxy) {
    const statuses = await statusesOf(service, (index) => [`X-Forwarded-For: ${value(index)}`]);
    assert.deepEqual(statuses, fiveThenNone, name);
  }
});

test('tens of thousands of addresses take no more memory than the limit of buckets', () => {
  const clock = new ManualClock(0);
  const buckets = new ClientBuckets({ capacity: 3, clock, clientsMax: 1000 });
  const next = seededRandom(1);
  const proxies = parseNetworkList(['127.0.0.1']);
  const victim = '198.51.100.7';
  for (let draw = 0; draw < 3; draw += 1) buckets.bucketOf(victim).take();
  for (let index = 0; index < 3e4; index += 1) {
    const groups = Array.from({ length: 4 }, () => (next() & 0xffff).toString(16));
    buckets.bucketOf(clientOf('127.0.0.1', `2001:${groups.join(':')}::1`, proxies)).take();
  }
  assert.ok(buckets.size <= 1000);
  assert.equal(buckets.bucketOf(victim).take(), false, 'the flood did not reset another client');
});

test('guessing tokens is rate limited and reveals nothing about the token', async (t) => {
  const token = 'correct-horse-battery-staple';
  const service = await startAttackedService(t, { ...limited, ACCESS_TOKEN: token });
  const guesses = ['', token.slice(0, -1), `${token}x`, token.toUpperCase(), 'Bearer'];
  const answers = await Promise.all(guesses.map((guess) =>
    service.postBody(empty, [`Authorization: Bearer ${guess}`])));
  assert.deepEqual(answers.map(({ status }) => status), [401, 401, 401, 401, 401]);
  assert.deepEqual([...new Set(answers.map(({ body }) => body))], ['{"detail":"Unauthorized"}']);
  const right = await service.postBody(empty, [`Authorization: Bearer ${token}`]);
  assert.equal(right.status, 429, 'after so many guesses even the right token is refused');
});

test('tokens are compared in constant time, each with every expected one', () => {
  const code = readFileSync(join(process.cwd(), 'src/http/checks/authentication.ts'), 'utf8');
  const [comparison = ''] = /function createComparison[^]*?\n}/.exec(code) ?? [];
  assert.match(comparison, /timingSafeEqual\(scratch, candidate\)/);
  assert.doesNotMatch(comparison, /break|presented ===|startsWith|includes|\.equals\(/);
  // The presented token is used nowhere else; the reason for the log looks only at its scheme.
  const [reason = ''] = /function whyNot[^]*?\n}/.exec(code) ?? [];
  const uses = code.replace(reason, '').match(/.*(?<!function )authorizationOf\(.*/g) ?? [];
  assert.deepEqual(uses, ['    if (isExpected(authorizationOf(exchange))) return;']);
  assert.deepEqual(reason.match(/\bpresented\b[^)]*\)/g), [
    'presented = authorizationOf(exchange)', "presented === '')", 'presented.startsWith(scheme)',
  ]);
});

const crossSite: readonly (readonly [name: string, fields: readonly string[]])[] = [
  ['a form of another site', ['Origin: https://evil.example', 'Sec-Fetch-Site: cross-site',
    'Content-Type: application/x-www-form-urlencoded']],
  ['a form in text/plain', ['Origin: https://evil.example', 'Content-Type: text/plain']],
  ['a fetch without cors', ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors']],
  ['a sandboxed frame', ['Origin: null']],
  ['a neighbour on the same site', ['Sec-Fetch-Site: same-site']],
  ['another port', ['Origin: http://127.0.0.1:1']],
  ['another scheme', ['Origin: file://']],
  ['a name that begins alike', ['Origin: http://127.0.0.1.evil.example']],
  ['a user in the origin', ['Origin: http://127.0.0.1@evil.example']],
  ['two origins', ['Origin: http://127.0.0.1, https://evil.example']],
  ['an origin that is none', ['Origin: %%%']],
];

async function startWithReport(t: TestContext): Promise<AttackedService> {
  const service = await startAttackedService(t);
  await service.postBody('{"alerts":[{"fingerprint":"known","labels":{"alertname":"A"}}]}');
  await service.finished('known');
  return service;
}

test('other sites can neither post alerts nor feedback nor ask for an analysis', async (t) => {
  const service = await startWithReport(t);
  const rebound = 'evil.example:8080';
  const bodies = { '/webhook': empty, '/report/known/1/feedback': 'verdict=wrong&noisy=on',
    '/report/known/analyse': '' };
  for (const [path, body] of Object.entries(bodies)) {
    for (const [name, fields, host = service.host] of [
      ...crossSite,
      ['a name that resolves to the service', [`Origin: http://${rebound}`,
        'Sec-Fetch-Site: same-origin'], rebound],
    ] as const) {
      const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, ...fields,
        `Content-Length: ${body.length}`, '', ''];
      const answer = await service.send(head.join('\r\n') + body);
      assert.equal(answer?.status, 403, `${name} to ${path}`);
      assert.equal(answer.headers.get('access-control-allow-origin'), undefined);
    }
    const asked = await service.send([`OPTIONS ${path} HTTP/1.1`, `Host: ${service.host}`,
      'Origin: https://evil.example', 'Access-Control-Request-Method: POST', '', ''].join('\r\n'));
    assert.equal(asked?.status, 405, path);
    assert.equal(asked.headers.get('access-control-allow-origin'), undefined);
  }
  const report = await service.report('known');
  assert.deepEqual(report.feedback, []);
  assert.equal(report.status, 'ready');
});
