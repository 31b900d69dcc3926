import assert from 'node:assert/strict';
import test from 'node:test';
import { areaOf, placeOf, subjectOf, thingOf } from '../../src/report/alert-place.ts';

const listed = { job: 'kube-state-metrics', instance: '10.0.0.9:8080', namespace: 'shop' };

test('placeOf() names the object, not the exporter that lists all objects', () => {
  assert.equal(placeOf({ ...listed, horizontalpodautoscaler: 'cart' }), 'cart in shop');
  assert.equal(placeOf({ ...listed, resourcequota: 'rq' }), 'in shop');
  const own = { ...listed, pod: 'kube-state-metrics-1', container: 'kube-state-metrics' };
  assert.equal(placeOf({ ...own, deployment: 'cart' }), 'cart in shop');
  assert.equal(placeOf({ ...own, deployment: 'kube-state-metrics' }), 'kube-state-metrics in shop');
  assert.equal(placeOf({ ...own, pod: 'o-node-exporter-7' }), 'o-node-exporter-7 in shop');
  assert.equal(placeOf(own), 'kube-state-metrics-1 in shop');
  assert.equal(placeOf({ ...listed, job: 'api' }), '10.0.0.9:8080 (api) in shop');
});

test('placeOf() names the machine, not the pod of its exporter, nor the service of all', () => {
  const machine = {
    job: 'node-exporter', instance: '10.0.0.7:9100', pod: 'o-node-exporter-7',
    namespace: 'monitoring', service: 'o-node-exporter', container: 'node-exporter',
  };
  assert.equal(placeOf(machine), '10.0.0.7:9100 (node-exporter)');
  assert.equal(placeOf({ ...machine, mountpoint: '/data' }), '/data of 10.0.0.7:9100');
  const kubelet = { job: 'kubelet', service: 'o-kubelet', node: 'n7', instance: '10.0.0.7:10250' };
  assert.equal(placeOf(kubelet), 'n7');
  assert.equal(placeOf({ ...kubelet, namespace: 'shop', pod: 'cart-1' }), 'cart-1 in shop');
});

test('subjectOf() has a place for an alert on that exporter itself', () => {
  const { job, instance } = listed;
  assert.equal(
    subjectOf({ alertname: 'TargetDown', job, instance }),
    'TargetDown on 10.0.0.9:8080 (kube-state-metrics)',
  );
});

test('placeOf() says what kind of thing it is where a name may be that of anything', () => {
  assert.equal(placeOf({ queue: 'orders', vhost: '/', instance: 'mq-1:15692' }), 'queue orders');
  assert.equal(placeOf({ topic: 'orders' }), 'topic orders');
  const server = { server: '10.0.0.5:5432', instance: '10.0.0.9:9187', job: 'postgres' };
  assert.equal(placeOf(server), '10.0.0.5:5432 (postgres)');
  assert.equal(thingOf(server), 'postgres 10.0.0.5:5432');
  assert.equal(thingOf({ queue: 'orders', job: 'mq' }), 'queue orders');
});

test('placeOf() names a group of processes, and its host', () => {
  const labels = { groupname: 'mail-worker', instance: 'web-1:9256', job: 'process-exporter' };
  assert.equal(placeOf(labels), 'mail-worker of web-1:9256');
});

test('subjectOf() names the object of an aggregate', () => {
  const lag = { alertname: 'ConsumerLag', consumergroup: 'billing', instance: 'exporter:9308' };
  assert.equal(subjectOf(lag), 'ConsumerLag on consumer group billing');
  const certificate = {
    alertname: 'CertExpires', name: 'shop-tls', namespace: 'cert-manager',
    exported_namespace: 'shop',
  };
  assert.equal(subjectOf(certificate), 'CertExpires on shop-tls in shop');
});

test('placeOf() names what an exporter reports on, not the exporter', () => {
  const by = { instance: 'exporter:9106', job: 'exporter', pod: 'exporter-7d9c5-x2x' };
  const placed = (labels: Record<string, string>): string => placeOf({ ...by, ...labels });
  assert.equal(placed({ dbinstance_identifier: 'shop-prod' }), 'shop-prod');
  assert.equal(placed({ ceph_daemon: 'osd.4', namespace: 'rook' }), 'osd.4 in rook');
  assert.equal(placed({ ups: 'rack-a' }), 'rack-a');
  assert.equal(placeOf({ destination_canonical_service: 'cart' }), 'cart');
  assert.equal(placed({ zpool: 'tank', instance: 'nas-1:9100' }), 'tank of nas-1:9100');
});

