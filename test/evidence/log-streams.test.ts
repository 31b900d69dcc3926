import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import { objectsOf } from '../../src/evidence/logs/alert-objects.ts';
import { chooseStreams, selectorsOf } from '../../src/evidence/logs/log-streams.ts';
import { podEnding } from '../../src/statistics/names/workload-name.ts';

/** What is chosen where a server has these streams, and finds by label alone. */
function chosen(alert: LabelSet, streams: readonly LabelSet[]): string | null {
  const objects = objectsOf(alert);
  const found = objects.map((object) => {
    return [object, streams.filter((stream) => object.matchers.some(({ name, op, value }) => {
      const own = stream[name] ?? '';
      return op === '=' ? own === value : new RegExp(`^(?:${value})$`).test(own);
    }))] as const;
  });
  const answer = chooseStreams(alert, new Map(found));
  return answer === null ? null : `${answer.owner}: ${answer.selector}`;
}

const cases: readonly (readonly [string, LabelSet, readonly LabelSet[], string | null])[] = [
  [
    "the pod's own, of its container and namespace",
    { namespace: 'shop', pod: 'cart-1', container: 'cart' },
    [
      { namespace: 'shop', pod: 'cart-1', container: 'cart' },
      { namespace: 'shop', pod: 'cart-1', container: 'istio-proxy' },
      { namespace: 'test', pod: 'cart-1', container: 'cart' },
      { namespace: 'shop', pod: 'cart-2', container: 'cart' },
    ],
    'pod cart-1: {pod="cart-1",namespace="shop",container="cart"}',
  ],
  [
    'those of all containers where none has the name of that of the alert',
    { namespace: 'shop', pod: 'cart-1', container: 'cart' },
    [{ namespace: 'shop', pod: 'cart-1', container: 'main' }],
    'pod cart-1: {pod="cart-1",namespace="shop"}',
  ],
  [
    'by the names of OpenTelemetry',
    { namespace: 'shop', pod: 'cart-1', cluster: 'eu' },
    [
      { k8s_namespace_name: 'shop', k8s_pod_name: 'cart-1', k8s_cluster_name: 'eu' },
      { k8s_namespace_name: 'shop', k8s_pod_name: 'cart-1', k8s_cluster_name: 'us' },
    ],
    'pod cart-1: ' +
      '{k8s_pod_name="cart-1",k8s_namespace_name="shop",k8s_cluster_name="eu"}',
  ],
  [
    "the workload's where pods are no label",
    { namespace: 'shop', pod: 'cart-7d9f8b6c5d-x2x4z' },
    [{ namespace: 'shop', service_name: 'cart' }, { namespace: 'shop', service_name: 'cartoon' }],
    'service cart: {service_name=~"cart|shop/cart|cart\\\\.service",namespace="shop"}',
  ],
  [
    "Promtail's jobs of namespace and application",
    { namespace: 'shop', service: 'cart' },
    [{ job: 'shop/cart' }, { job: 'test/cart' }],
    'job shop/cart: {job=~"cart|shop/cart|cart\\\\.service"}',
  ],
  [
    'a unit on the host of an exporter',
    { instance: 'db-1:9187', job: 'postgres', service: 'postgresql' },
    [
      { host: 'db-1.example.org', unit: 'postgresql.service' },
      { host: 'db-1.example.org', unit: 'cron.service' },
      { host: 'db-10.example.org', unit: 'postgresql.service' },
    ],
    'unit postgresql.service on host db-1.example.org: {unit=~"postgresql|.+/postgresql|' +
      'postgresql\\\\.service",host=~"db-1(\\\\..+)?(:[0-9]+)?"}',
  ],
  [
    'the whole host for an alert of the machine',
    { instance: 'db-1.example.org:9100', job: 'node' },
    [{ hostname: 'db-1', app: 'node' }, { hostname: 'db-2', app: 'x' }],
    'host db-1: {hostname=~"db-1\\\\.example\\\\.org(:[0-9]+)?|db-1(:[0-9]+)?"}',
  ],
  [
    'an address of IPv6',
    { instance: '[2001:db8::1]:9100', job: 'node' },
    [{ host: '2001:db8::1' }],
    'host 2001:db8::1: {host=~"\\\\[?2001:db8::1\\\\]?(:[0-9]+)?"}',
  ],
  [
    'the object of kube-state-metrics and not kube-state-metrics itself',
    {
      job: 'kube-state-metrics', instance: '10.0.0.7:8080', service: 'kube-state-metrics',
      exported_pod: 'cart-1', pod: 'ksm-0', exported_namespace: 'shop', namespace: 'monitoring',
      container: 'kube-state-metrics',
    },
    [
      { namespace: 'monitoring', pod: 'ksm-0' }, { namespace: 'shop', pod: 'cart-1' },
      { host: '10.0.0.7' },
    ],
    'pod cart-1: {pod="cart-1",namespace="shop"}',
  ],
  [
    'nothing of a measurer whose pod stands in the series of what it measures',
    {
      job: 'node-exporter', instance: '10.0.0.4:9100', namespace: 'monitoring',
      pod: 'kps-prometheus-node-exporter-x7k2p', container: 'node-exporter',
      service: 'kps-prometheus-node-exporter',
    },
    [{ namespace: 'monitoring', pod: 'kps-prometheus-node-exporter-x7k2p' }],
    null,
  ],
  [
    "a measurer's pod where the alert is about that",
    { job: 'kube-state-metrics', namespace: 'monitoring', pod: 'node-exporter-x7k2p' },
    [{ namespace: 'monitoring', pod: 'node-exporter-x7k2p' }],
    'pod node-exporter-x7k2p: {pod="node-exporter-x7k2p",namespace="monitoring"}',
  ],
  [
    "a measurer's pod where a rule adds up by pod",
    { namespace: 'monitoring', pod: 'node-exporter-x7k2p' },
    [{ namespace: 'monitoring', pod: 'node-exporter-x7k2p' }],
    'pod node-exporter-x7k2p: {pod="node-exporter-x7k2p",namespace="monitoring"}',
  ],
  [
    'the pods of a job of Kubernetes',
    {
      alertname: 'KubeJobFailed', job: 'kube-state-metrics', job_name: 'backup-28123456',
      namespace: 'shop', pod: 'kps-kube-state-metrics-58474dc949-6ngch',
      container: 'kube-state-metrics',
    },
    [
      { namespace: 'shop', pod: 'backup-28123456-x7k2p' },
      { namespace: 'shop', pod: 'backup-28123459-x7k2p' },
    ],
    'pod backup-28123456-x7k2p: {pod=~"backup-28123456-.+",namespace="shop"}',
  ],
  [
    'those of OpenTelemetry by stateful set',
    { namespace: 'shop', statefulset: 'orders', job: 'kube-state-metrics' },
    [{ k8s_namespace_name: 'shop', k8s_statefulset_name: 'orders', k8s_pod_name: 'orders-0' }],
    'statefulset orders: {k8s_statefulset_name=~"orders|shop/orders|orders\\\\.service",' +
      'k8s_namespace_name="shop"}',
  ],
  [
    'by the names of OpenShift',
    { namespace: 'shop', pod: 'cart-1', container: 'cart' },
    [
      {
        kubernetes_namespace_name: 'shop', kubernetes_pod_name: 'cart-1',
        kubernetes_container_name: 'cart', kubernetes_host: 'worker-1',
      },
      {
        kubernetes_namespace_name: 'shop', kubernetes_pod_name: 'cart-1',
        kubernetes_container_name: 'istio-proxy', kubernetes_host: 'worker-1',
      },
    ],
    'pod cart-1: {kubernetes_pod_name="cart-1",kubernetes_namespace_name="shop",' +
      'kubernetes_container_name="cart"}',
  ],
  [
    "a node's own and not those of its pods",
    {
      alertname: 'KubeNodeNotReady', node: 'worker-1', job: 'kube-state-metrics',
      namespace: 'monitoring', pod: 'kps-kube-state-metrics-58474dc949-6ngch',
      container: 'kube-state-metrics', service: 'kps-kube-state-metrics',
      instance: '10.42.2.101:8080',
    },
    [
      { nodename: 'worker-1', unit: 'kubelet.service', job: 'systemd-journal' },
      { nodename: 'worker-1', namespace: 'shop', pod: 'cart-1' },
      { nodename: 'worker-1', namespace: 'monitoring', pod: 'prometheus-0' },
      {
        nodename: 'worker-2', namespace: 'monitoring',
        pod: 'kps-kube-state-metrics-58474dc949-6ngch',
      },
    ],
    'node worker-1: {nodename=~"worker-1(\\\\..+)?(:[0-9]+)?",namespace=""}',
  ],
  [
    'nothing of the same program on another host',
    { instance: 'db-1:9187', job: 'postgres', service: 'postgresql' },
    [{ host: 'db-2', unit: 'postgresql.service' }, { host: 'db-3', unit: 'postgresql.service' }],
    null,
  ],
  [
    "the service's containers, whatever host they run on",
    { instance: 'cart:8080', job: 'cart' },
    [{ host: 'docker-1', compose_service: 'cart', container_name: 'shop-cart-1' }],
    'compose service cart: {compose_service=~"cart|.+/cart|cart\\\\.service"}',
  ],
  [
    'the same name in several namespaces, and says so, for an alert of no namespace',
    { job: 'api' },
    [{ namespace: 'shop', job: 'shop/api' }, { namespace: 'test', job: 'test/api' }],
    'job api of 2 namespaces: {job=~"api|.+/api|api\\\\.service"}',
  ],
  [
    'the same unit of several hosts, and says so, for an alert of none',
    { instance: 'localhost:9090', job: 'prometheus' },
    [{ host: 'a', unit: 'prometheus.service' }, { host: 'b', unit: 'prometheus.service' }],
    'unit prometheus.service of 2 hosts: {unit=~"prometheus|.+/prometheus|' +
      'prometheus\\\\.service"}',
  ],
  [
    'a pod of two clusters, and says so, for an alert of none',
    { namespace: 'shop', pod: 'orders-0' },
    ['eu', 'us'].map((cluster) => ({ cluster, namespace: 'shop', pod: 'orders-0' })),
    'pod orders-0 of 2 clusters: {pod="orders-0",namespace="shop"}',
  ],
  [
    'one host by its names with and without domain',
    { instance: 'db-1:9100', job: 'node' },
    [{ host: 'db-1', unit: 'kernel' }, { host: 'db-1.example.org', job: 'syslog' }],
    'host db-1: {host=~"db-1(\\\\..+)?(:[0-9]+)?"}',
  ],
  [
    "the pod's where one label tells namespace, pod and container",
    { namespace: 'shop', pod: 'cart-1', container: 'cart' },
    [
      { instance: 'shop/cart-1:cart', job: 'loki.source.kubernetes.pods' },
      { instance: 'shop/cart-1:istio-proxy', job: 'loki.source.kubernetes.pods' },
      { instance: 'shop/cart-10:cart', job: 'loki.source.kubernetes.pods' },
      { instance: 'test/cart-1:cart', job: 'loki.source.kubernetes.pods' },
    ],
    'instance shop/cart-1:cart: {instance=~"shop/(cart-1):cart"}',
  ],
  [
    'those of all its containers by that label where none has the name of that of the alert',
    { namespace: 'shop', pod: 'cart-1', container: 'cart' },
    [{ instance: 'shop/cart-1:main' }, { instance: 'shop/cart-1:istio-proxy' }],
    'instance cart-1: {instance=~"shop/(cart-1):.+"}',
  ],
  [
    'the pods of a workload by that label, whatever node the alert names',
    { namespace: 'shop', deployment: 'cart', node: 'worker-1' },
    [
      { instance: 'shop/cart-7d9f8b6c5d-x2x4z:app', job: 'loki.source.kubernetes.pods' },
      { instance: 'shop/cart-7d9f8b6c5d-k7c2p:app', job: 'loki.source.kubernetes.pods' },
      { instance: 'shop/cart-db-0:app', job: 'loki.source.kubernetes.pods' },
    ],
    `instance cart: {instance=~"shop/(cart(${podEnding})):.+"}`,
  ],
  [
    'the containers of the name of the alert by that label, of whatever pods',
    { namespace: 'shop', service: 'cart' },
    [{ instance: 'shop/web-0:cart' }, { instance: 'shop/web-1:cart' }],
    'instance cart: {instance=~"shop/(.+):cart"}',
  ],
  [
    'the service of a stack of Docker',
    { service: 'cart' },
    [
      { swarm_service: 'shop_cart', swarm_stack: 'shop', container_name: 'shop_cart.1.x7k' },
      { swarm_service: 'shop_old_cart', swarm_stack: 'shop' },
      { swarm_service: 'shop_cartoon', swarm_stack: 'shop' },
    ],
    'swarm service shop_cart: {swarm_service=~"cart|[^_]+_cart"}',
  ],
  ['nothing of another namespace', { namespace: 'shop', service: 'cart' }, [
    { namespace: 'test', app: 'cart' },
  ], null],
  ['nothing for an address of the loopback', { instance: 'localhost:9100', job: 'node' }, [
    { host: 'localhost' },
  ], null],
  ['nothing for a page that is probed', { instance: 'https://example.org/', job: 'blackbox' }, [
    { host: 'example.org' },
  ], null],
  ['nothing for an alert of no object', { alertname: 'Odd' }, [{ app: 'odd' }], null],
];
for (const [name, alert, streams, expected] of cases) {
  test(`chooseStreams() takes ${name}`, () => {
    assert.equal(chosen(alert, streams), expected);
  });
}

test('selectorsOf() keeps hostile values within their quotes', () => {
  const objects = objectsOf({ pod: 'a"} or {x="\n`', service: '(a+)+$|.*', instance: 'x\\' });
  const all = objects.flatMap(selectorsOf);
  assert.ok(all.length > 10);
  for (const selector of all) {
    assert.match(selector, /^\{[a-z0-9_]+=~?"(?:[^"\\\n]|\\.)*"\}$/);
  }
});

test('objectsOf() ignores names that are too long', () => {
  assert.deepEqual(objectsOf({ pod: 'x'.repeat(300), service: 'y'.repeat(70_000) }), []);
});
