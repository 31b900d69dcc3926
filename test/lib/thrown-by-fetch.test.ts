import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tlsText } from '../../src/lib/thrown-by-fetch.ts';

const told: readonly (readonly [code: string, text: RegExp])[] = [
  ['CERT_HAS_EXPIRED', /^its certificate, or one of an authority that signed it, has expired$/],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', /^it demands a client certificate/],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', /\(ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE\)$/],
];

for (const [code, text] of told) {
  test(`tlsText() says what ${code} means`, () => {
    assert.match(tlsText(code) ?? '', text);
  });
}

test('tlsText() leaves what is not about trust to others', () => {
  assert.equal(tlsText('ECONNREFUSED'), null);
  assert.equal(tlsText('ERR_SSL_WRONG_VERSION_NUMBER'), null);
});
