/** What a report makes of the reasons and messages that Kubernetes 1.28 to 1.34 gives. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Report } from '../../src/report/report.ts';
import { ofKubernetes, reported } from '../support/sources/cluster-report.ts';
import type { Cluster } from '../support/sources/fake-kubernetes.ts';
import {
  aCluster, aDeployment, aLoop, anEvent, aPod, minutesAgo,
} from '../support/sources/small-cluster.ts';

const pod = 'cart-6bf54cc44b-4bt8c';
const ofPod = { alertname: 'KubePodNotReady', namespace: 'shop', pod };
const ofDeployment = {
  alertname: 'KubeDeploymentReplicasMismatch', namespace: 'shop', deployment: 'cart',
};

function saysMostLikely({ verdict }: Report): readonly unknown[] {
  return [verdict.most_likely, verdict.certainty];
}

/** A pod whose container waits. */
function waiting(reason: string, message: string): Cluster {
  const containers = [{ name: 'app', ready: false, state: { waiting: { reason, message } } }];
  return aCluster({
    deployments: [aDeployment('cart', 1)],
    pods: [aPod(pod, { ready: false, phase: 'Pending', containers })],
  });
}

const waits: readonly (readonly [reason: string, message: string, cause: string])[] = [
  ['CreateContainerConfigError', 'configmap "cart-settings" not found',
    'A ConfigMap or Secret that it refers to, or a key in one, is missing'],
  ['CreateContainerConfigError', 'couldn\'t find key TOKEN in Secret shop/cart',
    'A ConfigMap or Secret that it refers to, or a key in one, is missing'],
  ['CreateContainerConfigError', 'container has runAsNonRoot and image will run as root (pod: "x")',
    'runAsNonRoot is set, and refuses the user that it would run as'],
  ['CreateContainerConfigError', 'failed to sync configmap cache: timed out',
    'Its container cannot be created'],
  ['CreateContainerError', 'failed to reserve container name "app": name is reserved for "5d1a"',
    'Its container cannot be created'],
  ['RunContainerError', 'failed to create containerd task: not a directory',
    'Its container cannot be started'],
  ['ErrImageNeverPull', 'Container image "cart:dev" is not present with pull policy of Never',
    'The image is not on the node, and may not be pulled'],
];
for (const [reason, message, cause] of waits) {
  test(`${reason}, ${message.slice(0, 40)}: ${cause}`, async (t) => {
    const report = await reported(t, ofPod, waiting(reason, message));
    assert.deepEqual(saysMostLikely(report), [cause, 'confirmed']);
  });
}

const rejected: readonly (readonly [message: string, cause: string])[] = [
  ['failed calling webhook "validate.kyverno.svc": no endpoints available for service "kyverno"',
    'An admission webhook keeps its pods from being created'],
  ['pods "cart-1" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true',
    'Its pods are rejected: they violate the pod security standard'],
  ['pods "cart-1" is forbidden: error looking up service account shop/cart: ' +
    'serviceaccount "cart" not found',
  'Its pods are rejected: their service account does not exist'],
  ['pods "cart-1" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1',
    'A quota of the namespace is used up'],
  ['Pod "cart-1" is invalid: spec.containers[0].name: Required value',
    'Its pods are rejected when they are created'],
];
for (const [message, cause] of rejected) {
  test(`pods that are rejected: ${cause}`, async (t) => {
    const report = await reported(t, ofDeployment, aCluster({
      deployments: [aDeployment('cart', 2, {
        conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message }],
      })],
      pods: [aPod(pod)],
    }));
    assert.deepEqual(saysMostLikely(report), [cause, 'confirmed']);
  });
}

test('a node says why it is not ready', async (t) => {
  const saying = async (message: string): Promise<readonly unknown[]> => {
    const ready = { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message };
    const node = { metadata: { name: 'n1' }, spec: {}, status: { conditions: [ready] } };
    const labels = { alertname: 'KubeNodeNotReady', node: 'n1' };
    return saysMostLikely(await reported(t, labels, aCluster({ nodes: [node] })));
  };
  assert.deepEqual(
    await saying('container runtime network not ready: NetworkReady=false ' +
      'reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin'),
    ['The network plugin of the node does not run', 'confirmed'],
  );
  assert.deepEqual(
    await saying('PLEG is not healthy: pleg was last seen active 3m11s ago; threshold is 3m0s'),
    ['The container runtime of its node does not answer', 'likely'],
  );
  assert.deepEqual(await saying('Kubelet stopped posting node status.'), [null, 'inconclusive']);
});

