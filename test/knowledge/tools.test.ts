import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeOfAlert } from '../../src/evidence/place.ts';
import { knowledgeFor } from '../../src/knowledge/knowledge-for.ts';
import { toolsAround, type Surroundings } from '../../src/knowledge/tools.ts';
import { anAlert } from '../support/samples/alerts.ts';

const nowhere = { labels: {}, target: {}, added: [] };

function canRun(template: string, told: string, around: Partial<Surroundings> = {}): boolean {
  return toolsAround(told, nowhere, { metrics: [], hasKubernetes: false, ...around })(template);
}

test('a command is only for what the alert names, or metrics around it show', () => {
  assert.equal(canRun('rabbitmqctl list_queues', 'QueueTooLong jobs_waiting > 5'), false);
  assert.equal(canRun('rabbitmqctl list_queues', 'RabbitmqQueueTooLong'), true);
  assert.equal(canRun('rabbitmqctl list_queues', 'QueueTooLong',
    { metrics: ['up', 'rabbitmq_queue_messages'] }), true);
  assert.equal(canRun("psql -h {instance.host} -c 'select 1'", 'DatabaseSlow'), false);
  assert.equal(canRun("psql -h {instance.host} -c 'select 1'", 'pg_stat_activity_count > 5'), true);
  assert.equal(canRun("ssh -- {instance.host} 'df -h'", 'DiskFull'), true);
  assert.equal(canRun('echo {redis}', 'DiskFull'), true, 'labels name no product');
});

test('kubectl is only where Kubernetes is', () => {
  const command = 'kubectl -n {namespace} get pods';
  assert.equal(canRun(command, 'HighLatency http_requests_total'), false);
  assert.equal(canRun(command, 'HighLatency', { hasKubernetes: true }), true);
  assert.equal(canRun(command, 'HighLatency', { metrics: ['kube_pod_info'] }), true);
  assert.equal(canRun(command, 'KubePodCrashLooping'), true);
  const ofPod = { ...nowhere, labels: { pod: 'web-1' } };
  assert.equal(toolsAround('', ofPod, { metrics: [], hasKubernetes: false })(command), true);
});

test('knowledgeFor() gives no step that cannot be taken where the alert is', () => {
  const labels = { alertname: 'HighLatency', namespace: 'shop', job: 'checkout' };
  const commandsWith = (metrics: readonly string[]): string => {
    const place = placeOfAlert(labels, { expression: null });
    const found = knowledgeFor(anAlert({ labels }), null, place, { metrics, hasKubernetes: false });
    return JSON.stringify([found?.steps, found?.causes.map(({ test: asked }) =>
      asked?.bounds === null ? asked.text : null)]);
  };
  assert.doesNotMatch(commandsWith(['http_requests_total']), /kubectl/u);
  assert.match(commandsWith(['http_requests_total', 'kube_deployment_created']), /kubectl/u);
});
