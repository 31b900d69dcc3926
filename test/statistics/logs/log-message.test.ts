import assert from 'node:assert/strict';
import test from 'node:test';
import { logMessageOf } from '../../../src/statistics/logs/log-message.ts';

/** As the programs log them, with what is the message of each, and the level. */
const said: readonly (readonly [line: string, message: string, level: string | null])[] = [
  // Postgres
  ['2026-11-20 10:00:00.123 UTC [4711] app@shop ERROR:  relation "orders" does not exist',
    'relation "orders" does not exist', 'error'],
  ['2026-11-20 10:00:00.123 UTC [99] FATAL:  sorry, too many clients already',
    'sorry, too many clients already', 'fatal'],
  ['2026-11-20 10:00:00.123 UTC [1] LOG:  checkpoint starting: time',
    'checkpoint starting: time', 'info'],
  // nginx, Apache, Envoy
  ['2026/11/20 10:00:00 [error] 31#31: *8123 connect() failed (111: Connection refused) while ' +
    'connecting to upstream, client: 10.1.2.3, server: shop.example.com',
  'connect() failed (111: Connection refused) while connecting to upstream, client: 10.1.2.3, ' +
    'server: shop.example.com', 'error'],
  ['10.1.2.3 - - [20/Nov/2026:10:00:00 +0000] "GET /api/orders/123?x=1 HTTP/1.1" 502 157 "-" ' +
    '"Mozilla/5.0 (X11; Linux x86_64)"', '"GET /api/orders/123?x=1 HTTP/1.1" 502', null],
  ['[Fri Nov 20 10:00:00.123456 2026] [core:error] [pid 12:tid 34] [client 10.0.0.1:555] ' +
    'AH00128: File does not exist: /var/www/x', 'AH00128: File does not exist: /var/www/x',
  'error'],
  ['[2026-11-20T10:00:00.123Z] "GET /api HTTP/1.1" 503 UF', '"GET /api HTTP/1.1" 503 UF', null],
  // Kubernetes and controllers
  ['E1120 10:00:00.123456       1 pod_workers.go:1298] "Error syncing pod, skipping" ' +
    'err="failed to \\"StartContainer\\"" pod="shop/orders-7d9f"',
  'Error syncing pod, skipping: failed to "StartContainer"', 'error'],
  ['W1120 10:00:00.123456       1 reflector.go:539] k8s.io/client-go/informers/factory.go:150: ' +
    'failed to list *v1.Pod: Unauthorized', 'failed to list *v1.Pod: Unauthorized', 'warn'],
  ['2026-11-20T10:00:00.123Z\tERROR\tcontroller-runtime.source\tif kind is a CRD, it should be ' +
    'installed before calling Start\t{"kind": "Foo", "error": "no matches for kind"}',
  'if kind is a CRD, it should be installed before calling Start: no matches for kind', 'error'],
  ['{"ts":"2026-11-20T10:00:00Z","level":"error","logger":"c","msg":"Reconciler error",' +
    '"error":"Operation cannot be fulfilled"}',
  'Reconciler error: Operation cannot be fulfilled', 'error'],
  ['2026-11-20T10:00:00.123Z\tINFO\tcontroller\tstarting\t{"name": "a", "worker": 7}', 'starting',
    'info'],
  // Go
  ['ts=2026-11-20T10:00:00Z caller=main.go:12 level=warn component="rule manager" ' +
    'msg="Evaluating rule failed" err="query timed out in expression evaluation"',
  'Evaluating rule failed: query timed out in expression evaluation', 'warn'],
  ['2026/11/20 10:00:00 main.go:12: http: panic serving 10.0.0.1:5: boom',
    'http: panic serving 10.0.0.1:5: boom', null],
  // Java
  ['2026-11-20T10:00:00.123Z ERROR 1 --- [nio-8080-exec-1] o.a.c.c.C.[.[.[/].[dispatcherServlet] ' +
    '   : Servlet.service() for servlet [dispatcherServlet] threw exception',
  'Servlet.service() for servlet [dispatcherServlet] threw exception', 'error'],
  ['2026-11-20 10:00:00.123  WARN 1 --- [nio-8080-exec-1] com.zaxxer.hikari.pool.PoolBase       ' +
    '   : HikariPool-1 - Failed to validate connection (This connection has been closed.).',
  'HikariPool-1 - Failed to validate connection (This connection has been closed.).', 'warn'],
  ['[2026-11-20 10:00:00,123] WARN [Producer clientId=orders-1] Connection to node 2 (kafka-2/' +
    '10.0.0.8:9092) could not be established. Broker may not be available. ' +
    '(org.apache.kafka.clients.NetworkClient)',
  'Connection to node 2 (kafka-2/10.0.0.8:9092) could not be established. Broker may not be ' +
    'available.', 'warn'],
  // Python
  ['2026-11-20 10:00:00,123 - app.orders - ERROR - Failed to reserve stock for order 77',
    'Failed to reserve stock for order 77', 'error'],
  ['ERROR:root:could not connect', 'could not connect', 'error'],
  ['[2026-11-20 10:00:00 +0000] [8] [CRITICAL] WORKER TIMEOUT (pid:12)',
    'WORKER TIMEOUT (pid:12)', 'fatal'],
  ['[2026-11-20 10:00:00,123: ERROR/ForkPoolWorker-1] Task charge[3c1e] raised unexpected: x',
    'Task charge[3c1e] raised unexpected: x', 'error'],
  // Node
  ['{"level":50,"time":1700000000000,"pid":1,"hostname":"web-1","err":{"type":"Error","message":' +
    '"connect ECONNREFUSED 10.0.0.5:5432","stack":"Error: c\\n at x"},"msg":"request errored"}',
  'request errored: connect ECONNREFUSED 10.0.0.5:5432', 'error'],
  // .NET
  ['{"@t":"2026-11-20T10:00:00Z","@mt":"Order {Id} failed","@l":"Error","@x":"System.Timeout' +
    'Exception: late\\n   at A.B()","Id":7}', 'Order {Id} failed: System.TimeoutException: late',
  'error'],
  // The kernel and systemd
  ['Nov 20 10:00:00 node-1 kernel: [12345.678901] Out of memory: Killed process 4711 (java)',
    'Out of memory: Killed process 4711 (java)', null],
  ['Nov 20 10:00:00 node-1 systemd[1]: orders.service: Main process exited, code=killed, ' +
    'status=9/KILL', 'orders.service: Main process exited, code=killed, status=9/KILL', null],
  // MySQL, MongoDB, Redis, Rust
  ['2026-11-20T10:00:00.123456Z 8 [ERROR] [MY-010584] [Repl] Replica I/O: error connecting',
    'Replica I/O: error connecting', 'error'],
  ['{"t":{"$date":"2026-11-20T10:00:00.123+00:00"},"s":"W","c":"NETWORK","id":22943,"ctx":"l",' +
    '"msg":"Connection refused","attr":{"error":{"errmsg":"no route"}}}',
  'Connection refused: no route', 'warn'],
  ['1:M 20 Nov 2026 10:00:00.123 # Can\'t save in background: fork: Cannot allocate memory',
    'Can\'t save in background: fork: Cannot allocate memory', null],
  ['2026-11-20T10:00:00.123456Z ERROR my_crate::db: pool timed out', 'pool timed out', 'error'],
  ['2026-11-20 10:00:00.123 GMT [31]: [3-1] user=app,db=shop,app=PostgreSQL JDBC Driver,' +
    'client=10.0.0.1 ERROR:  canceling statement due to statement timeout',
  'canceling statement due to statement timeout', 'error'],
  ['2026-11-20  9:00:00 0 [ERROR] mariadbd: Can\'t create/write to file',
    'mariadbd: Can\'t create/write to file', 'error'],
  ['{"t":{"$date":"2026-11-20T10:00:00.1+00:00"},"s":"E","c":"STORAGE","msg":"WiredTiger error",' +
    '"attr":{"error":28,"message":"No space left on device"}}',
  'WiredTiger error: No space left on device', 'error'],
  ['[2026-11-20T10:00:00Z ERROR cart::db] pool timed out', 'pool timed out', 'error'],
  ['{"timestamp":"2026-11-20T10:00:00Z","level":"ERROR","fields":{"message":"query failed",' +
    '"error":"pool timed out"},"target":"cart::db"}', 'query failed: pool timed out', 'error'],
  // Elasticsearch, Envoy, Traefik
  ['[2026-11-20T10:00:00,123][WARN ][o.e.c.r.a.DiskThresholdMonitor] [es-0] flood stage disk ' +
    'watermark exceeded', 'flood stage disk watermark exceeded', 'warn'],
  ['[2026-11-20 10:00:00.123][12][warning][config] [source/common/config/grpc_stream.h:201] ' +
    'gRPC config stream closed: 14', 'gRPC config stream closed: 14', 'warn'],
  ['2026-11-20T10:00:00Z ERR error="accept tcp: too many open files" entryPointName=web',
    'accept tcp: too many open files', 'error'],
  // Ruby, Laravel, PHP-FPM, Nest, Serilog, absl
  ['E, [2026-11-20T10:00:00.123456 #12] ERROR -- : [7f3a] PG::ConnectionBad (refused)',
    'PG::ConnectionBad (refused)', 'error'],
  ['[2026-11-20 10:00:00] production.ERROR: SQLSTATE[HY000] [2002] Connection refused',
    'SQLSTATE[HY000] [2002] Connection refused', 'error'],
  ['[20-Nov-2026 10:00:00] NOTICE: PHP message: PHP Fatal error:  Uncaught PDOException: x',
    'PHP Fatal error: Uncaught PDOException: x', null],
  ['[Nest] 12  - 11/20/2026, 9:00:00 AM   ERROR [ExceptionsHandler] Cannot read properties',
    'Cannot read properties', 'error'],
  ['{"Level":"Error","MessageTemplate":"Failed to charge {Id}","RenderedMessage":"Failed to ' +
    'charge 7","Exception":"System.TimeoutException: late"}',
  'Failed to charge 7: System.TimeoutException: late', 'error'],
  ['E0000 00:00:1763806800.123456   1 cart.cc:1] boom', 'boom', 'error'],
  // A container's line
  ['2026-11-20T10:00:00.123456789Z stderr F panic: assignment to entry in nil map',
    'panic: assignment to entry in nil map', null],
  ['{"log":"{\\"level\\":\\"warn\\",\\"msg\\":\\"slow query\\"}\\n","stream":"stdout","time":"x"}',
    'slow query', 'warn'],
  ['db | {"level":"error","msg":"lookup failed"}', 'lookup failed', 'error'],
  // Blank lines, a heading, and a colon that makes none
  ['\n\npanic: boom\n\ngoroutine 1 [running]:', 'panic: boom', null],
  ['Cannot start [web]:\n\n  no space left', 'Cannot start [web]: no space left', null],
  ['connect db:5432 failed\nsee above', 'connect db:5432 failed', null],
  // Without a message, cut off, coloured
  ['{"method":"GET","path":"/x","status":500,"time":"2026"}', 'method=GET path=/x status=500',
    null],
  ['{"level":"error","msg":"cut off","err":"this one was cut o', 'cut off: this one was cut o',
    'error'],
  ['\u001b[31mERROR\u001b[0m it \u001b[1mfailed\u001b[0m\u0007 \u202eagain', 'it failed again',
    'error'],
];

