import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultOfHttp, type HttpFault } from '../../src/lib/http-fault.ts';

const told: readonly (readonly [code: string, kind: HttpFault['kind'], text: RegExp])[] = [
  ['CERT_HAS_EXPIRED', 'tls',
    /^its certificate, or one of an authority that signed it, has expired$/],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'tls', /^it demands a client certificate/],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'tls', /\(ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE\)$/],
  ['ECONNREFUSED', 'unreachable', /^the connection was refused$/],
  ['EMFILE', 'unreachable', /no more files$/],
  ['ECONNRESET', 'reset', /^the connection broke$/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'plain', /^it does not speak TLS/],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'plain', /^it does not speak TLS/],
  ['HPE_INVALID_CONSTANT', 'unknown', /\(HPE_INVALID_CONSTANT\)$/],
];

for (const [code, kind, text] of told) {
  test(`faultOfHttp() says what ${code} means`, () => {
    const fault = faultOfHttp(Object.assign(new Error('x'), { code }));
    assert.deepEqual([fault.kind, fault.code], [kind, code]);
    assert.match(fault.text, text);
  });
}

test('faultOfHttp() finds the reason of a failed handshake where Node has one code for all', () => {
  const failed = (reason: string): Error => Object.assign(new Error(
    `write EPROTO 00E8C6:error:0A00010B:SSL routines:ssl3_get_record:${reason}:../record.c:332:\n`,
  ), { code: 'EPROTO' });
  assert.equal(faultOfHttp(failed('wrong version number')).kind, 'plain');
  const { kind, code } = faultOfHttp(failed('sslv3 alert handshake failure'));
  assert.deepEqual([kind, code], ['tls', 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE']);
});
