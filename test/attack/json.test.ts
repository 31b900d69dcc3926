/** Bodies: every file of the JSON test suite, and the tricks that JSON allows. */
import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { forAllTests } from '../support/for-all-tests.ts';
import { startAttackedService } from '../support/http/attacked-service.ts';

const packed = readFileSync(join(process.cwd(), 'test/fixtures/json-test-suite.json.gz'));
const suite = Object.entries(JSON.parse(gunzipSync(packed).toString()) as Record<string, string>)
  .map(([name, base64]) => ({ name, bytes: Buffer.from(base64, 'base64') }));

/** Put around a file, these make it an unknown member of a notification. */
const [before, after] = [Buffer.from('{"alerts":[],"x":'), Buffer.from('}')];

const attacked = forAllTests((cleanup) => startAttackedService(cleanup));

test('the webhook answers every file of the JSON test suite with 200 or 400', async () => {
  const service = attacked();
  let valid = 0;
  let invalid = 0;
  for (const { name, bytes } of suite) {
    const alone = await service.postBody(bytes);
    assert.equal(alone.status, 400, `${name}: no file is a notification`);
    assert.equal(alone.body, '{"detail":"Invalid alert format"}', name);
    const { status } = await service.postBody(Buffer.concat([before, bytes, after]));
    const [, kind = ''] = /\/([yn])_/.exec(name) ?? [];
    const isSound = kind === 'y' || (kind === '' && isTaken(name, bytes));
    assert.equal(status, isSound ? 200 : 400, name);
    valid += kind === 'y' ? 1 : 0;
    invalid += kind === 'n' ? 1 : 0;
  }
  assert.deepEqual([valid, invalid, suite.length], [95, 188, 340]);
  await service.assertUnharmed();
});

/** Whether the service accepts a file for which the suite leaves that open. */
function isTaken(name: string, bytes: Buffer): boolean {
  if (!isUtf8(bytes) || name.includes('500_nested')) return false;
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
}

test('a label that is not a string makes only its own alert invalid', async () => {
  const service = attacked();
  for (const { name, bytes } of suite.filter((file) => file.name.includes('/y_'))) {
    const value = JSON.parse(bytes.toString()) as unknown;
    const first = '{"alerts":[{"labels":{"alertname":"Sound"}},{"labels":{"alertname":"A","x":';
    const body = Buffer.concat([Buffer.from(first), bytes, Buffer.from('}}]}')]);
    const answer = await service.postBody(body);
    assert.equal(answer.status, 200, name);
    const isText = typeof value === 'string';
    assert.equal(answer.headers.get('x-alerts-rejected') ?? '0', isText ? '0' : '1', name);
  }
  await service.assertUnharmed();
});

const alertWith = (labels: string): string => `{"alerts":[{"labels":${labels}}]}`;
const members = (count: number): string =>
  Array.from({ length: count }, (_, index) => `"n${index}":"v"`).join(',');

