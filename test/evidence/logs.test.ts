import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger } from '../../src/evidence/ledger.ts';
import { askLogs, type LogAnswers } from '../../src/evidence/logs/ask-logs.ts';
import { collectLogs } from '../../src/evidence/logs/collect-logs.ts';
import { compareAnswers } from '../../src/evidence/logs/log-comparison.ts';
import type { LogFacts } from '../../src/evidence/logs/log-facts.ts';
import { createLoki, lokiIdentity } from '../../src/sources/loki.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile } from '../support/samples/case-files.ts';
import {
  cartLabels, cartStream, firedAt, linesBetween, minute, refusedLines, usualLines,
} from '../support/samples/shop-logs.ts';
import { fakeLoki, type LoggedStream } from '../support/sources/fake-loki.ts';
import {
  answering, faults, startFakeSource, type Answer, type FakeSource,
} from '../support/sources/fake-source.ts';
import { testClient } from '../support/sources/source-clients.ts';

interface Collected {
  readonly facts: LogFacts;
  readonly ledger: Ledger;
  readonly asked: readonly string[];
}

interface Alerting {
  readonly labels?: Readonly<Record<string, string>>;
  readonly now?: number;
  readonly startsAtMs?: number;
}

function answered(
  { url }: FakeSource,
  { labels = cartLabels, now = firedAt + 2 * minute, startsAtMs = firedAt }: Alerting = {},
): Promise<LogAnswers> {
  const client = testClient({ url, identity: lokiIdentity });
  const alert = anAlert({ labels, startsAt: new Date(startsAtMs).toISOString() });
  return askLogs(aCaseFile({ alert }), now, {
    clock: new ManualClock(now), signal: new AbortController().signal, deadlineMs: 2_500,
    open: (signal) => createLoki(client, signal),
  });
}

async function collected(
  t: Cleanup,
  answer: Answer | readonly Answer[],
  alerting: Alerting = {},
): Promise<Collected> {
  const source = await startFakeSource(t, answer);
  const answers = await answered(source, alerting);
  const { now = firedAt + 2 * minute } = alerting;
  const ledger = new Ledger();
  const facts = collectLogs(answers, { ledger, now, queries: source.requests.length, secrets: [] });
  return { facts, ledger, asked: source.requests.map(({ path }) => path) };
}

const broken: LoggedStream = cartStream([...usualLines(), ...refusedLines()]);