for (const [line, message, level] of said) {
  test(`logMessageOf reads ${JSON.stringify(line.slice(0, 60))}`, () => {
    assert.deepEqual(logMessageOf(line), { message, level });
  });
}

const traces: readonly (readonly [what: string, lines: readonly string[], message: string])[] = [
  ['the last cause of a Java exception', [
    '2026-11-20T10:00:00.123Z ERROR 1 --- [exec-1] c.e.Foo : Servlet.service() threw exception',
    '', 'java.lang.IllegalStateException: no stock', '\tat com.example.A.b(A.java:1)',
    'Caused by: java.lang.RuntimeException: in between', '\tat a.B.c(B.java:3)',
    'Caused by: org.postgresql.util.PSQLException: too many clients', '\t... 34 more',
  ], 'Servlet.service() threw exception: java.lang.IllegalStateException: no stock; caused by ' +
    'org.postgresql.util.PSQLException: too many clients'],
  ['the exception at the end of a Python traceback', [
    'Internal Server Error: /api/orders/', 'Traceback (most recent call last):',
    '  File "/app/x.py", line 12, in foo', '    return f()',
    'django.db.utils.OperationalError: connection to server at "db" failed: Connection refused',
    '\tIs the server running on that host and accepting TCP/IP connections?',
  ], 'Internal Server Error: /api/orders/: django.db.utils.OperationalError: connection to ' +
    'server at "db" failed: Connection refused'],
  ['the last exception where one followed another', [
    'Traceback (most recent call last):', '  File "/app/x.py", line 1, in f', 'KeyError: \'id\'',
    '', 'During handling of the above exception, another exception occurred:', '',
    'Traceback (most recent call last):', '  File "/app/x.py", line 3, in f',
    'ValueError: no such order',
  ], 'ValueError: no such order'],
  ['the exception of Python above what it adds to it', [
    'Traceback (most recent call last):', '  File "/app/x.py", line 1, in f',
    'sqlalchemy.exc.OperationalError: (psycopg2.OperationalError) connection to server at "db" ' +
      'failed: Connection refused', '\tIs the server running on that host?', '',
    '(Background on this error at: https://sqlalche.me/e/20/e3q8)',
  ], 'sqlalchemy.exc.OperationalError: (psycopg2.OperationalError) connection to server at "db" ' +
    'failed: Connection refused'],
  ['the error under a line of Node\'s source', [
    '/app/index.js:12', '    throw err;', '    ^', '', 'Error: connect ECONNREFUSED 10.0.0.5:5432',
    '    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1555:16)',
  ], 'Error: connect ECONNREFUSED 10.0.0.5:5432'],
  ['a Go panic', [
    'panic: runtime error: index out of range [5] with length 3', '', 'goroutine 1 [running]:',
    'main.main()', '\t/app/main.go:8 +0x1d', 'exit status 2',
  ], 'panic: runtime error: index out of range [5] with length 3'],
  ['the line after one that ends with a colon', [
    'thread \'main\' panicked at src/main.rs:2:5:', 'attempt to divide by zero',
  ], 'thread \'main\' panicked at src/main.rs:2:5: attempt to divide by zero'],
  ['.NET\'s message under its category', [
    'fail: Microsoft.EntityFrameworkCore.Database.Connection[20004]',
    '      An error occurred using the connection to database \'shop\'.',
  ], 'Microsoft.EntityFrameworkCore.Database.Connection[20004] An error occurred using the ' +
    'connection to database \'shop\'.'],
];

