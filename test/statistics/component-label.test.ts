import assert from 'node:assert/strict';
import test from 'node:test';
import { chooseComponentLabel } from '../../src/statistics/names/component-label.ts';
import { workloadOfPod } from '../../src/statistics/names/workload-name.ts';

test('workloadOfPod strips what Kubernetes adds', () => {
  const rows = [
    ['checkout-578fcf4766-9csqn', 'checkout'], ['adservice-5f6585d649-fnmft', 'adservice'],
    ['payment-9cdb6588f-554sm', 'payment'], ['fluentd-x7k2p', 'fluentd'],
    ['orders-0', 'orders'], ['orders-db-12', 'orders-db'], ['node-exporter-bqk8z', 'node-exporter'],
    ['backup-28123456-abcde', 'backup-28123456-abcde'], ['backup-28123456-x7k2p', 'backup'],
    ['backup-28123456', 'backup'], ['redis-master-0', 'redis-master'],
    ['my-nginx', 'my-nginx'], ['cert-manager', 'cert-manager'], ['checkout', 'checkout'],
    ['kube-proxy', 'kube-proxy'], ['api-v2', 'api-v2'], ['ts-order-service', 'ts-order-service'],
    ['', ''], ['-', '-'],
  ] as const;
  for (const [pod, expected] of rows) assert.equal(workloadOfPod(pod), expected, pod);
});

test('workloadOfPod ends on hostile names', () => {
  const name = `${'b2-'.repeat(20_000)}!`;
  assert.equal(workloadOfPod(name), name);
});

const rows: readonly {
  readonly name: string;
  readonly series: readonly Readonly<Record<string, string>>[];
  /** The label chosen, and the components it makes of the series. */
  readonly expected: readonly [label: string, ...components: (string | null)[]] | null;
}[] = [
  { name: 'a label on too few', series: [{ service: 'cart' }, { service: 'ads' }, {}, {}, {}],
    expected: null },
  { name: 'the label on many more',
    series: [{ service: 'a', job: 'x' }, { service: 'b', job: 'y' }, { job: 'z' }, { job: 'x' }],
    expected: ['job', 'x', 'y', 'z', 'x'] },
  { name: 'replica sets, and what is not known',
    series: [{ replicaset: 'cart-578fcf4766' }, { replicaset: 'ads-5f6585d649' },
      { replicaset: 'unknown' }],
    expected: ['workload', 'cart', 'ads', null] },
  { name: 'services', series: [{ service: 'cart', pod: 'a-0' }, { service: 'ads', pod: 'a-1' }],
    expected: ['service', 'cart', 'ads'] },
  { name: 'pods of several workloads',
    series: [{ pod: 'cart-578fcf4766-9csqn', job: 'x' }, { pod: 'ads-5f6585d649-fnmft', job: 'x' }],
    expected: ['workload', 'cart', 'ads'] },
  { name: 'pods whose service is the collector',
    series: [{ service: 'kubelet', pod: 'cart-578fcf4766-9csqn' },
      { service: 'kube-state-metrics', pod: 'ads-5f6585d649-fnmft' }],
    expected: ['workload', 'cart', 'ads'] },
  { name: 'the collected pod beside the collecting one',
    series: [{ pod: 'kube-state-metrics-7d9c5-x2x8z', exported_pod: 'cart-0' }, { pod: 'ads-0' }],
    expected: ['workload', 'cart', 'ads'] },
  { name: 'owners beside pods', series: [{ deployment: 'cart' }, { statefulset: 'db' },
    { pod: 'db-0' }], expected: ['workload', 'cart', 'db', 'db'] },
  { name: 'pods of one workload', series: [{ pod: 'cart-0' }, { pod: 'cart-1' }],
    expected: ['pod', 'cart-0', 'cart-1'] },
  { name: 'containers of one pod', series: [{ pod: 'cart-0', container: 'app' },
    { pod: 'cart-0', container: 'proxy' }], expected: ['container', 'app', 'proxy'] },
  { name: 'machines', series: [{ job: 'node', instance: '10.0.0.1:9100' },
    { job: 'node', instance: '10.0.0.2:9100' }, { job: 'node', instance: '10.0.0.2:9256' }],
    expected: ['instance', '10.0.0.1', '10.0.0.2', '10.0.0.2'] },
  { name: 'objects that kube-state-metrics lists', series: [
    { job: 'kube-state-metrics', instance: '10.0.0.9:8080', horizontalpodautoscaler: 'cart' },
    { job: 'kube-state-metrics', instance: '10.0.0.9:8080', deployment: 'ads' }],
    expected: ['workload', 'cart', 'ads'] },
  { name: 'no address of who lists', series: [
    { job: 'kube-state-metrics', instance: '10.0.0.9:8080', node: 'n1' },
    { job: 'kube-state-metrics', instance: '10.0.0.8:8080', node: 'n2' }],
    expected: ['node', 'n1', 'n2'] },
  { name: 'what a collector passes on for others', series: [
    { job: 'otel', instance: 'gw:1', exported_job: 'shop/cart' }, { job: 'otel', instance: 'gw:1' },
    { job: 'otel', instance: 'gw:2', exported_job: 'shop/ads' }, { job: 'db', instance: 'd:1' }],
    expected: ['exported_job', 'shop/cart', 'otel', 'shop/ads', 'db'] },
  { name: 'jobs before machines', series: [{ job: 'api', instance: 'a:1' },
    { job: 'db', instance: 'b:1' }], expected: ['job', 'api', 'db'] },
  { name: 'a good name on too few', series: [{ app: 'cart', instance: 'a:1' },
    { app: 'ads', instance: 'b:1' }, { instance: 'c:1' }, { instance: 'd:1' }, { instance: 'e:1' }],
    expected: ['instance', 'a', 'b', 'c', 'd', 'e'] },
  { name: 'one of everything', series: [{ job: 'api', instance: 'a:1' }], expected: null },
  { name: 'no labels', series: [{}, {}], expected: null },
  { name: 'no series', series: [], expected: null },
  { name: 'too many values',
    series: Array.from({ length: 300 }, (_, index) => ({ name: `n${index}` })), expected: null },
];

for (const { name, series, expected } of rows) {
  test(`chooseComponentLabel chooses among ${name}`, () => {
    const chosen = chooseComponentLabel(series);
    if (expected === null) return assert.equal(chosen, null);
    assert.ok(chosen !== null);
    assert.deepEqual([chosen.label, ...series.map(chosen.valueOf)], expected);
  });
}
