import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namedByItself, usuallyNamed } from '../../src/alert/usual-name.ts';

test('usuallyNamed() adds the usual name of what any spelling names', () => {
  const spellings = {
    pod: ['k8s.pod.name', 'k8s_pod_name', 'kubernetes_pod_name', 'pod_name'],
    namespace: ['k8s.namespace.name', 'kubernetes_namespace', 'namespace_name'],
    host: ['host.name', 'hostname', 'nodename', 'kubernetes_io_hostname'],
    node: ['kubernetes_node', 'node_name', 'k8s.node.name'],
    service: ['service.name', 'service_name'], cluster: ['k8s.cluster.name', 'cluster_name'],
  };
  for (const [usual, names] of Object.entries(spellings)) {
    for (const name of names) {
      assert.deepEqual(usuallyNamed({ [name]: 'x' }), { [name]: 'x', [usual]: 'x' });
      assert.deepEqual(usuallyNamed({ [name]: 'x', [usual]: 'y' }), { [name]: 'x', [usual]: 'y' });
    }
  }
});

test('usuallyNamed() leaves labels of other kinds alone', () => {
  const labels = {
    name: 'n', job_name: 'nightly', 'deployment.environment': 'prod', pod_template_hash: '315',
    'threshold.name': 'critical', username: 'u', k8s_app: 'dns', __proto__: 'p',
  };
  assert.equal(usuallyNamed(labels), labels);
});

test('namedByItself() prefers what the thing is called to its exporter\'s labels', () => {
  const labels = { exported_namespace: 'billing', namespace: 'monitoring' };
  assert.deepEqual(namedByItself(labels), { ...labels, namespace: 'billing' });
});