for (const [what, lines, message] of traces) {
  test(`logMessageOf tells ${what}`, () => {
    assert.equal(logMessageOf(lines.join('\n')).message, message);
  });
}

test('logMessageOf says nothing of a frame that is an entry of its own', () => {
  const frames = [
    '\tat com.example.Foo.bar(Foo.java:12)', '  File "/app/x.py", line 12, in foo',
    '\t... 34 more', 'goroutine 12 [running]:', '    at Object.<anonymous> (/app/a.js:1:1)',
    'Traceback (most recent call last):', '', '\n\n',
    '\tat com.example.Foo.bar(Foo.java:12) ~[foo-5.jar:na]',
    '#1 /app/vendor/shop/ErrorHandler.php(31): handleError()', '#2 {main}',
  ];
  assert.deepEqual(frames.map((frame) => logMessageOf(frame).message), frames.map(() => ''));
});

test('logMessageOf keeps a message that only looks like what stands before one', () => {
  for (const message of [
    'Error: connect ECONNREFUSED', 'java.lang.NullPointerException: oops', 'info',
    'db.example.com: connection refused', 'order-7 - retrying', 'Warning: disk is nearly full',
    'FOO=bar', '[Errno 111] Connection refused', 'ALERT exited abnormally with [1]',
  ]) assert.deepEqual(logMessageOf(message), { message, level: null });
});

