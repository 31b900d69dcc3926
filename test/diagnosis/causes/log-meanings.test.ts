import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logMeaning } from '../../../src/diagnosis/causes/log-meanings.ts';

const meant: Readonly<Record<string, readonly string[]>> = {
  'Something it depends on does not answer': [
    'dial tcp 10.0.0.5:5432: connect: connection refused',
    'could not connect to server: Connection timed out',
    'connect ECONNREFUSED 127.0.0.1:6379',
    'java.net.ConnectException: Connection refused (Connection refused)',
    'psycopg2.OperationalError: could not connect to server',
  ],
  'A host name cannot be resolved': [
    'Error: getaddrinfo ENOTFOUND db.shop.svc', 'lookup redis on 10.96.0.10:53: no such host',
    'psycopg2.OperationalError: could not translate host name "db": Temporary failure in name ' +
      'resolution', 'java.net.UnknownHostException: orders',
  ],
  'Something it depends on answers too slowly': [
    'Get "http://cart:8080/items": context deadline exceeded', 'read tcp 10.0.0.1:4: i/o timeout',
    'java.net.SocketTimeoutException: Read timed out',
  ],
  'The database takes no writes': [
    'ERROR: cannot execute INSERT in a read-only transaction',
    "READONLY You can't write against a read only replica.",
    'The MySQL server is running with the --read-only option so it cannot execute this statement',
  ],
  'Transactions block each other': [
    'ERROR: deadlock detected', 'Deadlock found when trying to get lock; try restarting',
    'Lock wait timeout exceeded; try restarting transaction', 'SQLITE_BUSY: database is locked',
  ],
  'A service that it calls limits its requests': [
    'HTTP 429 Too Many Requests', 'ThrottlingException: Rate exceeded',
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
    'ERR max number of clients reached',
    'HikariPool-1 - Connection is not available, request timed out after 30000ms.',
    'Cannot get a connection, pool error Timeout waiting for idle object',
    'Timeout waiting for connection from pool',
    'QueuePool limit of size 5 overflow 10 reached, connection timed out, timeout 30.00',
    'Error: timeout exceeded when trying to connect',
    'Knex: Timeout acquiring a connection. The pool is probably full.',
    'JedisConnectionException: Could not get a resource from the pool',
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
