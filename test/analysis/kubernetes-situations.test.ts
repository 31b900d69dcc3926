/** What happens in clusters beside incidents: what reports say then, and what they leave out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ofKubernetes, reported } from '../support/sources/cluster-report.ts';
import {
  aCluster, aDeployment, aLoop, anEvent, aPod, aReplicaSet, minutesAgo,
} from '../support/sources/small-cluster.ts';

const ofDeployment = { alertname: 'HighErrorRate', namespace: 'shop', deployment: 'cart' };
const ofPod = { alertname: 'KubePodCrashLooping', namespace: 'shop', pod: 'cart-6bf54cc44b-4bt8c' };
const [one, two] = ['cart-6bf54cc44b-4bt8c', 'cart-6bf54cc44b-69zsc'];
const [old, older] = ['cart-6bf54cc44b-rnrts', 'cart-6bf54cc44b-twbqp'];
const evicted = {
  phase: 'Failed', ready: false,
  status: { phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' },
};

test('a pod that is not there any more is said to be so, beside what replaced it', async (t) => {
  const report = await reported(t, ofPod, aCluster({
    deployments: [aDeployment('cart', 1)],
    pods: [aPod(two, {
      ready: false,
      containers: [aLoop('app', { reason: 'OOMKilled', exitCode: 137, finishedAt: minutesAgo(1) })],
    })],
  }));
  assert.deepEqual(ofKubernetes(report).slice(0, 2), [
    '0 of 1 pod of deployment cart is ready.', `Pod ${one} is not there now.`,
  ]);
  assert.equal(report.verdict.certainty, 'likely');
});

test('the pods beside a healthy one are named where they are not ready', async (t) => {
  const looping = (name: string) => aPod(name, {
    ready: false,
    containers: [aLoop('app', { reason: 'Error', exitCode: 1, finishedAt: minutesAgo(1) })],
  });
  const report = await reported(t, ofPod, aCluster({
    deployments: [aDeployment('cart', 3)],
    pods: [aPod(one), looping(two), aPod(old, { ready: false })],
  }));
  assert.deepEqual(ofKubernetes(report), [
    `1 of 3 pods of deployment cart are ready; not ready: ${two} (CrashLoopBackOff), ${old}.`,
  ]);
  assert.equal(report.verdict.most_likely, null);
});

test('pods that were evicted long ago are neither news nor a cause', async (t) => {
  const report = await reported(t, ofDeployment, aCluster({
    deployments: [aDeployment('cart', 1)],
    pods: [aPod(one), aPod(old, evicted), aPod(older, evicted)],
  }));
  assert.deepEqual(ofKubernetes(report), [
    '1 of 1 pod of deployment cart is ready; 2 further pods failed.',
  ]);
  assert.equal(report.verdict.most_likely, null);
});

test('pods that were evicted just before are said to be so, in the plural', async (t) => {
  const why = { reason: 'Evicted', message: 'The node was low on memory.' };
  const report = await reported(t, ofDeployment, aCluster({
    deployments: [aDeployment('cart', 2)],
    pods: [aPod(old, evicted), aPod(older, evicted)],
    events: [anEvent(old, 5, why), anEvent(older, 6, why)],
  }));
  assert.deepEqual(ofKubernetes(report), [
    '2 pods of deployment cart failed.',
    '2 pods were evicted, last at 09:59 UTC: "The node was low on memory".',
  ]);
  assert.equal(report.verdict.most_likely, 'The node evicted the pod');
});

test('a workload that was scaled to nothing has no pods for that reason', async (t) => {
  const report = await reported(t, ofDeployment, aCluster({
    deployments: [aDeployment('cart', 0)],
    events: [anEvent('cart', 4, {
      involvedObject: { kind: 'Deployment', name: 'cart' }, type: 'Normal',
      reason: 'ScalingReplicaSet', message: 'Scaled down replica set cart-6bf54cc44b to 0',
    })],
  }));
  assert.deepEqual(ofKubernetes(report), [
    'Deployment cart has no pods; it asks for none.',
    'Deployment cart: ScalingReplicaSet at 10:00 UTC: ' +
      '"Scaled down replica set cart-6bf54cc44b to 0".',
  ]);
  assert.equal(report.verdict.most_likely, 'Its workload was scaled down to no pods');
});

test('an image that further pods wait for is no likely cause while enough are ready', async (t) => {
  const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "cart:2"' };
  const report = await reported(t, ofDeployment, aCluster({
    deployments: [aDeployment('cart', 1)],
    pods: [aPod(one), aPod(two, {
      ready: false, phase: 'Pending', containers: [{ name: 'app', state: { waiting } }],
    })],
  }));
  const { most_likely: likely, certainty } = report.verdict;
  assert.deepEqual([likely, certainty], ['The image cannot be pulled', 'possible']);
});

test('a paused deployment and a pod that is being deleted are said to be so', async (t) => {
  const condition = {
    type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused',
    message: 'Deployment is paused', lastTransitionTime: minutesAgo(10),
  };
  const report = await reported(t, ofPod, aCluster({
    deployments: [aDeployment('cart', 1, { conditions: [condition] })],
    pods: [aPod(one, { metadata: { deletionTimestamp: minutesAgo(3) }, ready: false })],
  }));
  assert.deepEqual(ofKubernetes(report).slice(1), [
    `Pod ${one} is being deleted.`, 'Deployment cart is paused (since 09:54 UTC).',
  ]);
});

test('a pod of somebody not known here is given to no workload of a like name', async (t) => {
  for (const ownerReferences of [[], [{ kind: 'ReplicaSet', name: 'cart-x', controller: true }]]) {
    const report = await reported(t, ofPod, aCluster({
      deployments: [aDeployment('cart', 3)],
      pods: [aPod(one, { metadata: { ownerReferences, labels: { app: 'cart' } } })],
    }));
    assert.deepEqual(ofKubernetes(report), [`The pod ${one} is ready.`]);
  }
});

test('a rollback is told with the release before it, each at its time', async (t) => {
  const undone = {
    deployments: [aDeployment('cart', 1)], pods: [aPod(one)],
    replicasets: [
      aReplicaSet('a', 3, { minutes: 9_000, image: 'cart:1', history: '1' }),
      aReplicaSet('b', 2, { minutes: 20, image: 'cart:2' }),
    ],
  };
  const down = { reason: 'ScalingReplicaSet', message: 'Scaled down replica set cart-b to 0' };
  const up = { reason: 'ScalingReplicaSet', message: 'Scaled up replica set cart-a to 5' };
  const about = { involvedObject: { kind: 'Deployment', name: 'cart' }, type: 'Normal' };
  const events = [
    anEvent('cart', 5, { ...about, ...down }), anEvent('cart', 1, { ...about, ...up }),
  ];
  const report = await reported(t, ofDeployment, aCluster({ ...undone, events }));
  assert.deepEqual(report.changes.map(({ title }) => title).sort(), [
    'deployment cart rolled back (revision 3): image of app from 2 to 1',
    'deployment cart rolled out revision 2: image of app from 1 to 2',
  ]);
  assert.deepEqual(report.changes.map((change) => change.onset_seconds).sort(), [-1020, -120]);
  const scaled = [anEvent('cart', 1, { ...about, ...up })];
  const later = await reported(t, ofDeployment, aCluster({ ...undone, events: scaled }));
  assert.deepEqual(later.changes.length, 1, 'a scale-up by hand or by load is no rollout');
});

test('a restart by hand is no change of configuration', async (t) => {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': minutesAgo(5) };
  const report = await reported(t, ofDeployment, aCluster({
    deployments: [aDeployment('cart', 1)], pods: [aPod(one)],
    replicasets: [
      aReplicaSet('a', 1, { minutes: 9_000, image: 'cart:1' }),
      aReplicaSet('b', 2, { minutes: 5, image: 'cart:1', annotations }),
    ],
  }));
  assert.deepEqual(report.changes.map(({ kind, title }) => [kind, title]), [
    ['restart', 'deployment cart was restarted by hand'],
  ]);
  assert.equal(report.verdict.most_likely, null);
});

test('a scheduled job is looked at by the latest job that it made', async (t) => {
  const job = (name: string, minutes: number): Record<string, unknown> => ({
    metadata: {
      name, namespace: 'shop', creationTimestamp: minutesAgo(minutes),
      ownerReferences: [{ kind: 'CronJob', name: 'sync', controller: true }],
    },
    spec: { completions: 1, selector: { matchLabels: { uid: name } } },
  });
  const failed = {
    name: 'sync', restartCount: 0, image: 'x',
    state: { terminated: { reason: 'Error', exitCode: 3, finishedAt: minutesAgo(4) } },
  };
  const labels = { alertname: 'X', namespace: 'shop', cronjob: 'sync' };
  const report = await reported(t, labels, aCluster({
    jobs: [job('sync-1', 30), job('sync-2', 5)],
    pods: [aPod('sync-2-x7k2p', {
      phase: 'Failed', ready: false, containers: [failed], metadata: { labels: { uid: 'sync-2' } },
    })],
  }));
  assert.deepEqual(ofKubernetes(report), [
    '1 pod of job sync-2 failed.',
    'Container sync of pod sync-2-x7k2p ended with Error (exit code 3), last at 10:00 UTC.',
  ]);
});

test('a kill without a word of who did it does not rule out the memory limit', async (t) => {
  for (const [exitCode, ruledOut] of [[137, 0], [1, 1]] as const) {
    const report = await reported(t, ofPod, aCluster({
      deployments: [aDeployment('cart', 1)],
      pods: [aPod(one, {
        ready: false,
        containers: [aLoop('app', { reason: 'Error', exitCode, finishedAt: minutesAgo(1) })],
      })],
    }));
    assert.equal(report.ruled_out.length, ruledOut, String(exitCode));
  }
});

test('a pod without a node for want of its volume says so', async (t) => {
  const condition = {
    type: 'PodScheduled', status: 'False', reason: 'Unschedulable',
    message: '0/1 nodes are available: 1 pod has unbound immediate PersistentVolumeClaims.',
  };
  const report = await reported(t, { ...ofPod, alertname: 'KubePodNotReady' }, aCluster({
    deployments: [aDeployment('cart', 1)],
    pods: [aPod(one, { phase: 'Pending', status: { conditions: [condition] } })],
  }));
  assert.equal(report.verdict.most_likely, 'A volume it needs is not there');
});

test('a workload is looked for by its app where its service has another name', async (t) => {
  const labels = { alertname: 'X', namespace: 'shop', service: 'cart-svc', app: 'cart' };
  const report = await reported(t, labels, aCluster({
    deployments: [aDeployment('cart', 1), aDeployment('cart-db', 1)], pods: [aPod(one)],
  }));
  assert.deepEqual(ofKubernetes(report), ['1 of 1 pod of deployment cart is ready.']);
});

test('among thousands of warnings those about a pod in trouble are found', async (t) => {
  const others = Array.from({ length: 600 }, (_, index) => {
    return anEvent(`other-${index}`, 2, { reason: 'BackOff', message: 'Back-off' });
  });
  const own = anEvent(one, 2, { reason: 'FailedMount', message: 'secret "tls" not found' });
  const report = await reported(t, ofDeployment, aCluster({
    deployments: [aDeployment('cart', 1)], events: [...others, own],
    pods: [aPod(one, { ready: false, phase: 'Pending' })],
  }));
  assert.deepEqual(ofKubernetes(report), [
    '0 of 1 pod of deployment cart is ready.',
    `Pod ${one}: FailedMount at 10:02 UTC: "secret "tls" not found".`,
  ]);
});

test('an image that could not be pulled at first is told once, with why', async (t) => {
  const report = await reported(t, ofPod, aCluster({
    deployments: [aDeployment('cart', 1)], pods: [aPod(one)],
    events: [
      anEvent(one, 4, { reason: 'Failed', message: 'Failed to pull image "cart:1": timeout' }),
      anEvent(one, 4, { reason: 'Failed', message: 'Error: ErrImagePull' }),
    ],
  }));
  assert.deepEqual(ofKubernetes(report).slice(1), [
    `Pod ${one}: Failed at 10:00 UTC: "Failed to pull image "cart:1": timeout".`,
  ]);
});

test('a condition of a node that is good where it is true is no sign of trouble', async (t) => {
  const condition = (type: string): object => ({ type, status: 'True', reason: 'x', message: 'y' });
  const types = ['Ready', 'EtcdIsVoter', 'KubeletUnhealthy', 'DiskPressure'];
  const report = await reported(t, { alertname: 'X', node: 'n1' }, aCluster({
    nodes: [{ metadata: { name: 'n1' }, spec: {}, status: { conditions: types.map(condition) } }],
  }));
  assert.deepEqual(ofKubernetes(report).slice(1), [
    'Node n1 reports KubeletUnhealthy: "y".', 'Node n1 is short of disk space: "y".',
  ]);
});

test('a kill by a startup probe is none by a liveness probe', async (t) => {
  const why = { type: 'Normal', reason: 'Killing' };
  const message = 'Container app failed startup probe, will be restarted';
  const report = await reported(t, ofPod, aCluster({
    deployments: [aDeployment('cart', 1)], pods: [aPod(one, { ready: false })],
    events: [anEvent(one, 2, { ...why, message })],
  }));
  assert.equal(report.hypotheses.filter((each) => each.certainty === 'confirmed').length, 0);
});

test('commands for events ask where these are', async (t) => {
  const asked = async (labels: Readonly<Record<string, string>>): Promise<string | null> => {
    const report = await reported(t, { alertname: 'X', namespace: 'shop', ...labels }, aCluster({
      nodes: [{ metadata: { name: 'n1' } }], pods: [aPod(one)],
      deployments: [aDeployment('cart', 1)],
    }));
    const item = report.evidence.find(({ title }) => title.startsWith('Warnings about'));
    return item?.query?.replace('kubectl get events ', '') ?? null;
  };
  assert.equal(await asked({ node: 'n1' }),
    '--namespace=default --field-selector=involvedObject.name=n1');
  assert.equal(await asked({ pod: one }),
    `--namespace=shop --field-selector=involvedObject.name=${one}`);
  assert.equal(await asked({ deployment: 'cart' }),
    '--namespace=shop --field-selector=type!=Normal');
});