test('logMessageOf is not misled by keys that objects have of themselves', () => {
  const text = '{"__proto__":{"message":"a"},"constructor":"b","toString":1,"msg":"fine"}';
  assert.equal(logMessageOf(text).message, 'fine');
  assert.equal(logMessageOf('constructor=a hasOwnProperty=b msg=fine').message, 'fine');
});

test('logMessageOf gives one bounded line of whole characters', () => {
  for (const text of ['x'.repeat(1000), 'x '.repeat(500), '😀'.repeat(500), '\ud800'.repeat(9)]) {
    const { message } = logMessageOf(text);
    assert.ok(message.length <= 500);
    assert.doesNotMatch(message, /[\p{C}\n]/u);
  }
});

test('logMessageOf says a reason once', () => {
  const rows = [
    ['{"msg":"dial db: refused","err":"refused"}', 'dial db: refused'],
    ['{"msg":"dial db","err":"dial db: refused"}', 'dial db: refused'],
    ['{"msg":"sync failed: ","err":"refused"}', 'sync failed: refused'],
    ['a.B: dial refused\n\tat a.C(D.java:1)\nCaused by: refused', 'a.B: dial refused'],
  ] as const;
  for (const [text, message] of rows) assert.equal(logMessageOf(text).message, message, text);
});

test('logMessageOf shows the fields of an object without a message, but not its level', () => {
  assert.equal(logMessageOf('{"level":"info","id":"7","ts":1,"state":"up"}').message, 'state=up');
});

test('logMessageOf keeps the first of two fields with one name', () => {
  assert.equal(logMessageOf('msg=first msg=second level=info').message, 'first');
});
