import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/lib/clock.ts';
import {
  createKubernetes, deployments, events, kubernetesIdentity, pods, replicaSets, type Kubernetes,
} from '../../src/sources/kubernetes/kubernetes.ts';
import { isObjectName } from '../../src/sources/kubernetes/object-name.ts';
import { SourceClient } from '../../src/sources/source-client.ts';
import { SourceFailure } from '../../src/sources/source-failure.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { fakeKubernetes, realCluster } from '../support/sources/fake-kubernetes.ts';
import {
  answering, startFakeSource, type Answer, type FakeSource,
} from '../support/sources/fake-source.ts';


async function asked(
  t: Cleanup,
  answer: Answer = fakeKubernetes(realCluster()),
): Promise<{ kubernetes: Kubernetes; source: FakeSource }> {
  const source = await startFakeSource(t, answer);
  const access = {
    urls: [source.url], token: 'canary', login: null, headers: [], ca: null, timeoutMs: 5_000,
  };
  const client = new SourceClient(kubernetesIdentity, access, {
    clock: systemClock, random: () => 0.5,
  });
  return { kubernetes: createKubernetes(client), source };
}

const log = { namespace: 'shop', pod: 'a', container: 'c', isPrevious: false };
const list = (...items: readonly object[]): Answer => answering(JSON.stringify({ items }));

test('Kubernetes is listed by GET, whatever the length of a selector', async (t) => {
  const { kubernetes, source } = await asked(t);
  const labels = { app: 'x'.repeat(3000) };
  const { items } = await kubernetes.list(pods, { namespace: 'shop', labels });
  assert.deepEqual(items, []);
  assert.deepEqual(source.requests.map(({ method }) => method), ['GET']);
});

test('Kubernetes is asked for what is of a name, a namespace and both selectors', async (t) => {
  const { kubernetes, source } = await asked(t);
  const { items, omitted } = await kubernetes.list(pods, {
    namespace: 'shop', labels: { app: 'cart' },
    fields: ['metadata.name=cart-67c4c47d76-twbqp', 'status.phase!=Pending'],
  });
  assert.deepEqual([items.map(({ name }) => name), omitted], [['cart-67c4c47d76-twbqp'], 0]);
  const [{ path, parameters, headers } = assert.fail()] = source.requests;
  assert.equal(path, '/api/v1/namespaces/shop/pods');
  assert.equal(headers.authorization, 'Bearer canary');
  assert.deepEqual([...parameters], [
    ['labelSelector', 'app=cart'],
    ['fieldSelector', 'metadata.name=cart-67c4c47d76-twbqp,status.phase!=Pending'],
    ['limit', '200'],
  ]);
});

test('what Kubernetes says of a pod is read', async (t) => {
  const { kubernetes } = await asked(t);
  const { items: [pod = assert.fail()] } = await kubernetes.list(pods, {
    namespace: 'shop', fields: ['metadata.name=cart-67c4c47d76-twbqp'],
  });
  assert.deepEqual(pod.owner, { kind: 'ReplicaSet', name: 'cart-67c4c47d76' });
  assert.equal(pod.node, 'worker-1');
  const [container = assert.fail()] = pod.containers;
  const { lastEnded, waiting, memoryLimit, restarts, isReady, isInit } = container;
  assert.deepEqual(
    [lastEnded?.reason, lastEnded?.exitCode, waiting?.reason, memoryLimit, restarts],
    ['OOMKilled', 137, 'CrashLoopBackOff', '64Mi', 14],
  );
  assert.deepEqual([isReady, isInit], [false, false]);
});

test('a sidecar is no init container, as it stays', async (t) => {
  const startedAt = '2026-11-22T10:00:00Z';
  const status = (name: string, state: object): object => ({ name, image: 'a', state });
  const { kubernetes } = await asked(t, list({
    metadata: { name: 'cart-1' },
    spec: { initContainers: [{ name: 'migrate' }, { name: 'proxy', restartPolicy: 'Always' }] },
    status: {
      initContainerStatuses: [
        status('migrate', { terminated: { reason: 'Completed', exitCode: 0 } }),
        status('proxy', { running: { startedAt } }),
      ],
    },
  }));
  const { items: [pod] } = await kubernetes.list(pods, { namespace: 'shop' });
  assert.deepEqual(
    pod?.containers.map(({ name, isInit, runningSinceMs }) => [name, isInit, runningSinceMs]),
    [['migrate', true, null], ['proxy', false, Date.parse(startedAt)]],
  );
});

test('a list tells how many it leaves out', async (t) => {
  const { kubernetes } = await asked(t, answering(JSON.stringify({
    metadata: { continue: 'x', remainingItemCount: 7 },
    items: [{ metadata: { name: 'a' } }, { metadata: {} }, 1, { metadata: { name: 'b' } }],
  })));
  const { items, omitted } = await kubernetes.list(pods, { namespace: 'shop' });
  assert.deepEqual([items.map(({ name }) => name), omitted], [['a', 'b'], 9]);
});

