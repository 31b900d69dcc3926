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
    'org.postgresql.util.PSQLException: Connection to db-2:5432 refused. Check that the hostname',
    "ERROR 2003 (HY000): Can't connect to MySQL server on 'db:3306' (111)",
    'com.mysql.cj.jdbc.exceptions.CommunicationsException: Communications link failure',
    'Connection to node -1 (kafka/10.0.0.1:9092) could not be established.',
    'no live upstreams while connecting to upstream', 'ORA-12541: TNS:no listener',
    'rpc error: code = Unavailable desc = error reading from server: EOF',
  ],
  'A host name cannot be resolved': [
    'Error: getaddrinfo ENOTFOUND db.shop.svc', 'lookup redis on 10.96.0.10:53: no such host',
    'psycopg2.OperationalError: could not translate host name "db": Temporary failure in name ' +
      'resolution', 'java.net.UnknownHostException: orders',
    'host not found in upstream "cart-api" in /etc/nginx/conf.d/default.conf:3',
    "nc: bad address 'db'", "nslookup: can't resolve 'db'",
    'lookup db on 10.96.0.10:53: read udp 10.0.0.1:44->10.96.0.10:53: i/o timeout',
    'lookup db on 10.96.0.10:53: server misbehaving',
  ],
  'Something it depends on answers too slowly': [
    'Get "http://cart:8080/items": context deadline exceeded', 'read tcp 10.0.0.1:4: i/o timeout',
    'java.net.SocketTimeoutException: Read timed out',
  ],
  'The database takes no writes': [
    'ERROR: cannot execute INSERT in a read-only transaction',
    "READONLY You can't write against a read only replica.",
    'The MySQL server is running with the --read-only option so it cannot execute this statement',
    "OOM command not allowed when used memory > 'maxmemory'.",
    'MISCONF Redis is configured to save RDB snapshots, but it is currently not able to persist',
    'etcdserver: mvcc: database space exceeded',
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
    'PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted (tried to allocate 20480)',
    'MemoryError: Unable to allocate 4.00 GiB for an array',
    "terminate called after throwing an instance of 'std::bad_alloc'",
  ],
  'It can start no more threads': [
    'java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory or process',
    'runtime: failed to create new OS thread (have 9 already; errno=11)',
  ],
  'A file system that it writes to is read-only': ['mkdir /var/cache: read-only file system'],
  'Its program is built for another processor, or is a script without an interpreter': [
    'exec /usr/local/bin/cart: exec format error',
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
  'Its port is already in use': [
    'listen tcp :8080: bind: address already in use',
    'Web server failed to start. Port 8080 was already in use.',
  ],
  'A certificate is rejected': [
    'x509: certificate has expired or is not yet valid',
    'ssl.SSLCertVerificationError: certificate verify failed: unable to get local issuer',
  ],
  'It lacks a permission that it needs': [
    'open /etc/tls/key.pem: permission denied',
    'leases.coordination.k8s.io "cart" is forbidden: User "system:serviceaccount:shop:cart" cannot',
    'An error occurred (AccessDenied) when calling the PutObject operation',
  ],
  'The database does not have the schema that it expects': [
    'ERROR: relation "carts" does not exist', 'no such table: carts', "Unknown column 'a' in 'b'",
  ],
  'Its configuration is not valid': [
    'missing required environment variable DATABASE_URL', 'invalid configuration: port is 0',
    'unknown flag: --listen-adress', 'environment variable TOKEN is not set',
    'required key PAYMENT_URL missing value', 'yaml: line 12: did not find expected key',
    'django.core.exceptions.ImproperlyConfigured: The SECRET_KEY setting must not be empty',
    "Failed to configure a DataSource: 'url' attribute is not specified",
  ],
  'A file or module that it needs is missing': [
    'open /etc/orders/orders.yaml: no such file or directory', "Cannot find module 'express'",
  ],
  'Its program has a bug': [
    'panic: runtime error: invalid memory address or nil pointer dereference',
    'java.lang.NullPointerException', 'panic: runtime error: index out of range [3]',
    "TypeError: Cannot read properties of undefined (reading 'id')",
    "AttributeError: 'NoneType' object has no attribute 'id'", 'fatal error: concurrent map writes',
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
  'GET /api 401 Unauthorized', 'ERROR: role "cart" does not exist', 'breaker is open',
];
for (const line of unclear) {
  test(`logMeaning() leaves open what "${line}" means`, () => assert.equal(logMeaning(line), null));
}
