import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultOfFetch, type FetchFault } from '../../src/lib/thrown-by-fetch.ts';

const told: readonly (readonly [code: string, kind: FetchFault['kind'], text: RegExp])[] = [
  ['CERT_HAS_EXPIRED', 'tls',
    /^its certificate, or one of an authority that signed it, has expired$/],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'tls', /^it demands a client certificate/],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'tls', /\(ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE\)$/],
  ['ECONNREFUSED', 'unreachable', /^the connection was refused$/],
  ['ECONNRESET', 'reset', /^the connection broke$/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'plain', /^it does not speak TLS/],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'plain', /^it does not speak TLS/],
  ['HPE_INVALID_CONSTANT', 'unknown', /\(HPE_INVALID_CONSTANT\)$/],
];

for (const [code, kind, text] of told) {
  test(`faultOfFetch() says what ${code} means`, () => {
    const cause = Object.assign(new Error('x'), { code });
    const fault = faultOfFetch(new TypeError('fetch failed', { cause }));
    assert.deepEqual([fault.kind, fault.code], [kind, code]);
    assert.match(fault.text, text);
  });
}