test('an object is read with all it may have, and left out where it is larger', async (t) => {
  const podOf = (bytes: number): object => ({
    metadata: { name: 'cart-1', annotations: { note: 'x'.repeat(bytes) } },
  });
  const { kubernetes } = await asked(t, list(podOf(256 * 1024), podOf(512 * 1024)));
  const { items, omitted } = await kubernetes.list(pods, { namespace: 'shop' });
  assert.deepEqual([items.length, omitted], [1, 1]);
});

test('of a list no more is read than was asked for, fit or not', async (t) => {
  const { kubernetes } = await asked(t, list(
    ...Array.from({ length: 250 }, () => ({})), { metadata: { name: 'a' } },
  ));
  const { items, omitted } = await kubernetes.list(pods, { namespace: 'shop' });
  assert.deepEqual([items.length, omitted], [0, 251]);
});

test('an event of either API has its times', async (t) => {
  const [at, later] = ['2026-01-02T03:04:05.123456Z', '2026-01-02T04:00:00Z'];
  const { kubernetes } = await asked(t, list(
    { metadata: {}, eventTime: at, firstTimestamp: null, lastTimestamp: null, count: null },
    { metadata: {}, eventTime: at, series: { count: 5, lastObservedTime: later } },
    { metadata: {}, eventTime: null, firstTimestamp: at, lastTimestamp: later, count: 3 },
    { metadata: { creationTimestamp: at } },
  ));
  const { items } = await kubernetes.list(events, { namespace: 'shop' });
  const [first, last] = [Date.parse('2026-01-02T03:04:05.123Z'), Date.parse(later)];
  assert.deepEqual(items.map(({ firstMs, lastMs, count }) => [firstMs, lastMs, count]), [
    [first, first, 1], [first, last, 5], [first, last, 3], [first, first, 1],
  ]);
});

test('members of the wrong type do not cost the whole object', async (t) => {
  const odd = {
    metadata: { name: 'a', labels: 7, ownerReferences: 'x', creationTimestamp: {} },
    spec: { nodeName: [], containers: {} },
    status: { phase: 1, conditions: [1], containerStatuses: [{ name: 'c', state: 3 }] },
  };
  const { kubernetes } = await asked(t, list(odd));
  const { items: [pod = assert.fail()] } = await kubernetes.list(pods, { namespace: 'shop' });
  assert.deepEqual([pod.name, pod.owner, pod.node, pod.createdMs], ['a', null, null, null]);
});

test('one invalid element does not cost the whole list', async (t) => {
  const { kubernetes } = await asked(t, list({
    metadata: { name: 'a', ownerReferences: [7, { controller: true, kind: 'Job', name: 'j' }] },
    status: {
      conditions: [1, { type: 'Ready', status: 'True' }],
      containerStatuses: [null, { name: 'c', restartCount: -3 }, { name: '$(reboot)' }],
    },
  }));
  const { items: [pod = assert.fail()] } = await kubernetes.list(pods, { namespace: 'shop' });
  assert.deepEqual([pod.owner?.name, pod.conditions.length], ['j', 1]);
  assert.deepEqual(pod.containers.map(({ name, restarts }) => [name, restarts]), [['c', 0]]);
});

test('objects without a valid name are refused, and reasons are single words', async (t) => {
  const odd = ['..', '--as=root', 'a b', "x';reboot;'", '', 'a\u202eb'];
  const { kubernetes } = await asked(t, list(
    ...odd.map((name) => ({ metadata: { name } })),
    { metadata: { name: 'a' }, status: { reason: 'All is well: go back to bed', phase: 'Failed' } },
  ));
  const { items, omitted } = await kubernetes.list(pods, { namespace: 'shop' });
  assert.deepEqual(items.map(({ name, reason, phase }) => [name, reason, phase]), [
    ['a', 'Unknown', 'Failed'],
  ]);
  assert.equal(omitted, odd.length);
});

test('a selector with invalid labels is ignored', async (t) => {
  const { kubernetes } = await asked(t, list(
    ...['cart', 'a,b=c', "'\n", 'x'.repeat(400)].map((app) => ({
      metadata: { name: 'a' }, spec: { selector: { matchLabels: { app, 'shop.io/tier': '' } } },
    })),
  ));
  const { items } = await kubernetes.list(deployments, { namespace: 'shop' });
  const plain = { app: 'cart', 'shop.io/tier': '' };
  assert.deepEqual(items.map(({ selector }) => selector), [plain, null, null, null]);
});