test('subjectOf says whose mount point or port it is, and at least the namespace', () => {
  const labels = { alertname: 'DiskFull', mountpoint: '/data', instance: 'db-1:9100' };
  assert.equal(subjectOf(labels), 'DiskFull on /data of db-1:9100');
  const array = { alertname: 'NodeRAIDDegraded', device: 'md0', instance: 'nas-1:9100', job: 'n' };
  assert.equal(subjectOf(array), 'NodeRAIDDegraded on md0 of nas-1:9100');
  assert.equal(placeOf({ ...array, mountpoint: '/srv' }), '/srv of nas-1:9100');
  const port = { alertname: 'PortDown', ifName: 'Gi0/3', instance: 'sw-1', pod: 'snmp-exporter-0' };
  assert.equal(subjectOf(port), 'PortDown on Gi0/3 of sw-1');
  assert.equal(subjectOf({ alertname: 'Quota', namespace: 'shop' }), 'Quota in shop');
  const unit = { name: 'export.service', instance: 'batch-1:9100', job: 'node' };
  assert.equal(placeOf(unit), 'export.service of batch-1:9100');
  const database = { datname: 'billing', instance: 'db-1:9187' };
  assert.equal(placeOf(database), 'database billing of db-1:9187');
  assert.equal(placeOf({ resource: 'pods', verb: 'LIST' }), 'LIST pods');
  const quota = { namespace: 'shop', resourcequota: 'rq', resource: 'requests.cpu' };
  assert.equal(placeOf(quota), 'requests.cpu in shop');
});

test('placeOf names the server behind a proxy, and the service whose objective is missed', () => {
  const exporter = { job: 'haproxy', instance: 'lb-1:8404' };
  assert.equal(placeOf({ ...exporter, proxy: 'web', server: 'web-2' }), 'web-2 of web');
  assert.equal(placeOf({ server: 'web-2', cluster: 'prod' }), 'web-2, prod');
  assert.equal(placeOf({ ...exporter, proxy: 'web' }), 'web');
  assert.equal(placeOf({ backend: 'default', server: 'unknown' }), 'default');
  assert.equal(placeOf({ slo: 'availability', job: 'checkout' }), 'checkout');
});

test('placeOf() names the cluster once, whichever label has it', () => {
  const pod = { pod: 'checkout-1', namespace: 'shop' };
  assert.equal(placeOf({ ...pod, cluster: 'prod-eu-1' }), 'checkout-1 in shop, prod-eu-1');
  assert.equal(placeOf({ ...pod, k8s_cluster_name: 'prod-us-2' }), 'checkout-1 in shop, prod-us-2');
  assert.equal(placeOf({ namespace: 'shop', cluster: 'prod-eu-1' }), 'in shop, prod-eu-1');
  assert.equal(placeOf({ cluster: 'prod-eu-1' }), 'prod-eu-1');
  assert.equal(placeOf({ rabbitmq_cluster: 'mq', cluster: 'mq' }), 'mq');
  assert.equal(subjectOf({ alertname: 'Slow', cluster: 'prod-eu-1' }), 'Slow on prod-eu-1');
});

test('areaOf() is namespace and cluster', () => {
  const labels = { cluster: 'prod-eu-1' };
  assert.equal(areaOf({ namespace: 'shop', labels }), 'shop, prod-eu-1');
  assert.equal(areaOf({ namespace: null, labels }), 'prod-eu-1');
  assert.equal(areaOf({ namespace: null, labels: {} }), '');
});

test('placeOf() and areaOf() read labels of any spelling', () => {
  const pod = { 'k8s.pod.name': 'cart-1', 'k8s.namespace.name': 'shop', 'service.name': 'cart' };
  assert.equal(placeOf(pod), 'cart-1 in shop');
  const old = {
    kubernetes_pod_name: 'dns-1', kubernetes_namespace: 'kube-system', instance: '10.0.0.9:80',
    job: 'kubernetes-pods',
  };
  assert.equal(placeOf(old), 'dns-1 in kube-system');
  assert.equal(areaOf({ namespace: 'Unknown', labels: old }), 'kube-system');
  assert.equal(placeOf({ kubernetes_node: 'n7', job: 'kube-state' }), 'n7');
});

test('placeOf() names the host of a part, whatever tells it', () => {
  assert.equal(placeOf({ host: 'edge-7', device: 'eth1' }), 'eth1 of edge-7');
  assert.equal(placeOf({ hostname: 'fs2', mountpoint: '/srv' }), '/srv of fs2');
  assert.equal(placeOf({ 'host.name': 'a1', mountpoint: '/var' }), '/var of a1');
  assert.equal(placeOf({ nodename: 'sql-4', device: 'C:', instance: 'x:1' }), 'C: of sql-4');
});

test('placeOf() and areaOf() name the object that an exporter reports on in one namespace', () => {
  const labels = {
    exported_job: 'nightly', exported_namespace: 'billing', job: 'kube-state-metrics',
    namespace: 'monitoring', instance: '10.0.0.9:8080',
  };
  assert.equal(placeOf(labels), 'nightly in billing');
  assert.equal(areaOf({ namespace: 'monitoring', labels }), 'billing');
});

test('placeOf() names a thing of an unknown kind with its kind, unless there are many', () => {
  const rule = { alertname: 'A', severity: 'critical', team: 'x', type: 'heartbeat' };
  assert.equal(placeOf({ ...rule, frp: '20001' }), 'frp 20001');
  assert.equal(placeOf({ ...rule, sensor: 'rack4', cluster: 'eu' }), 'sensor rack4, eu');
  assert.equal(placeOf({ ...rule, a: '1', b: '2' }), 'a 1, b 2');
  assert.equal(placeOf({ ...rule, a: '1', b: '2', c: '3' }), '');
  assert.equal(placeOf({ ...rule, pod: 'p', frp: '1' }), 'p');
  assert.equal(placeOf({ ...rule, runbook: 'https://a/' }), '');
});
