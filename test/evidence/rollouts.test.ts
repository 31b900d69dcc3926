import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noLabels } from '../../src/alert/labels.ts';
import type { ClusterAnswers } from '../../src/evidence/kubernetes/cluster-answers.ts';
import { rolloutsOf, type Rollout } from '../../src/evidence/kubernetes/rollouts.ts';
import type { ClusterEvent, Revision } from '../../src/sources/kubernetes/cluster-objects.ts';
import { templateParts } from '../../src/sources/kubernetes/pod-template.ts';

const start = Date.parse('2026-01-02T03:00:00Z');
const minute = 60_000;

interface Given {
  readonly container?: object;
  readonly pod?: object;
  readonly annotations?: object;
  /** Minutes before the alert at which the revision was made. */
  readonly before: number;
}

function revision(number: number, { container, pod, annotations, before }: Given): Revision {
  const app = { name: 'app', image: 'r.example:5000/shop/cart:1.8', ...container };
  const template = {
    metadata: { labels: { app: 'cart', 'pod-template-hash': `${number}` }, annotations },
    spec: { containers: [app], ...pod },
  };
  return {
    name: `cart-${number}`, createdMs: start - before * minute, labels: noLabels, owner: null,
    number, earlier: [], parts: templateParts(template),
  };
}

function rollouts(revisions: readonly Revision[], events: ClusterEvent[] = []): Rollout[] {
  const workload: ClusterAnswers['workload'] = {
    kind: 'deployment', name: 'cart', createdMs: null, labels: noLabels, owner: null, wanted: 2,
    selector: { app: 'cart' }, conditions: [],
  };
  return rolloutsOf({
    durationMs: 1, window: { fromMs: start - 60 * minute, startMs: start, toMs: start + minute },
    named: {
      cluster: null, namespace: 'shop', pod: null, container: null, workload: null, node: null,
      claim: null,
    },
    questions: [], pod: null, workload, pods: { items: [], omitted: 0 }, revisions, node: null,
    claim: null, events: { items: events, omitted: 0 }, log: null, unread: new Set(),
  }, (text) => text);
}

const old: Given = { before: 3000 };
const image = (name: string): Given => ({ container: { image: name }, before: 5 });
const rolls = 'deployment cart rolled out revision 2: ';

const changed: Readonly<Record<string, readonly [next: Given, text: string]>> = {
  'a tag': [image('r.example:5000/shop/cart:1.9'), 'image of app from 1.8 to 1.9'],
  'a repository': [image('mirror/cart:1.8'),
    'image of app from r.example:5000/shop/cart:1.8 to mirror/cart:1.8'],
  'a limit, and a probe': [
    { container: { resources: { limits: { memory: '1Gi' } }, livenessProbe: {} }, before: 5 },
    'memory limit of app is new (1Gi), liveness probe of app is new',
  ],
  'an environment, of which no value is told': [
    { container: { env: [{ name: 'DB_PASSWORD', value: 'canary-secret' }] }, before: 5 },
    'environment variable DB_PASSWORD of app is new',
  ],
  'an annotation': [{ annotations: { checksum: 'x' }, before: 5 }, 'annotation checksum is new'],
  'a volume': [{ pod: { volumes: [{ name: 'tls' }] }, before: 5 }, 'volumes is new'],
  'more than is told': [
    {
      container: { image: 'x', command: ['a'], args: ['b'], ports: [1], lifecycle: {} }, before: 5,
    },
    'image of app from r.example:5000/shop/cart:1.8 to x, command of app is new, args of app is ' +
      'new and 2 more',
  ],
};
for (const [what, [next, text]] of Object.entries(changed)) {
  test(`rolloutsOf() tells of a rollout that changes ${what}`, () => {
    const [rollout, ...others] = rollouts([revision(2, next), revision(1, old)]);
    assert.equal(rollout?.text, rolls + text);
    assert.deepEqual(others, []);
    assert.equal(rollout.atMs, start - 5 * minute);
    assert.equal(rollout.kind, text.startsWith('image') ? 'version' : 'config');
  });
}

test('rolloutsOf() recognises kubectl rollout restart', () => {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': 'now' };
  const [rollout] = rollouts([revision(1, old), revision(2, { annotations, before: 5 })]);
  assert.equal(rollout?.text, 'deployment cart was restarted by hand');
  assert.equal(rollout.kind, 'restart');
});

test('rolloutsOf() tells only of the day before the alert, and of the latest three', () => {
  const all = [3000, 400, 300, 200, 100].map((before, index) => revision(index + 1, { before }));
  assert.deepEqual(rollouts(all).map(({ atMs }) => (start - atMs) / minute), [300, 200, 100]);
  assert.deepEqual(rollouts([revision(1, { before: 5 })]), [], 'the first replaces nothing');
  assert.deepEqual(rollouts([revision(1, old), revision(2, { before: 2000 })]), []);
  assert.deepEqual(rollouts([revision(1, old), revision(2, { before: -30 })]), [], 'later');
});

test('rolloutsOf() knows when an older revision was rolled back to, if an event tells', () => {
  const event: ClusterEvent = {
    about: { kind: 'Deployment', name: 'cart' }, type: 'Normal', reason: 'ScalingReplicaSet',
    message: 'Scaled down replica set cart-2 to 1', count: 2, firstMs: start - 90 * minute,
    lastMs: start - 2 * minute,
  };
  const back = [revision(2, { ...image('x'), before: 50 }), revision(3, old)];
  assert.deepEqual(rollouts(back).map(({ atMs }) => atMs), []);
  const [told] = rollouts(back, [event]);
  assert.equal(told?.atMs, start - 2 * minute);
});
