import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportBaseUrl } from '../../src/config/http-settings.ts';
import { loadSettings } from '../../src/config/settings.ts';
import type { Environment } from '../../src/config/variables.ts';
import { payloadBytesMax } from '../../src/queue/journal-record.ts';

const machine = { cores: 4, isTerminal: false };
const tls: Environment = {
  TLS_CERT_FILE: 'test/fixtures/tls/first.pem', TLS_KEY_FILE: 'test/fixtures/tls/first.key',
};

const addresses: readonly (readonly [Environment, string])[] = [
  [{}, 'http://127.0.0.1:9'],
  [{ HOST: '::1' }, 'http://[::1]:9'],
  [{ HOST: '0.0.0.0' }, 'http://localhost:9'],
  [{ HOST: '::' }, 'http://localhost:9'],
  [{ ...tls, HOST: 'x.org' }, 'https://x.org:9'],
  [{ REPORT_BASE_URL: 'https://r.org/a/' }, 'https://r.org/a'],
];

for (const [environment, expected] of addresses) {
  test(`reportBaseUrl() is ${expected} for ${JSON.stringify(environment)}`, () => {
    assert.equal(reportBaseUrl(loadSettings(environment, machine).http, 9), expected);
  });
}

test('the largest body that can be allowed fits half a record of the journal', () => {
  const limited = (bytes: number): Environment => ({ BODY_LIMIT_BYTES: String(bytes) });
  const largest = loadSettings(limited(payloadBytesMax / 2), machine);
  assert.equal(largest.http.bodyLimitBytes, payloadBytesMax / 2);
  assert.throws(() => loadSettings(limited(payloadBytesMax / 2 + 1), machine), {
    message: /BODY_LIMIT_BYTES must be a whole number from 1 to 134217728/,
  });
});

test('a password that may be guessed is warned of, without showing it', () => {
  const warningsOf = (password: string): readonly string[] => loadSettings({
    ACCESS_TOKEN: 't'.repeat(16), READ_USER: 'u', READ_PASSWORD: password,
  }, machine).warnings;
  const warning = 'READ_PASSWORD has fewer than 12 characters and may be guessed';
  assert.deepEqual(warningsOf('eleven-char'), [warning]);
  assert.deepEqual(warningsOf('twelve-chars'), []);
});
