import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { alertNameOf, namespaceOrUnknown, ruleNameOf } from '../../src/alert/alert.ts';
import { fingerprintOf } from '../../src/alert/fingerprint.ts';
import { labelLimits } from '../../src/alert/labels.ts';
import { parseNotification, type Notification } from '../../src/alert/notification.ts';
import { FormatError } from '../../src/lib/parse.ts';

const payloads = join(process.cwd(), 'test/fixtures/payloads');
const receivedAt = Date.parse('2026-06-01T12:00:00Z');

function parse(body: unknown): Notification {
  return parseNotification(JSON.parse(JSON.stringify(body)), receivedAt);
}

/** One alert in a notification of its own, and what became of it. */
function parseOne(alert: unknown, group: Record<string, unknown> = {}) {
  const { alerts, rejected } = parse({ ...group, alerts: [alert] });
  return { alert: alerts[0] ?? null, reason: rejected[0]?.reason ?? null };
}

const captured = readdirSync(payloads, { recursive: true, encoding: 'utf8' })
  .filter((name) => /^(alertmanager|prometheus)-.*\.json$/.test(name))
  .filter((name) => statSync(join(payloads, name)).isFile());

test('the captured payloads are there', () => {
  assert.ok(captured.length >= 20, `${captured.length} payloads`);
});

for (const name of captured) {
  test(`parseNotification() takes every alert of ${name}`, () => {
    const body = JSON.parse(readFileSync(join(payloads, name), 'utf8')) as {
      alerts: { status: string; fingerprint: string; endsAt: string }[];
    };
    const { alerts, rejected, version } = parseNotification(body, receivedAt);
    assert.deepEqual(rejected, []);
    assert.equal(version, '4');
    assert.equal(alerts.length, body.alerts.length);
    for (const [index, alert] of alerts.entries()) {
      const sent = body.alerts[index];
      assert.equal(alert.status, sent?.status);
      assert.equal(alert.fingerprint, sent?.fingerprint);
      assert.equal(fingerprintOf(alert.labels), sent?.fingerprint);
      assert.equal(alert.endsAt, sent?.endsAt.startsWith('0001') ? null : sent?.endsAt);
    }
  });
}

for (const body of [null, [], 'alerts', 7, {}, { alerts: null }, { alerts: {} }, { alerts: 'x' }]) {
  test(`parseNotification() refuses ${JSON.stringify(body)} as a whole`, () => {
    assert.throws(() => parse(body), FormatError);
  });
}

test('parseNotification() refuses more alerts than any sender has', () => {
  const alerts = Array<object>(100_001).fill({ labels: {} });
  assert.throws(() => parseNotification({ alerts }, receivedAt), FormatError);
});

test('parseNotification() gives up where too many alerts are not valid', () => {
  const bad = Array<unknown>(10_000).fill(1);
  assert.equal(parse({ alerts: [...bad, { labels: {} }] }).alerts.length, 1);
  const alerts = [...bad, {}, { labels: {} }];
  assert.throws(() => parse({ alerts }), /at most 10000 that are not valid/);
});

const labels = { alertname: 'A' };
const many = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`l${index}`, 'x']));
const invalid: readonly [string, unknown][] = [
  ['no object', 'alert'],
  ['null', null],
  ['a list', [labels]],
  ['no labels', {}],
  ['labels null', { labels: null }],
  ['labels in a list', { labels: ['a'] }],
  ['a label that is a number', { labels: { a: 1 } }],
  ['a label that is null', { labels: { a: null } }],
  ['an annotation that is no text', { labels, annotations: { a: true } }],
  ['annotations in a list', { labels, annotations: [] }],
  ['too many labels', { labels: many(labelLimits.count + 1) }],
  ['too many annotations', { labels, annotations: many(labelLimits.count + 1) }],
  ['a long label name', { labels: { ['é'.repeat(513)]: 'x' } }],
  ['a long label value', { labels: { a: 'é'.repeat(32 * 1024 + 1) } }],
  ['startsAt that is no time', { labels, startsAt: 'yesterday' }],
  ['startsAt that is a number', { labels, startsAt: 1 }],
  ['endsAt that is no time', { labels, endsAt: '' }],
  ['a fingerprint that is a number', { labels, fingerprint: 7 }],
  ['a dot as fingerprint', { labels, fingerprint: '.' }],
  ['two dots as fingerprint', { labels, fingerprint: '..' }],
  ['a control character in the fingerprint', { labels, fingerprint: 'a\nb' }],
  ['NUL in the fingerprint', { labels, fingerprint: 'a\0' }],
  ['a fingerprint of 257 characters', { labels, fingerprint: 'x'.repeat(257) }],
];
for (const [name, alert] of invalid) {
  test(`parseNotification() rejects an alert with ${name}, not its neighbours`, () => {
    const secret = 'value-that-stays-out-of-the-reason';
    const { alerts, rejected } = parse({ alerts: [{ labels: { secret } }, alert, { labels }] });
    assert.equal(alerts.length, 2);
    assert.equal(rejected.length, 1);
    assert.equal(rejected[0]?.index, 1);
    assert.match(rejected[0]?.reason ?? '', /^alerts\[1\].*: expected /);
  });
}

