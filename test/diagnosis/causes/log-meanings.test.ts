import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logMeaning } from '../../../src/diagnosis/causes/log-meanings.ts';

const meant: Readonly<Record<string, readonly string[]>> = {
  'Something it depends on does not answer': [
    'dial tcp 10.0.0.5:5432: connect: connection refused',
    'could not connect to server: Connection timed out',
    'Error: getaddrinfo ENOTFOUND db.shop.svc',
    'connect ECONNREFUSED 127.0.0.1:6379',
    'lookup redis on 10.96.0.10:53: no such host',
    'java.net.ConnectException: Connection refused (Connection refused)',
    'psycopg2.OperationalError: could not connect to server',
  ],
  'A disk that it writes to is full': [
    'write /data/wal/00001: no space left on device', 'OSError: [Errno 28] No space left on device',
  ],
  'It runs out of memory': [
    'java.lang.OutOfMemoryError: Java heap space',
    'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
  ],
  'All connections are in use': [
    'FATAL: remaining connection slots are reserved for superuser connections',
    'FATAL: sorry, too many clients already', 'Error 1040: Too many connections',
  ],
  'Its credentials are rejected': [
    'FATAL: password authentication failed for user "orders"',
    "Access denied for user 'orders'@'10.0.0.1' (using password: YES)",
  ],
  'Its port is already in use': ['listen tcp :8080: bind: address already in use'],
  'A certificate is rejected': [
    'x509: certificate has expired or is not yet valid',
    'ssl.SSLCertVerificationError: certificate verify failed: unable to get local issuer',
  ],
  'It lacks a permission that it needs': [
    'open /etc/tls/key.pem: permission denied', 'mkdir /var/cache: read-only file system',
  ],
  'The database does not have the schema that it expects': [
    'ERROR: relation "carts" does not exist', 'no such table: carts', "Unknown column 'a' in 'b'",
  ],
  'Its configuration is not valid': [
    'missing required environment variable DATABASE_URL', 'invalid configuration: port is 0',
    'unknown flag: --listen-adress', 'environment variable TOKEN is not set',
  ],
  'A file or module that it needs is missing': [
    'open /etc/orders/orders.yaml: no such file or directory', "Cannot find module 'express'",
  ],
  'Its program has a bug': [
    'panic: runtime error: invalid memory address or nil pointer dereference',
    'java.lang.NullPointerException', 'panic: runtime error: index out of range [3]',
  ],
  'It has too many open files': ['accept4: too many open files'],
};
for (const [meaning, lines] of Object.entries(meant)) {
  for (const line of lines) {
    test(`logMeaning() of "${line}"`, () => assert.equal(logMeaning(line), meaning));
  }
}

const unclear = [
  'card refused', 'order 17 not found', 'rpc error: code = InvalidArgument desc = bad amount',
  'request failed with status 500', 'worker pool exhausted: 64 of 64 busy', 'shutting down',
  'payment declined by issuer', 'unexpected end of JSON input', 'job failed', 'retrying in 5 s',
];
for (const line of unclear) {
  test(`logMeaning() leaves open what "${line}" means`, () => assert.equal(logMeaning(line), null));
}