test('collectLogs finds what is new in the log since the trouble', async (t) => {
  const { facts, ledger, asked } = await collected(t, fakeLoki([broken]));
  assert.equal(facts.source.state, 'ok');
  assert.deepEqual(facts.source.failures, []);
  const [first, ...more] = facts.trouble?.news ?? [];
  assert.deepEqual(more, []);
  assert.equal(first?.kind, 'new');
  assert.match(first.pattern, /cannot load cart .*remaining connection slots are reserved/);
  assert.equal(first.firstAtMs, firedAt - 9 * minute);
  assert.equal(first.before, 0);
  assert.equal(first.after, 66);
  assert.equal(first.level, 'error');
  assert.deepEqual([facts.rate?.beforePerMinute, facts.rate?.silentSinceMs], [12.5, null]);
  assert.deepEqual(ledger.items.map(({ kind, source, state }) => `${kind} ${source} ${state}`), [
    'source loki ok', 'logs loki ok', 'logs loki ok',
  ]);
  const [, lines, trouble] = ledger.items;
  assert.equal(lines?.query,
    'sum(count_over_time({pod="cart-7d9f8b6c5d-x2x4z",namespace="shop",container="cart"}[1m]))');
  assert.match(trouble?.query ?? '', /^\{pod="[^}]*\} \|~ "\(\?i\)error\|/);
  assert.equal(asked.filter((path) => path === '/loki/api/v1/series').length, 2);
  assert.equal(asked.length, 5);
});

test('collectLogs finds nothing new in trouble as old as the log', async (t) => {
  const { facts, ledger } = await collected(t, fakeLoki([cartStream(usualLines())]));
  assert.deepEqual(facts.trouble?.news, []);
  assert.ok((facts.trouble?.before ?? 0) > 20);
  assert.match(ledger.items[2]?.summary ?? '', /None of it is clearly new\.$/);
});

for (const [lines, told] of [[2, 1], [3, 2]] as const) {
  test(`collectLogs tells ${told} of a noisy log with ${lines} lines never seen`, async (t) => {
    const noise = (index: number): string => `level=error msg="retry ${index} of mail"`;
    const unseen = linesBetween([firedAt - 6 * minute, firedAt], 6 * minute / lines, () =>
      'level=error msg="dial tcp: no such host"');
    const { facts } = await collected(t, fakeLoki([cartStream([
      ...usualLines(), ...linesBetween([firedAt - 120 * minute, firedAt], 5 * minute, noise),
      ...linesBetween([firedAt - 20 * minute, firedAt], 20_000, noise), ...unseen,
    ])]));
    assert.deepEqual(facts.trouble?.news.map(({ kind, before }) => [kind, before > 0]),
      [['more', true], ['alike', false]].slice(0, told));
  });
}

test('collectLogs finds since when a log is silent', async (t) => {
  const silent = cartStream(usualLines(firedAt - 6 * minute));
  const { facts } = await collected(t, fakeLoki([silent]));
  assert.equal(facts.rate?.silentSinceMs, firedAt - 6 * minute);
});

test('collectLogs masks the secrets that lines hold', async (t) => {
  const leak = linesBetween([firedAt - 5 * minute, firedAt], 1000, (index) =>
    `login of user${index} failed: password=hunter2secret99 for postgres://app:pa55w0rd@db/shop`);
  const { facts, ledger } = await collected(t, fakeLoki([cartStream([...usualLines(), ...leak])]));
  assert.equal(facts.trouble?.news.length, 1);
  const all = JSON.stringify([facts, ledger.items]);
  for (const secret of ['hunter', 'secret99', 'pa55', 'w0rd']) assert.ok(!all.includes(secret));
  assert.ok((ledger.items[2]?.redactions ?? 0) >= 2);
});

const token = 'ghp_Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2';
const hidden: readonly (readonly [string, string])[] = [
  ['behind a name that reads as a logger', 'ERROR db.password : hunter2secret99 refused'],
  ['behind a name that a soft hyphen splits', 'error: pass\u00adword=hunter2secret99 refused'],
  ['split by what nobody sees', `error: ${token.slice(0, 20)}\u200b${token.slice(20)} refused`],
  ['apart from its name', JSON.stringify({
    level: 'error', env: { name: 'DB_PASSWORD', value: 'hunter2secret99' },
  })],
];
for (const [where, text] of hidden) {
  test(`collectLogs masks a secret ${where}`, async (t) => {
    const leak = linesBetween([firedAt - 5 * minute, firedAt], 5000, () => text);
    const stream = cartStream([...usualLines(), ...leak]);
    const { facts, ledger } = await collected(t, fakeLoki([stream]));
    assert.equal(facts.trouble?.news.length, 1);
    const all = JSON.stringify([facts, ledger.items]);
    for (const part of ['hunter2', ...token.match(/.{8}/g) ?? []]) assert.ok(!all.includes(part));
  });
}

test('collectLogs reads a bounded number of lines', async (t) => {
  const flood = linesBetween([firedAt - 60 * minute, firedAt + minute], 200, (index) =>
    `error: request ${index} failed`);
  const { facts, ledger } = await collected(t, fakeLoki([cartStream(flood)]));
  assert.deepEqual([facts.trouble?.before, facts.trouble?.after], [1000, 1000]);
  assert.deepEqual(facts.trouble?.news, []);
  assert.ok((facts.trouble?.afterFromMs ?? 0) > firedAt - 4 * minute, 'covers the latest minutes');
  assert.equal(ledger.items[2]?.truncated, true);
});

test('collectLogs names the missing labels if the alert has no stream', async (t) => {
  const other = { labels: { app: 'orders' }, lines: usualLines() };
  const { facts, ledger } = await collected(t, fakeLoki([other]));
  assert.equal(facts.source.state, 'ok');
  const [missing, ...more] = facts.source.failures;
  assert.deepEqual(more, []);
  assert.equal(missing?.why,
    'Loki has no stream of pod cart-7d9f8b6c5d-x2x4z or workload cart.');
  assert.match(missing.hint, /with one of these labels: pod, pod_name, .*service_name, app/);
  assert.deepEqual([facts.trouble, facts.rate], [null, null]);
  assert.equal(ledger.items.length, 1);
});

test('collectLogs asks nothing for an alert that names no object, and says so', async (t) => {
  const { facts, ledger, asked } = await collected(t, faults.silent, { labels: { team: 'a' } });
  assert.deepEqual(asked, []);
  assert.equal(ledger.items[0]?.state, 'empty');
  assert.match(facts.source.failures[0]?.why ?? '', /no label of the alert names the pod/);
});

test('collectLogs says in Loki\'s words why it was refused', async (t) => {
  const refusal = answering('no org id', { status: 401, type: 'text/plain' });
  const { facts, ledger } = await collected(t, refusal);
  assert.equal(facts.source.state, 'failed');
  assert.equal(ledger.items.length, 1);
  assert.equal(ledger.items[0]?.error, 'Cannot read from Loki: it answered 401: no org id.');
  assert.equal(facts.source.failures.length, 1, 'of both its objects');
  assert.match(facts.source.failures[0]?.hint ?? '', /LOKI_TOKEN/);
});

test('collectLogs gives up on a silent Loki after 2.5 s', async (t) => {
  const source = await startFakeSource(t, faults.silent);
  const clock = new ManualClock(firedAt);
  const client = testClient({ url: source.url, identity: lokiIdentity, clock });
  const asked = askLogs(aCaseFile({ alert: anAlert({ labels: cartLabels }) }), firedAt, {
    clock, signal: new AbortController().signal, deadlineMs: 2_500,
    open: (signal) => createLoki(client, signal),
  });
  clock.advance(2_500);
  const facts = collectLogs(await asked, {
    ledger: new Ledger(), now: firedAt, queries: 2, secrets: [],
  });
  assert.equal(facts.source.state, 'failed');
  assert.equal(facts.source.failures[0]?.why, 'Cannot read from Loki: no answer within 2.5 s.');
  assert.match(facts.source.failures[0].hint, /load on Loki, and that LOKI_URL is right/);
});

test('collectLogs uses the other answers if one query is refused', async (t) => {
  const whole = fakeLoki([broken]);
  const { facts } = await collected(t, (response, request, asked) => {
    const isCount = asked.parameters.get('query')?.includes('count_over_time') === true;
    if (!isCount) return whole(response, request, asked);
    response.writeHead(429, { 'content-type': 'text/plain' }).end('too many requests');
  });
  assert.equal(facts.source.state, 'ok');
  assert.equal(facts.trouble?.news.length, 1);
  assert.equal(facts.rate, null);
  assert.deepEqual(facts.source.failures.map(({ what }) => what), ['How many lines it logs']);
});

test('collectLogs drops lines outside the time span it asked for', async (t) => {
  const values = [1, firedAt, Date.parse('2250-01-01')].flatMap((atMs) => {
    return Array.from({ length: 9 }, () => [`${String(atMs).padStart(2, '0')}000000`, 'no stock']);
  });
  const data = { resultType: 'streams', result: [{ stream: {}, values }] };
  const { facts } = await collected(t, (response, request, asked) => {
    const isOfLines = asked.parameters.get('direction') === 'backward';
    if (!isOfLines) return fakeLoki([broken])(response, request, asked);
    response.writeHead(200).end(JSON.stringify({ status: 'success', data }));
  });
  assert.deepEqual([facts.trouble?.before, facts.trouble?.after], [0, 9]);
  assert.equal(facts.trouble?.news[0]?.firstAtMs, firedAt);
});

test('collectLogs reads what programs call trouble, and not what they do all day', async (t) => {
  const trouble = [
    '[10:00:00 ERR] Payment of cart 17 broke', '10:00AM ERR payment broke addr=:80',
    'level=err msg="payment broke"', '{"level":"err","msg":"payment broke"}',
    'SEVERE: Servlet.service() threw', '2026/11/20 10:00:00 [emerg] 1#1: host not found',
    '2026/11/20 10:00:00 [crit] 1#1: *7 SSL_do_handshake()', 'container exited with code 137',
    'worker died, exit code 1', 'PLEG is not healthy', 'lost connection to the broker',
    'invalid configuration: no upstream', 'message rejected by the queue',
  ];
  const usual = [
    'GET /cart/1 200 referrer=/shop stderr F', 'terraform plan was described', 'closed cart 17',
    'level=info msg="interrupted transfer goes on"',
  ];
  const lines = [...trouble, ...usual].map((text, at) => [firedAt - at * 1000, text] as const);
  const { facts } = await collected(t, fakeLoki([cartStream(lines)]));
  assert.equal(facts.trouble?.after, trouble.length);
});

test('collectLogs looks no further than ten minutes after the start', async (t) => {
  const late = linesBetween([firedAt + 30 * minute, firedAt + 60 * minute], 1000, () => 'error x');
  const { facts } = await collected(t, fakeLoki([cartStream([...usualLines(), ...late])]), {
    now: firedAt + 60 * minute,
  });
  assert.equal(facts.window.toMs, firedAt + 10 * minute);
  assert.deepEqual(facts.trouble?.news, []);
});

test('askLogs asks the same for alerts that begin in the same minute', async (t) => {
  const source = await startFakeSource(t, fakeLoki([broken]));
  await answered(source);
  await answered(source, { startsAtMs: firedAt + 55_123 });
  const asked = source.requests.map(({ path, parameters }) => `${path}?${parameters}`);
  assert.equal(asked.length, 10);
  assert.equal(new Set(asked).size, 5);
});

test('compareAnswers compares once what several alerts are given', async (t) => {
  const { read, window } = await answered(await startFakeSource(t, fakeLoki([broken])));
  assert.ok(read !== null && read.trouble !== null);
  const { before, after, comparison } = read.trouble;
  assert.equal(compareAnswers(before, after, window), comparison);
  const later = compareAnswers(before, after, { ...window, fromMs: window.fromMs + 60_000 });
  assert.equal(later.before.fromMs, window.fromMs + 60_000);
  const other = compareAnswers({ ...before, lines: [] }, after, window);
  assert.equal(other.before.lines.length, 0);
});
