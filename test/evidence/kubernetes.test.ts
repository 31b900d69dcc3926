import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askKubernetes } from '../../src/evidence/kubernetes/ask-kubernetes.ts';
import { collectKubernetes } from '../../src/evidence/kubernetes/collect-kubernetes.ts';
import type { KubernetesFacts } from '../../src/evidence/kubernetes/kubernetes-facts.ts';
import { Ledger } from '../../src/evidence/ledger.ts';
import type { Kubernetes } from '../../src/sources/kubernetes/kubernetes.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile, caseNow } from '../support/samples/case-files.ts';

/** Objects by the name of their kind in URLs, as Kubernetes sends them. */
type Cluster = Readonly<Record<string, readonly object[]>>;

const object = (name: string, over: object = {}): object => ({
  metadata: { name, ...over }, spec: { replicas: 1, selector: { matchLabels: { app: name } } },
});

function kubernetesOf(cluster: Cluster, omitted: Readonly<Record<string, number>>): Kubernetes {
  return {
    list: ({ plural, parser }, { fields = [] }) => {
      const [name] = fields.flatMap((field) => /^metadata\.name=(.*)$/.exec(field)?.[1] ?? []);
      const all = (cluster[plural] ?? []) as readonly { readonly metadata: { name: string } }[];
      const found = all.filter(({ metadata }) => name === undefined || metadata.name === name);
      return Promise.resolve({
        items: found.map((each) => parser(each, plural)), omitted: omitted[plural] ?? 0,
      });
    },
    log: () => Promise.resolve([]),
  };
}

async function collected(
  labels: Readonly<Record<string, string>>,
  cluster: Cluster,
  omitted: Readonly<Record<string, number>> = {},
): Promise<{ facts: KubernetesFacts; ledger: Ledger }> {
  const answers = await askKubernetes(aCaseFile({ alert: anAlert({ labels }) }), caseNow, {
    clock: new ManualClock(caseNow), signal: new AbortController().signal, deadlineMs: 2_500,
    open: () => kubernetesOf(cluster, omitted),
  });
  const ledger = new Ledger();
  const facts = collectKubernetes(answers, { ledger, now: caseNow, queries: 9, secrets: [] });
  return { facts, ledger };
}

test('the workload is found by what the labels name of it', async () => {
  const pod = (name: string, owner: object): object => object(name, { ownerReferences: [owner] });
  const ownerReferences = [{ kind: 'CronJob', name: 'backup', controller: true }];
  const jobOf = (day: string): object =>
    object(`backup-${day}`, { creationTimestamp: `${day}T00:00:00Z`, ownerReferences });
  const cases: readonly (readonly [labels: Record<string, string>, Cluster, string])[] = [
    [{ replicaset: 'web-578fcf4766' }, { deployments: [object('web')] }, 'deployment web'],
    [{ pod: 'orders-0' }, {
      pods: [pod('orders-0', { kind: 'StatefulSet', name: 'orders', controller: true })],
      statefulsets: [object('orders')],
    }, 'statefulset orders'],
    [{ cronjob: 'backup' }, { jobs: [jobOf('2026-11-19'), jobOf('2026-11-20')] },
      'job backup-2026-11-20'],
    [{ hpa: 'keda-hpa-mailer' }, { deployments: [object('mailer')] }, 'deployment mailer'],
  ];
  for (const [labels, cluster, subject] of cases) {
    const { facts } = await collected({ namespace: 'shop', ...labels }, cluster);
    assert.equal(facts.pods?.subject, subject);
  }
});

test('a pod that no controller owns has no workload', async () => {
  const owners = [[], [{ kind: 'Node', name: 'n1', controller: true }]];
  for (const ownerReferences of owners) {
    const { facts } = await collected(
      { namespace: 'shop', pod: 'alone' }, { pods: [object('alone', { ownerReferences })] },
    );
    assert.equal(facts.pods?.subject, 'pod alone');
  }
});

test('a node is found by its address, and may be cordoned', async () => {
  const node = {
    metadata: { name: 'n1' }, spec: { unschedulable: true },
    status: {
      addresses: [{ address: '10.0.0.7' }], conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
  const { facts, ledger } = await collected(
    { instance: '10.0.0.7:9100', job: 'node' }, { nodes: [object('n0'), node] },
  );
  assert.equal(facts.node?.name, 'n1');
  assert.deepEqual(facts.signs.map(({ who, reason }) => [who, reason]), [['node n1', 'Cordoned']]);
  const events = ledger.items.find(({ title }) => title === 'Warnings about node n1');
  assert.match(events?.query ?? '', /--namespace=default .*involvedObject\.name=n1$/);
});

test('a list of events that is cut proves no silence', async () => {
  const cluster = { deployments: [object('web')] };
  const summaryOf = async (omitted: number): Promise<string | undefined> => {
    const { ledger } = await collected(
      { namespace: 'shop', deployment: 'web' }, cluster, { events: omitted },
    );
    return ledger.items.find(({ title }) => title.startsWith('Warnings'))?.summary;
  };
  assert.equal(await summaryOf(0), 'None since an hour before the alert.');
  assert.equal(await summaryOf(3), 'None among the events that were read.');
});
