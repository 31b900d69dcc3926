/** Which line of a container's log a report quotes as what it says of a failure. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ofKubernetes, reported } from '../support/sources/cluster-report.ts';
import type { Cluster } from '../support/sources/fake-kubernetes.ts';
import {
  aCluster, aDeployment, aLoop, aPod, minutesAgo,
} from '../support/sources/small-cluster.ts';

const pod = 'cart-6bf54cc44b-4bt8c';
const labels = { alertname: 'KubePodCrashLooping', namespace: 'shop', pod };
const at = minutesAgo(1);
const failed = { reason: 'Error', exitCode: 2, finishedAt: at };

/** The deployment cart with its one pod, of these containers and logs. */
function ofContainers(
  containers: readonly Readonly<Record<string, unknown>>[],
  logged: Readonly<Record<string, string>>,
): Cluster {
  return aCluster({
    deployments: [aDeployment('cart', 1)], pods: [aPod(pod, { ready: false, containers })],
  }, logged);
}

const logs: readonly (readonly [of: string, text: string, told: string | null])[] = [
  ['a panic of Go', `listening on :8080
panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x48f2a1]

goroutine 1 [running]:
main.failOnError(0x0, 0xc000012345)
\t/src/server.go:87 +0x1b
created by net/http.(*connReader).abortPendingRead
\t/usr/local/go/src/net/http/server.go:674 +0x8f`,
  'panic: runtime error: invalid memory address or nil pointer dereference'],
  ['an exception of Java', `ERROR [main] Application run failed
org.springframework.beans.factory.BeanCreationException: Error creating bean 'dataSource'
\tat com.shop.ErrorHandler.fail(ErrorHandler.java:12)
Caused by: java.net.ConnectException: Connection refused
\tat java.base/sun.nio.ch.Net.pollConnect(Native Method)
\t... 28 more`, 'Caused by: java.net.ConnectException: Connection refused'],
  ['an exception of Python', `Traceback (most recent call last):
  File "/app/main.py", line 40, in <module>
    raise ValueError("no")
KeyError: 'DATABASE_URL'`, "KeyError: 'DATABASE_URL'"],
  ['a panic of Rust', `thread 'main' panicked at src/main.rs:4:5:
the pool has no member
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace`,
  "thread 'main' panicked at src/main.rs:4:5: the pool has no member"],
  ['an exception of Python, not what is added to it', `ERROR:    Traceback (most recent call last):
  File "/app/db.py", line 40, in connect
sqlalchemy.exc.OperationalError: (psycopg2.OperationalError) connection failed: refused
\tIs the server running on that host?
(Background on this error at: https://sqlalche.me/e/20/e3q8)

ERROR:    Application startup failed. Exiting.`,
  'sqlalchemy.exc.OperationalError: (psycopg2.OperationalError) connection failed: refused'],
  ['Spring Boot', `ERROR [main] o.s.b.d.LoggingFailureAnalysisReporter :

***************************
APPLICATION FAILED TO START
***************************

Description:

Web server failed to start. Port 8080 was already in use.

Action:

Identify and stop the process that's listening on port 8080, or fail to start.`,
  'Web server failed to start. Port 8080 was already in use.'],
  ['an uncaught exception of C++', `terminate called after throwing an instance of 'bad'
  what():  port is 0`, "terminate called after throwing an instance of 'bad' what(): port is 0"],
  ['the engine of Node', `FATAL ERROR: Reached heap limit Allocation failed - heap out of memory
----- Native stack trace -----
 1: 0xb9a330 node::Abort() [node]`,
  'Reached heap limit Allocation failed - heap out of memory'],
  ['a program, and not of what ran it', `Error: DB_URL is not set: invalid settings
npm error code 1
npm error command failed
npm error A complete log of this run can be found in: /root/.npm/_logs/debug-0.log`,
  'Error: DB_URL is not set: invalid settings'],
  ['what ran a program, where that says nothing itself', `starting
error Command failed with exit code 1.`, 'error Command failed with exit code 1.'],
  ['objects', `{"level":"error","msg":"cannot reach broker","err":"i/o timeout"}
{"level":"info","msg":"shutting down, 0 errors"}`, 'cannot reach broker: i/o timeout'],
  ['a shell', 'sh: exec: line 0: /bin/serverd: not found',
    'sh: exec: line 0: /bin/serverd: not found'],
  ['nothing wrong', 'starting\nlistening on :8080', null],
];