const bodies: readonly (readonly [name: string, body: string | Buffer, status: number])[] = [
  ['a nesting of 1e5', `{"alerts":${'['.repeat(1e5)}${']'.repeat(1e5)}}`, 400],
  ['a nesting of 1e6 that never ends', '{"a":'.repeat(1e6), 400],
  ['deep nesting in a member nobody reads',
    `{"alerts":[],"x":${'['.repeat(40)}${']'.repeat(40)}}`, 400],
  ['brackets inside a string', alertWith(`{"alertname":"${'['.repeat(1e4)}"}`), 200],
  ['millions of values', `{"alerts":[],"x":[${'0,'.repeat(3e6)}0]}`, 400],
  ['200 000 alerts that are none', `{"alerts":[${'0,'.repeat(2e5)}0]}`, 400],
  ['257 labels', alertWith(`{${members(257)}}`), 400],
  ['256 labels', alertWith(`{${members(256)}}`), 200],
  ['100 000 labels', alertWith(`{${members(1e5)}}`), 400],
  ['a name of 1025 bytes', alertWith(`{"${'n'.repeat(1025)}":"v"}`), 400],
  ['a value of 65 537 bytes', alertWith(`{"a":"${'v'.repeat(65_537)}"}`), 400],
  ['a value of 1 MB', alertWith(`{"a":"${'v'.repeat(1e6)}"}`), 400],
  ['a byte order mark', `\ufeff${alertWith('{"a":"b"}')}`, 200],
  ['UTF-16', Buffer.from(alertWith('{"a":"b"}'), 'utf16le'), 400],
  ['a byte that is not UTF-8', Buffer.from(alertWith('{"a":"\xff"}'), 'latin1'), 400],
  ['an overlong slash', Buffer.from(alertWith('{"a":"\xc0\xaf"}'), 'latin1'), 400],
  ['a surrogate in UTF-8', Buffer.from(alertWith('{"a":"\xed\xa0\x80"}'), 'latin1'), 400],
  ['escaped lone surrogates', alertWith('{"a":"\\ud800","\\udc00":"b"}'), 200],
  ['NUL in a name', alertWith('{"a\\u0000b":"c"}'), 200],
  ['a fingerprint of control characters',
    '{"alerts":[{"labels":{},"fingerprint":"a\\u0000b"}]}', 400],
  ['a fingerprint of 257 characters',
    `{"alerts":[{"labels":{},"fingerprint":"${'f'.repeat(257)}"}]}`, 400],
  ['numbers beyond all bounds',
    '{"alerts":[{"labels":{"alertname":"N"},"values":{"A":1e400,"B":-0,"C":123456789012345678901' +
      '}}],"truncatedAlerts":1e308}', 200],
  ['a time that is none', '{"alerts":[{"labels":{},"startsAt":"2026-02-30T00:00:00Z"}]}', 400],
  ['a time beyond time', '{"alerts":[{"labels":{},"startsAt":"9999-12-31T23:59:59-23:59"}]}', 400],
];

test('the webhook accepts or refuses extreme JSON, and none of it takes long', async () => {
  const service = attacked();
  for (const [name, body, status] of bodies) {
    const startedAt = performance.now();
    assert.equal((await service.postBody(body)).status, status, name);
    const ms = performance.now() - startedAt;
    assert.ok(ms < 6_000, `${name} takes ${Math.round(ms)} ms`);
  }
  await service.assertUnharmed();
});

test('of duplicate members the last one counts, everywhere', async () => {
  const service = attacked();
  const body = '{"alerts":[{"labels":{"alertname":"First"}}],"alerts":[{"fingerprint":"x",' +
    '"fingerprint":"twice","labels":{"alertname":"A","alertname":"B"}}]}';
  const { body: answered } = await service.postBody(body);
  assert.match(answered, /"fingerprint":"twice","alert_name":"B"/);
  assert.doesNotMatch(answered, /First/);
  assert.deepEqual((await service.finished('twice')).alert.labels, { alertname: 'B' });
});

test('labels named like inherited members pollute no prototype', async () => {
  const service = attacked();
  const inherited = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'then'];
  const text = `{${inherited.map((name) => `"${name}":"polluted"`).join(',')}}`;
  const deeper = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
  const body = `{"__proto__":{"polluted":true},"groupLabels":${text},"commonLabels":${deeper},` +
    `"alerts":[{"fingerprint":"proto","labels":${text},"annotations":${text},"values":${deeper}}]}`;
  assert.equal((await service.postBody(body)).status, 200);
  const report = await service.finished('proto');
  assert.deepEqual(Object.keys(report.alert.labels).sort(), [...inherited].sort());
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  for (const path of ['/', '/reports.json', '/report/proto', '/report/proto.md', '/metrics']) {
    assert.equal((await fetch(service.url + path)).status, 200, path);
  }
  await service.assertUnharmed();
});

test('a body with any content coding is refused without being decompressed', async () => {
  const service = attacked();
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, '['));
  for (const encoding of ['gzip', 'GZIP', 'deflate', 'br', 'x-gzip', 'identity, gzip', 'zstd']) {
    const answer = await service.postBody(bomb, [`Content-Encoding: ${encoding}`]);
    assert.equal(answer.status, 415, encoding);
  }
  assert.equal((await service.postBody(bomb)).status, 400);
  await service.assertUnharmed();
});