test('a long message keeps its end, which says why', async (t) => {
  const image = 'registry.example/shop/cart:1.5.0';
  const message = `Back-off pulling image "${image}": ErrImagePull: rpc error: code = NotFound ` +
    `desc = failed to pull and unpack image "${image}": failed to resolve reference "${image}": ` +
    `${image}: not found`;
  const report = await reported(t, ofPod, waiting('ImagePullBackOff', message));
  const [, said = ''] = ofKubernetes(report);
  assert.match(said, /: "Back-off pulling image .* … .*\/shop\/cart:1\.5\.0: not found"\.$/);
});

test('a label of the alert is told with what Kubernetes says of it', async (t) => {
  const labels = { ...ofPod, alertname: 'KubeContainerWaiting', reason: 'ImagePullBackOff' };
  const report = await reported(t, labels, waiting('ImagePullBackOff', 'cart:1: not found'));
  const [first] = report.hypotheses;
  assert.match(first?.for[0]?.text ?? '', /is waiting: ImagePullBackOff: ".*not found"/);
  assert.equal(report.verdict.certainty, 'confirmed');
});

test('a volume that was mounted at last is no sign of trouble', async (t) => {
  const event = anEvent(pod, 20, { reason: 'FailedMount', message: 'configmap cache: timed out' });
  const failed = { reason: 'Error', exitCode: 1, finishedAt: minutesAgo(1) };
  const report = await reported(t, { ...ofPod, alertname: 'KubePodCrashLooping' }, aCluster({
    deployments: [aDeployment('cart', 1)], events: [event],
    pods: [aPod(pod, { ready: false, containers: [aLoop('app', failed)] })],
  }));
  assert.ok(!ofKubernetes(report).some((text) => text.includes('FailedMount')));
  assert.equal(report.verdict.most_likely, null);
});

test('an unready pod explains a workload that lacks replicas, unless it crashes', async (t) => {
  const message = 'Readiness probe failed: HTTP probe failed with statuscode: 503';
  const events = [anEvent(pod, 2, { reason: 'Unhealthy', message, count: 40 })];
  const withPod = (containers: readonly Readonly<Record<string, unknown>>[]): Cluster => aCluster({
    deployments: [aDeployment('cart', 1)], pods: [aPod(pod, { ready: false, containers })], events,
  });
  const unready = await reported(t, ofDeployment, withPod([]));
  assert.deepEqual(saysMostLikely(unready), ['The readiness probe of its pods fails', 'confirmed']);
  const failed = { reason: 'Error', exitCode: 1, finishedAt: minutesAgo(1) };
  const crashing = await reported(t, ofDeployment, withPod([aLoop('app', failed)]));
  assert.equal(crashing.verdict.most_likely, null);
});

test('an init container is given five minutes to finish', async (t) => {
  const report = await reported(t, ofPod, aCluster({
    deployments: [aDeployment('cart', 1)],
    pods: [aPod(pod, {
      ready: false, phase: 'Pending',
      status: {
        initContainerStatuses: [{ name: 'wait', state: { running: { startedAt: minutesAgo(4) } } }],
      },
    })],
  }));
  assert.deepEqual(ofKubernetes(report), ['0 of 1 pod of deployment cart is ready.']);
});

test('a workload is found by the name of its autoscaler', async (t) => {
  for (const hpa of ['cart-hpa', 'keda-hpa-cart']) {
    const report = await reported(t, { alertname: 'HpaMaxed', namespace: 'shop', hpa }, aCluster({
      deployments: [aDeployment('cart', 1)], pods: [aPod(pod)],
    }));
    assert.deepEqual(ofKubernetes(report), ['1 of 1 pod of deployment cart is ready.']);
  }
});

test('a job that its policy does not retry is told so', async (t) => {
  const condition = {
    status: 'True', reason: 'PodFailurePolicy',
    message: 'Container export failed with exit code 42 matching FailJob rule at index 0',
  };
  const report = await reported(t, {
    alertname: 'KubeJobFailed', namespace: 'shop', job_name: 'nightly',
  }, aCluster({
    jobs: [{
      metadata: { name: 'nightly', namespace: 'shop' }, spec: { completions: 1 },
      status: { conditions: ['FailureTarget', 'Failed'].map((type) => ({ ...condition, type })) },
    }],
  }));
  assert.deepEqual(saysMostLikely(report),
    ['The job failed in a way that its policy does not retry', 'confirmed']);
});