test('parseNotification() puts no value into a reason', () => {
  const secret = 'hunter2';
  const alerts = [
    { labels: { a: secret, b: 1 } }, { labels, startsAt: secret },
    { labels, fingerprint: `${secret}\n` }, secret,
  ];
  const { rejected } = parse({ alerts });
  assert.equal(rejected.length, alerts.length);
  for (const { reason } of rejected) assert.ok(!reason.includes(secret), reason);
});

const valid: readonly [string, Record<string, unknown>][] = [
  ['labels alone', { labels }],
  ['no label at all', { labels: {} }],
  ['annotations null', { labels, annotations: null }],
  ['an annotation null', { labels, annotations: { summary: 'x', detail: null } }],
  ['an annotation of 70 KiB', { labels, annotations: { log: 'é'.repeat(35 * 1024) } }],
  ['times null', { labels, startsAt: null, endsAt: null }],
  ['256 labels', { labels: many(256) }],
  ['a name of 1 KiB', { labels: { ['é'.repeat(512)]: 'x' } }],
  ['a value of 64 KiB', { labels: { a: 'é'.repeat(32 * 1024) } }],
  ['a fingerprint of any text', { labels, fingerprint: '../../etc/passwd 🔥' }],
  ['unknown members', { labels, later: { nested: [1] } }],
  ['nonsense where it is only shown', { labels, generatorURL: 7, values: 'x', dashboardURL: {} }],
];
for (const [name, alert] of valid) {
  test(`parseNotification() takes an alert with ${name}`, () => {
    assert.equal(parseOne(alert).reason, null);
  });
}

test('parseNotification() cuts an annotation that is too long, and no other', () => {
  const [whole, log] = ['y'.repeat(60_000), 'é'.repeat(35 * 1024)];
  const { alert } = parseOne({ labels, annotations: { log, whole, none: null } });
  assert.deepEqual(Object.keys(alert?.annotations ?? {}), ['log', 'whole']);
  assert.equal(alert?.annotations['whole'], whole);
  assert.match(alert?.annotations['log'] ?? '', /^é{20000,}…$/u);
});

test('parseNotification() takes label names that objects inherit as data', () => {
  const body = '{"alerts":[{"labels":{"__proto__":"p","constructor":"c","toString":"t"}}]}';
  const { alerts } = parseNotification(JSON.parse(body), receivedAt);
  assert.deepEqual(Object.entries(alerts[0]?.labels ?? {}), [
    ['__proto__', 'p'], ['constructor', 'c'], ['toString', 't'],
  ]);
  assert.equal(({} as Record<string, unknown>)['p'], undefined);
});

test('parseNotification() finds no labels on a prototype', () => {
  const alert: unknown = JSON.parse('{"__proto__":{"labels":{"alertname":"A"}}}');
  assert.notEqual(parseOne(alert).reason, null);
});

test("parseNotification() reads Grafana's values, reasons and form for silences", () => {
  const values = { B: -1, C: -1 };
  const noData = { labels, values, annotations: { grafana_state_reason: 'Error, KeepLast' } };
  assert.deepEqual(parseOne(noData).alert?.values, {});
  const passedOn = {
    labels, annotations: { __values__: '{"B":0.0873,"C":1}', __value_string__: 'x', summary: 'y' },
  };
  const { alert } = parseOne(passedOn);
  assert.deepEqual(alert?.values, { B: '0.0873', C: '1' });
  assert.deepEqual(alert?.annotations, { summary: 'y' });
  assert.equal(alert?.silenceURL, undefined);
  const broken = { labels, annotations: { __values__: '{"B":' } };
  assert.deepEqual(parseOne(broken).alert?.values, {});
  const silenceURL = 'https://grafana.example/alerting/silence/new';
  assert.equal(parseOne({ labels, silenceURL }).alert?.silenceURL, silenceURL);
});

