import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger } from '../../../src/evidence/ledger.ts';
import { Toolbox, type ToolRun } from '../../../src/model/tools/toolbox.ts';
import { kubernetesIdentity } from '../../../src/sources/kubernetes/kubernetes.ts';
import type { Cleanup } from '../../support/cleanup.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import { aCaseFile } from '../../support/samples/case-files.ts';
import { sampleReport } from '../../support/samples/sample-report.ts';
import { calling, noSources } from '../../support/scripted-model.ts';
import { clusterAt, fakeKubernetes } from '../../support/sources/fake-kubernetes.ts';
import {
  startFakeSource, type Answer, type FakeSource,
} from '../../support/sources/fake-source.ts';
import {
  aCluster, aDeployment, aLoop, anEvent, aPod, minutesAgo,
} from '../../support/sources/small-cluster.ts';
import { testClient } from '../../support/sources/source-clients.ts';

const pod = 'orders-db-6bf54cc44b-4bt8c';
const mail = 'mail-6bf54cc44b-69zsc';
const ended = { reason: 'Error', exitCode: 1, finishedAt: minutesAgo(1) };
const cluster = aCluster({
  deployments: [aDeployment('orders-db', 1), aDeployment('mail', 1)],
  pods: [
    aPod(pod, { of: 'orders-db', ready: false, containers: [aLoop('db', ended)] }),
    aPod(mail, { of: 'mail' }),
  ],
  events: [anEvent(pod, 2, { reason: 'BackOff', message: 'restarting failed container vault' })],
  nodes: [{
    metadata: { name: 'worker-1' },
    status: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] },
  }],
}, { [`${pod}/db/true`]: `${minutesAgo(1)} PANIC: could not write to file pg_wal\n` });

interface Asked {
  readonly run: ToolRun;
  readonly ledger: Ledger;
  readonly source: FakeSource;
}

/** Evidence names `orders-db`, a pod, a node and `gone`; an event's message names `vault`. */
async function asking(
  t: Cleanup,
  given: Readonly<Record<string, unknown>>,
  answer: Answer = fakeKubernetes(cluster),
  tool: 'cluster_state' | 'namespace_state' = 'cluster_state',
): Promise<Asked> {
  const source = await startFakeSource(t, answer);
  const ledger = new Ledger([], 20);
  ledger.add({
    kind: 'series', source: 'prometheus', title: 'Connections of orders-db', summary: '',
    data: { nodes: ['worker-1'], pods: [mail], job: 'gone', namespaces: ['other'] },
  });
  ledger.add({
    kind: 'events', source: 'kubernetes', title: 'Warnings', summary: '',
    data: { events: [{ message: 'probe failed: vault' }] },
  });
  const startsAt = new Date(clusterAt - 180_000).toISOString();
  const toolbox = new Toolbox({
    ledger,
    sources: {
      ...noSources, kubernetes: testClient({ url: source.url, identity: kubernetesIdentity }),
    },
    caseFile: aCaseFile({
      alert: anAlert({ labels: { alertname: 'Slow', namespace: 'shop', app: 'cart' }, startsAt }),
    }),
    now: clusterAt, clock: new ManualClock(clusterAt), report: sampleReport(), onUsed: () => {},
    mask: (data) => data, secrets: [],
  });
  const call = calling(tool, { namespace: null, ...given });
  return { run: await toolbox.run(call, new AbortController().signal), ledger, source };
}

test('cluster_state tells how a workload is, in an item for each matter', async (t) => {
  const { run, ledger } = await asking(t, { component: 'orders-db' });
  const told = run.text.split('\n').map((line) => line.replace(/ Data: .*/, ''));
  assert.deepEqual(told, [
    'E3: Pods of deployment orders-db: 0 of 1 ready.',
    'E4: Warnings about deployment orders-db: Only warnings that repeat the ' +
      'state of the pods and conditions.',
    `E5: What container db of pod ${pod} logged last: Last of 1 line: ` +
      'PANIC: could not write to file pg_wal',
  ]);
  assert.match(run.text, /"container":"db".*"waiting":"CrashLoopBackOff","ended":"Error"/);
  assert.deepEqual(ledger.items.slice(2).map(({ kind, source, title }) => [kind, source, title]), [
    ['events', 'kubernetes', 'Asked by the model: Pods of deployment orders-db'],
    ['events', 'kubernetes', 'Asked by the model: Warnings about deployment orders-db'],
    ['logs', 'kubernetes', `Asked by the model: What container db of pod ${pod} logged last`],
  ]);
});

test('cluster_state tells of a pod, and of the workload it is of', async (t) => {
  const { run } = await asking(t, { component: mail });
  assert.match(run.text, /^E3: Pods of deployment mail: 1 of 1 ready\./);
});

test('cluster_state tells of a node', async (t) => {
  const { run } = await asking(t, { component: 'worker-1' });
  assert.match(run.text, /^E3: Conditions of node worker-1: node worker-1: NotReady/);
});

test('cluster_state looks at nothing that only strangers name, or nobody', async (t) => {
  const named = [
    { component: 'vault' }, { component: 'orders-d' }, { component: 'orders-db/../vault' },
    { component: 'orders-db', namespace: 'vault' },
  ];
  for (const given of named) {
    const { run, source } = await asking(t, given);
    assert.equal(run.isError, true);
    assert.match(run.text, /^No evidence names \S+\. Nothing was asked\.$/);
    assert.deepEqual(source.requests, []);
  }
});

test('cluster_state says where there is no such object', async (t) => {
  const { run, ledger } = await asking(t, { component: 'gone' });
  assert.equal(run.text, 'Kubernetes has no pod, workload or node gone in namespace shop. ' +
    'That is missing data, not a finding.');
  assert.equal(ledger.items.length, 2);
  const elsewhere = await asking(t, { component: 'orders-db', namespace: 'other' });
  assert.match(elsewhere.run.text, /node orders-db in namespace other/);
});

test('cluster_state says why Kubernetes could not be asked', async (t) => {
  const { run } = await asking(t, { component: 'orders-db' }, (response) => {
    response.writeHead(403, { 'content-type': 'application/json' }).end('{}');
  });
  assert.equal(run.isError, true);
  assert.match(run.text, /^Cannot read from Kubernetes: .*403.* This is missing data, not a find/);
});

test('namespace_state tells all that is not well or was changed in a namespace', async (t) => {
  const { run, ledger, source } = await asking(t, {}, undefined, 'namespace_state');
  assert.match(run.text, /^E3: 1 of 2 pods not ready, 1 warnings, \d+ rollouts\./);
  const [item] = ledger.items.slice(2);
  assert.equal(item?.title, 'Asked by the model: namespace shop');
  assert.match(JSON.stringify(item.data), new RegExp(`"not_ready":\\[\\{"pod":"${pod}"`));
  assert.match(JSON.stringify(item.data), /"reason":"BackOff"/);
  assert.ok(source.requests.every(({ path }) => path.includes('/namespaces/shop/')));
  const strange = await asking(t, { namespace: 'kube-system' }, undefined, 'namespace_state');
  assert.match(strange.run.text, /^No evidence names kube-system\. Nothing was asked\.$/);
});