for (const [of, text, told] of logs) {
  test(`the last words of a container are those of ${of}`, async (t) => {
    const log = text.split('\n').map((line) => `${at} ${line}`).join('\n');
    const cluster = ofContainers([aLoop('app', failed)], { [`${pod}/app/true`]: log });
    const report = await reported(t, labels, cluster);
    const said = ofKubernetes(report).filter((each) => each.startsWith('The last failure that '));
    assert.deepEqual(said, told === null ? [] : [
      `The last failure that container app of pod ${pod} logged, at 10:03 UTC: "${told}".`,
    ]);
  });
}

test('a line without a time is told without one', async (t) => {
  const report = await reported(t, labels, ofContainers([aLoop('app', failed)], {
    [`${pod}/app/true`]: 'cannot open /etc/cart.yaml',
  }));
  assert.equal(ofKubernetes(report).at(-1),
    `The last failure that container app of pod ${pod} logged: "cannot open /etc/cart.yaml".`);
});

test('a container that runs and is not ready is asked for what it logs now', async (t) => {
  const running = { name: 'app', ready: false, restartCount: 0, state: { running: {} } };
  const cluster = ofContainers([running], {
    [`${pod}/app/false`]: `${at} ERROR index went read-only`,
  });
  const report = await reported(t, { ...labels, alertname: 'KubePodNotReady' }, cluster);
  assert.match(ofKubernetes(report).at(-1) ?? '', /index went read-only/);
  const { most_likely: likely, certainty } = report.verdict;
  assert.deepEqual([likely, certainty], [
    `What container app of pod ${pod} logs: "index went read-only"`, 'possible',
  ]);
});

test('an error that was logged long after another exception is the one that counts', async (t) => {
  const running = { name: 'app', ready: false, restartCount: 0, state: { running: {} } };
  const early = ['Traceback (most recent call last):', '  File "/app/x.py", line 1', 'KeyError: 1'];
  const report = await reported(t, labels, ofContainers([running], {
    [`${pod}/app/false`]: [
      ...early.map((line) => `${minutesAgo(20)} ${line}`), `${at} ERROR index went read-only`,
    ].join('\n'),
  }));
  assert.match(ofKubernetes(report).at(-1) ?? '', /index went read-only/);
});

test('what an init container logs while the others wait for it is read', async (t) => {
  const since = minutesAgo(20);
  const report = await reported(t, { ...labels, alertname: 'KubePodNotReady' }, aCluster({
    deployments: [aDeployment('cart', 1)],
    pods: [aPod(pod, {
      ready: false, phase: 'Pending',
      containers: [{ name: 'app', state: { waiting: { reason: 'PodInitializing' } } }],
      status: {
        initContainerStatuses: [{ name: 'wait', state: { running: { startedAt: since } } }],
      },
    })],
  }, { [`${pod}/wait/false`]: `${at} nc: bad address 'db'\n${at} retrying after error` }));
  assert.deepEqual(ofKubernetes(report).slice(1), [
    `Init container wait of pod ${pod} has not finished (running since 09:44 UTC).`,
    `The last failure that container wait of pod ${pod} logged, at 10:03 UTC: ` +
      '"retrying after error".',
  ]);
  const { most_likely: likely, certainty } = report.verdict;
  assert.deepEqual([likely, certainty], ['An init container does not finish', 'confirmed']);
});

test('a program that ends itself with 255 ends by what it says', async (t) => {
  const end = { ...failed, exitCode: 255 };
  const report = await reported(t, labels, ofContainers([aLoop('app', end)], {
    [`${pod}/app/true`]: `${at} ERROR license expired`,
  }));
  assert.equal(report.verdict.certainty, 'likely');
});

test('of several containers that ended the log is that of the one that is named', async (t) => {
  const end = { ...failed, finishedAt: minutesAgo(2) };
  const cluster = ofContainers([aLoop('istio-proxy', failed), aLoop('app', end)], {
    [`${pod}/app/true`]: `${minutesAgo(2)} ERROR license expired`,
    [`${pod}/istio-proxy/true`]: `${at} ERROR no such host`,
  });
  const report = await reported(t, { ...labels, container: 'app' }, cluster);
  const [first] = report.hypotheses;
  assert.match(first?.cause ?? '', /^What container app of .* "license expired"$/);
  assert.match(first?.for[0]?.text ?? '', /^Container app of /);
});

test('what ended long before the alert says nothing of its cause', async (t) => {
  const end = { ...failed, finishedAt: minutesAgo(50) };
  const running = { ...aLoop('app', end), state: { running: {} } };
  const report = await reported(t, labels, aCluster({
    deployments: [aDeployment('cart', 1)], pods: [aPod(pod, { containers: [running] })],
  }, { [`${pod}/app/true`]: `${minutesAgo(50)} ERROR license expired` }));
  assert.equal(report.verdict.most_likely, null);
});
