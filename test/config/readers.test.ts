import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ConfigError, listVariables, loadSettings } from '../../src/config/settings.ts';
import type { Environment } from '../../src/config/variables.ts';
import { temporaryFile } from '../support/temporary-directory.ts';

const machine = { cores: 2, isTerminal: false };

function problemsOf(environment: Environment): readonly string[] {
  try {
    loadSettings(environment, machine);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
}

/** What is wrong with the value of the variable `name`, whatever else is. */
function problemOf(name: string, value: string): string | null {
  const problems = problemsOf({ [name]: value });
  return problems.find((problem) => problem.startsWith(`${name} must be`)) ?? null;
}

const bounds = listVariables().flatMap(({ name }) => {
  const stated = / a whole number from (\d+) to (\d+),/.exec(problemOf(name, '-1') ?? '');
  return stated === null ? [] : [[name, Number(stated[1]), Number(stated[2])] as const];
});

test('there are settings with bounds', () => assert.ok(bounds.length > 15));

for (const [name, min, max] of bounds) {
  test(`${name} may be anything from ${min} to ${max} and nothing else`, () => {
    for (const value of [min, max]) assert.equal(problemOf(name, String(value)), null);
    const outside = [String(max + 1), `${max}0000000000`, `${min}.5`, '1e3', '0x10', ' '];
    if (min > 0) outside.push(String(min - 1));
    for (const value of outside) assert.notEqual(problemOf(name, value), null, value);
  });
}

const label = 'a'.repeat(60);
const longest = `${label}.${label}.${label}.${label}.123456789`;

const values: readonly (readonly [name: string, accepted: string[], refused: string[]])[] = [
  ['HOST', ['x.org.', 'ALERTS.example.org', longest], [`${longest}0`, '1.2.3']],
  ['PORT', [' 1 '], ['"1"', '"1" ', ' \'1\'', '"1\'']],
  ['DATA_DIR', ['/a~b', '/a$', '/a $ b'], ['~', '~/a', '$A', '/a/${A}', '/a\u0007']],
  ['MODEL_NAME', ['a b', '"m\''], ['a\u0007', ' ', '"m" ', ' \'m\'']],
  ['MODEL_PRICE_IN', ['0', '2.50', '999999999.999999999'], ['2.', '.5', '2.5 €', '1e3']],
  ['READ_USER', ['u'], ['a:b', 'a\u0007', ' ']],
  ['REPORT_BASE_URL', ['HTTPS://x.org', 'http://x//'], [
    'http://u@x', 'http://:p@x', 'http://x?', 'http://x#', 'http://$X',
  ]],
  ['TRUSTED_PROXIES', ['10.0.0.0/8 ::1', '10.0.0.0/8,', '10.0.0.0/8,\n::1'], ['a', '1.2.3.4/33']],
];

for (const [name, accepted, refused] of values) {
  test(`${name} takes what it should and nothing else`, () => {
    for (const value of accepted) assert.equal(problemOf(name, value), null, value);
    for (const value of refused) assert.notEqual(problemOf(name, value), null, value);
  });
}

const user = { READ_USER: 'u', READ_PASSWORD: 'p' };
const loki = { LOKI_URL: 'https://l' };
const combinations: readonly (readonly [Environment, string | null])[] = [
  [{ ...user, READ_AUTH: 'basic' }, null],
  [{ READ_USER: 'u' }, 'READ_USER and READ_PASSWORD must be set together, or not at all'],
  [{ ...loki, LOKI_PASSWORD: 'p' }, 'LOKI_USER and LOKI_PASSWORD must be set together'],
  [{ ...loki, LOKI_USER: 'u', LOKI_TOKEN: 't' }, 'LOKI_USER and LOKI_PASSWORD must be set'],
  [{ ...loki, LOKI_HEADERS: 'Authorization: a', LOKI_TOKEN: 't' }, 'exclude each other'],
  [{ ...loki, LOKI_HEADERS: ' ; ' }, 'LOKI_HEADERS is empty'],
  [{ ...user, READ_PASSWORD: ' ' }, 'READ_PASSWORD is empty'],
  [{ MODEL_PRICE_OUT: '1' }, 'MODEL_PRICE_IN and MODEL_PRICE_OUT must be set together'],
];

for (const [environment, expected] of combinations) {
  test(`together: ${Object.keys(environment).join(', ')}`, () => {
    const problems = problemsOf(environment);
    assert.equal(problems.length, expected === null ? 0 : 1, problems.join());
    assert.ok(problems.join().includes(expected ?? ''), problems.join());
  });
}

test('a blank file is no certificate, and one cut short is no authority', () => {
  const blank = temporaryFile('\n');
  const key = 'test/fixtures/tls/first.key';
  const [problem] = problemsOf({ TLS_CERT_FILE: blank, TLS_KEY_FILE: key });
  assert.match(problem ?? '', /^TLS_CERT_FILE must be a PEM file that is not empty/);
  const whole = readFileSync('test/fixtures/tls/first.pem', 'utf8');
  const cut = temporaryFile(whole + whole.slice(0, whole.length / 2));
  assert.match(problemOf('LOKI_CA_FILE', cut) ?? '', /a PEM file of certificates/);
});

const token = 't'.repeat(16);
const quiet: readonly Environment[] = [
  {}, { LOKI_URL: 'http://loki' }, { ...loki, LOKI_TOKEN: token },
  ...['http://localhost', 'http://127.0.0.2:1', 'http://[::1]/a', 'http://localhost/a'].map(
    (url) => ({ LOKI_URL: url, LOKI_TOKEN: token })),
  { READ_USER: 'u', READ_PASSWORD: 'Bearer password' },
  { HOST: 'LOCALHOST.' }, { HOST: '0:0:0:0:0:0:0:1' },
  { MODEL_PROVIDER: 'none', MODEL_NAME: 'm' },
  { MODEL_PROVIDER: 'openai-chat', MODEL_NAME: 'm', MODEL_URL: 'http://gpu/v1' },
];

for (const environment of quiet) {
  test(`nothing is warned of with ${JSON.stringify(environment)}`, () => {
    const { warnings } = loadSettings({ ACCESS_TOKEN: token, ...environment }, machine);
    assert.deepEqual(warnings, []);
  });
}

const idle: readonly (readonly [Environment, string])[] = [
  [{ MODEL_URL: 'https://m', MODEL_API_KEY: 'k' },
    'MODEL_URL, MODEL_API_KEY without MODEL_PROVIDER'],
  [{ LOKI_USER: 'u', LOKI_PASSWORD: 'p' }, 'LOKI_USER, LOKI_PASSWORD without LOKI_URL'],
  [{ LOKI_TIMEOUT_SECONDS: '5', LOKI_HEADERS: 'A: b' },
    'LOKI_HEADERS, LOKI_TIMEOUT_SECONDS without LOKI_URL'],
  [{ LOKI_CA_FILE: 'test/fixtures/tls/first.pem' }, 'LOKI_CA_FILE without LOKI_URL'],
];

for (const [environment, names] of idle) {
  test(`it is said that ${names} has no effect`, () => {
    const { warnings } = loadSettings({ ACCESS_TOKEN: token, ...environment }, machine);
    assert.deepEqual(warnings, [`${names} has no effect`]);
  });
}

test('every spelling of the address of all interfaces leads to localhost', () => {
  const { warnings } = loadSettings({ HOST: '0:0:0:0:0:0:0:0' }, machine);
  assert.ok(warnings.some((each) => each.startsWith('Links to reports lead to localhost')));
});

test('a byte order mark is no part of a secret', () => {
  const environment = { ...user, READ_PASSWORD: '\ufeffp', ACCESS_TOKEN: `\ufeff${token}` };
  const { access } = loadSettings(environment, machine).http;
  assert.deepEqual(access.login?.password.values(), ['p']);
  assert.deepEqual(access.token?.values(), [token]);
});