test('pod templates of any shape are split; images and amounts are shown', async (t) => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const template = (container: object): object => ({
    metadata: { name: 'a' }, spec: { template: { spec: { containers: [container] } } },
  });
  const body = JSON.stringify({ items: [
    template({ name: 'c', resources: { limits: { memory: { toString: 1 }, cpu: '1' } } }),
    template({ name: 'c', image: 'x:1', command: 'DEEP' }),
    template({ name: 'c', ports: [], env: 'none', volumeMounts: 7 }),
    { metadata: { name: 'a' }, spec: { template: { spec: { containers: [7, null] } } } },
    template({ name: 'c', env: Array.from({ length: 5000 }, (_, at) => ({ name: `E${at}` })) }),
  ] }).replace('"DEEP"', deep);
  const { kubernetes } = await asked(t, answering(body));
  const { items, omitted } = await kubernetes.list(replicaSets, { namespace: 'shop' });
  assert.deepEqual([items.length, omitted], [5, 0]);
  const shown = items.flatMap(({ parts }) => parts.map((each) => each.shown))
    .filter((each) => each !== null);
  assert.deepEqual(shown, ['1', 'x:1']);
  assert.ok(items.every(({ parts }) => parts.length <= 300));
});

test('anything but a list is refused', async (t) => {
  for (const body of ['{}', '[]', '{"items":{}}', '{"items":[', '<html>']) {
    const { kubernetes } = await asked(t, answering(body));
    await assert.rejects(kubernetes.list(pods, { namespace: 'shop' }), SourceFailure, body);
  }
});

test('a log is read line by line, each with its time', async (t) => {
  // A container with a terminal ends its lines as one.
  const text = '2026-01-02T03:04:05.5Z <b>one</b>\r\nno time\n2026-01-02T03:04:06Z \n';
  const { kubernetes, source } = await asked(t, answering(text, { type: 'text/plain' }));
  assert.deepEqual(await kubernetes.log({ ...log, isPrevious: true }), [
    { atMs: Date.parse('2026-01-02T03:04:05.5Z'), text: '<b>one</b>' },
    { atMs: null, text: 'no time' },
    { atMs: Date.parse('2026-01-02T03:04:06Z'), text: '' },
  ]);
  assert.equal(source.requests[0]?.parameters.get('previous'), 'true');
});

const logAnswers: readonly (readonly [what: string, answer: Answer, lines: number])[] = [
  ['nothing', answering('', { type: 'text/plain' }), 0],
  ['204 without a type', (response) => response.writeHead(204).end(), 0],
  ['what is no UTF-8', answering(Buffer.from([0xff, 0x0a]), { type: 'text/plain' }), 1],
  ['more lines than were asked for', answering('x\n'.repeat(5000), { type: 'text/plain' }), 100],
  ['that there is none', answering('{"message":"not found"}', { status: 400 }), 0],
  ['a pod that is gone', answering('{"message":"not found"}', { status: 404 }), 0],
  ['that is gone', answering('unable to retrieve container logs for containerd://1a2b', {
    type: 'text/plain',
  }), 0],
];
for (const [what, answer, lines] of logAnswers) {
  test(`a log of ${what} is one of ${lines} lines`, async (t) => {
    const { kubernetes } = await asked(t, answer);
    assert.equal((await kubernetes.log(log)).length, lines);
  });
}

test('a log that cannot be read is a failure', async (t) => {
  const refused = await asked(t, answering('{"message":"no rights"}', { status: 403 }));
  await assert.rejects(refused.kubernetes.log(log), { reason: 'unauthorized' });
  const page = await asked(t, answering('<title>Sign in</title>', { type: 'text/html' }));
  await assert.rejects(page.kubernetes.log(log), { detail: 'it answered with a web page' });
});

test('of a log of long lines the newest are read', async (t) => {
  const lines = Array.from({ length: 100 }, (_, index) => `${index} ${'x'.repeat(2000)}\n`);
  const { kubernetes } = await asked(t, (response, _, { parameters }) => {
    const text = lines.slice(-Number(parameters.get('tailLines'))).join('');
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end(text.slice(0, Number(parameters.get('limitBytes'))));
  });
  assert.match((await kubernetes.log(log)).at(-1)?.text ?? '', /^99 /);
});

test('where Kubernetes refuses, the report says what is to be bound', async (t) => {
  const refused = answering('{"message":"nodes is forbidden: User \\"x\\""}', { status: 403 });
  const { kubernetes } = await asked(t, refused);
  await assert.rejects(kubernetes.list(pods, { namespace: 'shop' }), {
    detail: 'it answered 403: nodes is forbidden: User "x"',
    hint: 'Bind the ClusterRole of src/sources/README.md to the service account that asks.',
  });
  const unknown = answering('{"message":"Unauthorized"}', { status: 401 });
  const { kubernetes: other } = await asked(t, unknown);
  await assert.rejects(other.list(pods, { namespace: 'shop' }), {
    hint: /^Check KUBERNETES_TOKEN,/,
  });
});

test('isObjectName() refuses names that would change a URL or a selector', () => {
  for (const name of ['cart', 'cart-1', 'a.b', '10.0.0.1', '0']) {
    assert.ok(isObjectName(name), name);
  }
  const long = 'a'.repeat(254);
  const refused = ['', '..', '.', 'a/b', 'A', 'a,b', 'a=b', '-a', 'a_b', 'a\n', 'ü', long];
  for (const name of refused) assert.ok(!isObjectName(name), name);
});
