import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sourceAccess } from '../../src/app/connections.ts';
import { ConfigError, loadSettings, loadSources } from '../../src/config/settings.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryFile } from '../support/temporary-directory.ts';

const machine = { cores: 2, isTerminal: false };
const certificate = readFileSync(join(process.cwd(), 'test/fixtures/tls/authority.pem'), 'utf8');
const url = 'https://prometheus.example/prefix/';

test('sourceAccess() is null for a source that is not configured', () => {
  const { sources } = loadSettings({}, machine);
  assert.equal(sourceAccess(sources.prometheus), null);
});

test('sourceAccess() reveals everything that a source is asked with', () => {
  const pem = certificate + certificate;
  const { sources } = loadSettings({
    PROMETHEUS_URL: url, PROMETHEUS_USER: 'ann', PROMETHEUS_PASSWORD: 'pass',
    PROMETHEUS_HEADERS: 'X-Scope-OrgID: a; X-Other: b:c', PROMETHEUS_TIMEOUT_SECONDS: '7',
    PROMETHEUS_CA_FILE: temporaryFile(pem),
  }, machine);
  assert.deepEqual(sourceAccess(sources.prometheus), {
    urls: ['https://prometheus.example/prefix'],
    token: null,
    login: { user: 'ann', password: 'pass' },
    headers: [['X-Scope-OrgID', 'a'], ['X-Other', 'b:c']],
    ca: pem,
    timeoutMs: 7_000,
  });
});

test('sourceAccess() has the newest value of a secret that changed', async (t) => {
  const token = temporaryFile('old-token\n');
  const headers = temporaryFile('X-Key: old\nX-Same: same\n');
  const { sources, secrets } = loadSettings({
    PROMETHEUS_URL: url, PROMETHEUS_TOKEN_FILE: token, PROMETHEUS_HEADERS_FILE: headers,
  }, machine);
  const changed: string[] = [];
  for (const secret of secrets) {
    t.after(secret.follow({
      clock: new ManualClock(),
      onChange: ({ name }) => changed.push(name),
      onFailure: (_secret, error) => assert.fail(error),
    }));
  }
  writeFileSync(token, 'new-token\n');
  writeFileSync(headers, 'X-Key: new\nX-Same: same\n');
  await Promise.all(secrets.map((secret) => secret.reload()));
  assert.deepEqual(changed.sort(), ['PROMETHEUS_HEADERS', 'PROMETHEUS_TOKEN']);
  const access = sourceAccess(sources.prometheus);
  assert.equal(access?.token, 'new-token');
  assert.deepEqual(access.headers, [['X-Key', 'new'], ['X-Same', 'same']]);
});

const badFiles: readonly (readonly [string, string | null, RegExp])[] = [
  ['is missing', null, /PROMETHEUS_CA_FILE must be a file that can be read \(ENOENT\), not "\//],
  ['holds something else', 'secret', /PROMETHEUS_CA_FILE must be a PEM file of certificates/],
  [
    'holds a broken one',
    `${certificate}-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n`,
    /PROMETHEUS_CA_FILE must be a PEM file of certificates/,
  ],
  ['is too large', 'x'.repeat(1024 * 1024 + 1), /at most 1 MiB/],
];
for (const [name, content, expected] of badFiles) {
  test(`loadSettings() complains of a file of certificates that ${name}`, () => {
    const file = temporaryFile(content ?? '');
    if (content === null) rmSync(file);
    const environment = { PROMETHEUS_URL: url, PROMETHEUS_CA_FILE: file };
    assert.throws(() => loadSettings(environment, machine), (error) => {
      return error instanceof ConfigError && error.problems.length === 1 &&
        expected.test(error.problems[0] ?? '') && !error.message.includes('secret');
    });
  });
}

test('loadSources() reads the sources alone', () => {
  const { sources } = loadSources({ PROMETHEUS_URL: url, PORT: 'none', READ_AUTH: 'basic' });
  assert.deepEqual(sources.prometheus?.urls, ['https://prometheus.example/prefix']);
  assert.equal(sources.alertmanager, null);
  assert.throws(() => loadSources({ ALERTMANAGER_URL: 'ftp://x' }), /ALERTMANAGER_URL must be/);
});

test('loadSources() reads the addresses of several servers of a source', () => {
  const { sources } = loadSources({ PROMETHEUS_URL: 'http://p:1/x/, https://q  http://r' });
  assert.deepEqual(sources.prometheus?.urls, ['http://p:1/x', 'https://q', 'http://r']);
  const refused: readonly (readonly [string, RegExp])[] = [
    ['http://a,b', /PROMETHEUS_URL must be a URL that begins with http:/],
    ['http://a,http://u:canary@b', /without user and password \(give them as PROMETHEUS_USER/],
    ['http://a/prom/graph', /PROMETHEUS_URL must be a base URL, which does not end in \/graph/],
    ['http://a,http://b/api/v1/query', /which does not end in \/api\/v1\/query, not/],
    ['http://a/loki/api/v1/push', /which does not end in \/loki\/api\/v1\/push, not/],
    [',', /PROMETHEUS_URL must be a URL, or up to 8 separated by commas/],
    ['http://a '.repeat(9), /or up to 8 separated by commas/],
  ];
  for (const [raw, problem] of refused) {
    assert.throws(() => loadSources({ PROMETHEUS_URL: raw }), problem);
  }
});

test('loadSources() accepts path prefixes that look like pages or like an API', () => {
  const proxied = 'http://k/api/v1/namespaces/monitoring/services/prometheus:9090/proxy';
  for (const prefixed of [proxied, 'http://a/alerts', 'http://a/query']) {
    const { sources } = loadSources({ PROMETHEUS_URL: prefixed });
    assert.deepEqual(sources.prometheus?.urls, [prefixed]);
  }
  const below = `${proxied}/api/v1/query`;
  assert.throws(() => loadSources({ PROMETHEUS_URL: below }), /not end in \/api\/v1\/query, not/);
  const { warnings } = loadSettings({ PROMETHEUS_URL: 'http://a,http://a/query' }, machine);
  assert.ok(warnings.some((warning) => /^PROMETHEUS_URL ends in \/query:/.test(warning)));
});

test('loadSettings() has no warning for a source that takes effect', () => {
  const { warnings } = loadSettings({ PROMETHEUS_URL: url, ALERTMANAGER_URL: url }, machine);
  assert.ok(warnings.every((warning) => !warning.includes('effect')), warnings.join('\n'));
});