test('parseNotification() takes no start from an end that repeats it', () => {
  const at = '2026-06-01T11:00:00Z';
  const ended = { labels, status: 'resolved', startsAt: at, endsAt: '2026-06-01T13:00:00+02:00' };
  assert.deepEqual([parseOne(ended).alert?.startsAt, parseOne(ended).alert?.endsAt],
    [null, ended.endsAt]);
  assert.equal(parseOne({ ...ended, status: 'firing' }).alert?.startsAt, at);
});

test('ruleNameOf() tells the rules of Grafana apart whose data is missing', () => {
  assert.equal(ruleNameOf({ alertname: 'DatasourceNoData', rulename: 'Low' }), 'Low');
  assert.equal(ruleNameOf({ alertname: 'DatasourceError' }), 'DatasourceError');
  assert.equal(ruleNameOf({ alertname: 'A', rulename: 'Low' }), 'A');
});

const past = '2026-06-01T11:59:59Z';
const future = '2026-06-01T12:00:01Z';
const statuses: readonly [string, unknown, string, string, string][] = [
  ['firing', 'firing', 'resolved', past, 'firing'],
  ['resolved', 'resolved', 'firing', future, 'resolved'],
  ['absent in a firing group', undefined, 'firing', past, 'firing'],
  ['absent in a resolved group, ended', undefined, 'resolved', past, 'resolved'],
  ['absent in a resolved group, ending later', undefined, 'resolved', future, 'firing'],
  ['absent in a resolved group, never ended', null, 'resolved', '0001-01-01T00:00:00Z', 'firing'],
  ['unknown', 'pending', 'firing', past, 'firing'],
  ['no text', 7, 'resolved', past, 'resolved'],
];
for (const [name, status, group, endsAt, expected] of statuses) {
  test(`an alert whose status is ${name} is ${expected}`, () => {
    assert.equal(parseOne({ labels, status, endsAt }, { status: group }).alert?.status, expected);
  });
}

const versions = [['4', '4'], ['1', '1'], [undefined, 'absent'], [4, 'absent'], ['5', 'other']];
for (const [sent, version] of versions) {
  test(`a notification of version ${JSON.stringify(sent)} is taken as ${version}`, () => {
    assert.equal(parse({ version: sent, alerts: [] }).version, version);
  });
}

test('parseNotification() leaves out values with a name longer than a label may have', () => {
  const values = { A: 1, ['B'.repeat(1025)]: 2, C: 'text', ['D'.repeat(1024)]: 4 };
  const { alerts } = parse({ alerts: [{ labels, values }] });
  assert.deepEqual(Object.keys(alerts[0]?.values ?? {}), ['A', 'D'.repeat(1024)]);
});

test('parseNotification() undoes the escapes of the receiver', () => {
  assert.equal(parse({ receiver: 'team\\.x\\+y\\\\z', alerts: [] }).group.receiver, 'team.x+y\\z');
});

test('parseNotification() is lenient about what it only shows of the group', () => {
  const body = { receiver: 7, groupKey: [], groupLabels: 'x', externalURL: {}, alerts: [] };
  const { group } = parse({ ...body, truncatedAlerts: -3 });
  assert.deepEqual(group, {
    receiver: '', groupKey: '', groupLabels: {}, externalURL: '', listed: 0, truncated: 0,
  });
});

test('parseNotification() believes no number of alerts left out that cannot be', () => {
  for (const [sent, counted] of [[7.9, 7], [1e308, 1_000_000], ['7', 0]] as const) {
    assert.equal(parse({ truncatedAlerts: sent, alerts: [] }).group.truncated, counted);
  }
});

test('parseNotification() keeps little of a group: each of its alerts is written with it', () => {
  const long = 'x'.repeat(60_000);
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`l${index}`, long]));
  const names = Object.fromEntries(Array.from({ length: 50 }, (_, index) =>
    [`${'n'.repeat(1_000)}${index}`, '']));
  const { group } = parse({
    receiver: long, groupKey: long, externalURL: `http://am/${long}`, alerts: [],
    groupLabels: { ...many, ...names, alertname: 'A' },
  });
  assert.equal(group.groupLabels['alertname'], 'A');
  assert.ok(JSON.stringify(group).length < 12_000);
});

test('alertNameOf() and namespaceOf() say Unknown without a label, or with an empty one', () => {
  assert.deepEqual([alertNameOf({}), namespaceOrUnknown({})], ['Unknown', 'Unknown']);
  assert.equal(namespaceOrUnknown({ namespace: '' }), 'Unknown');
  assert.deepEqual([alertNameOf(labels), namespaceOrUnknown({ namespace: 'n' })], ['A', 'n']);
});
