import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import { deriveSeries } from '../../src/evidence/metrics/search/derive.ts';
import { readByRule } from '../../src/evidence/metrics/search/read-by-rule.ts';
import { readExpression } from '../../src/evidence/rule/rule-expression.ts';
import type { RangeSeries } from '../../src/sources/prometheus-answers.ts';
import { cpuTimer } from '../support/cpu-timer.ts';

interface Case {
  readonly name: string;
  readonly expression: string;
  /** Labels of the alert's own series. */
  readonly own: LabelSet;
  readonly read: readonly string[];
  readonly others: readonly string[];
}

const idle = 'avg by (instance) (rate(node_cpu_seconds_total{mode="idle"}[5m])) < 0.1';
const cases: readonly Case[] = [
  {
    name: 'the own series and its replicas, not another component', expression: 'backlog > 100',
    own: { job: 'pp', instance: 'pp-0:80' },
    read: ['backlog{job="pp",instance="pp-0:80"}', 'backlog{job="pp",instance="pp-1:80"}'],
    others: ['backlog{job="mail",instance="mail-0:80"}', 'process_open_fds{job="pp"}'],
  },
  {
    name: 'pods of one workload', expression: 'backlog > 100', own: { pod: 'web-6d9f8b6c5-bcdf2' },
    read: ['backlog{pod="web-6d9f8b6c5-xk4d9"}'], others: ['backlog{pod="db-0"}'],
  },
  {
    name: 'what is joined with another series',
    expression: 'depth * on (pod) group_left (node) kube_pod_info > 50',
    own: { pod: 'st-0', node: 'n1' }, read: ['depth{pod="st-0"}'], others: ['depth{pod="mail-0"}'],
  },
  {
    name: 'the summands of a sum', expression: 'sum(backlog) > 100', own: {},
    read: ['backlog{pod="web-0"}', 'backlog{pod="db-0"}'], others: ['queue{pod="web-0"}'],
  },
  {
    name: 'recordings of another range', expression: 'slo:errors:ratio_rate5m > 0.1',
    own: { service: 'web', sloth_window: '5m' },
    read: ['slo:errors:ratio_rate30m{service="web",sloth_window="30m"}'],
    others: ['slo:latency:ratio_rate30m{service="web"}', 'slo:errors:ratio_rate5m{service="db"}'],
  },
  {
    name: 'of an inside only what the rule asks for', expression: idle, own: { instance: 'a' },
    read: ['node_cpu_seconds_total{instance="a",mode="idle"}', 'node_load5{instance="a"}'],
    others: ['node_cpu_seconds_total{instance="a",mode="iowait"}'],
  },
  {
    name: 'the labels that go with a name within braces',
    expression: 'rate({__name__="node_cpu_seconds_total",mode="idle"}[5m]) < 0.1',
    own: { instance: 'a' },
    read: ['node_cpu_seconds_total{instance="a",mode="idle"}'],
    others: ['node_cpu_seconds_total{instance="a",mode="iowait"}'],
  },
  {
    name: 'states that exclude each other',
    expression: 'kube_node_status_condition{condition="Ready",status="true"} == 0',
    own: { node: 'n7' },
    read: ['kube_node_status_condition{node="n7",condition="Ready",status="unknown"}'],
    others: ['kube_node_status_condition{node="n7",condition="DiskPressure",status="true"}'],
  },
  {
    name: 'the parts of a queue', expression: 'sum by (queue) (rabbitmq_queue_messages_ready) > 9',
    own: { queue: 'mails' },
    read: ['rabbitmq_queue_messages{queue="mails",vhost="/"}',
      'rabbitmq_queue_messages_unacked_bytes{queue="mails"}',
      'rabbitmq_detailed_queue_messages{queue="mails"}',
      'rabbitmq_channel_messages_unacked{channel="<0.2052.0>"}'],
    others: ['rabbitmq_queue_messages_published_total{queue="mails"}',
      'rabbitmq_queue_messages{queue="bills"}', 'rabbitmq_queue_consumers{queue="mails"}'],
  },
  {
    name: 'what follows the memory used',
    expression: 'redis_memory_used_bytes / redis_memory_max_bytes > 0.9', own: { instance: 'a' },
    read: ['redis_memory_used_peak_bytes{instance="a"}', 'redis_allocator_rss_bytes{instance="a"}'],
    others: ['redis_mem_clients_normal{instance="a"}', 'redis_db_keys{instance="a",db="db0"}'],
  },
  {
    name: 'colors of one health',
    expression: 'elasticsearch_cluster_health_status{color="red"} == 1',
    own: { cluster: 'logs', color: 'red' },
    read: ['elasticsearch_cluster_health_status{cluster="logs",color="green"}'],
    others: ['elasticsearch_cluster_health_status{cluster="shop",color="green"}'],
  },
  {
    name: 'of a load not the processor', expression: 'node_load1 > 8', own: { instance: 'a' },
    read: ['node_load1{instance="a"}'],
    others: ['node_cpu_seconds_total{instance="a",mode="user"}'],
  },
  {
    name: 'alternatives of a pattern', expression: 'node_memory_x{kind=~"swap.*|cache"} > 1',
    own: {}, read: ['node_memory_x{kind="swapped"}', 'node_memory_x{kind="cache"}'],
    others: ['node_memory_x{kind="cached"}'],
  },
  {
    name: 'a pattern that is not tried', expression: 'node_memory_x{kind=~"(a+)+b"} > 1',
    own: {}, read: [`node_memory_x{kind="${'a'.repeat(40)}"}`], others: [],
  },
  {
    name: 'what a recording rule was made from',
    expression: 'job_route:loki_request_duration_seconds:99quantile{route!="tail"} > 1',
    own: { job: 'loki' },
    read: ['loki_request_duration_seconds_count{job="loki",route="push"}'],
    others: ['loki_request_duration_seconds_count{job="mimir",route="push"}',
      'loki_ingester_streams{job="loki"}'],
  },
  {
    name: 'what is computed from the same measurements, not a limit',
    expression: 'nodejs_eventloop_lag_p99_seconds > 0.25', own: { job: 'pay', instance: 'pay-2:1' },
    read: ['nodejs_eventloop_lag_seconds{job="pay",instance="pay-2:1"}',
      'nodejs_eventloop_lag_stddev_seconds{job="pay",instance="pay-1:1"}'],
    others: ['process_cpu_seconds_total{job="pay",instance="pay-2:1"}'],
  },
  {
    name: 'no limit of what it reads', expression: 'db_pool_connections > 9', own: { job: 'pay' },
    read: ['db_pool_connections{job="pay",state="idle"}'],
    others: ['db_pool_connections_max{job="pay"}'],
  },
  {
    name: 'recordings of what the rule reads',
    expression: 'histogram_quantile(0.99, sum by (job, le) (' +
      'rate(http_request_duration_seconds_bucket[1m]))) > 0.5',
    own: { job: 'payments' },
    read: ['job:http_request_duration_seconds:p99{job="payments"}'],
    others: ['job:http_request_duration_seconds:p99{job="web"}',
      'job:http_requests:rate5m{job="payments"}'],
  },
  {
    name: 'what each caller sees of the same service',
    expression: 'rate(istio_request_duration_milliseconds_sum[1m]) > 100',
    own: { destination: 'cart', source_app: 'web' },
    read: ['istio_request_duration_milliseconds_count{destination="cart",source_app="checkout"}'],
    others: ['istio_request_duration_milliseconds_count{destination="pay",source_app="web"}'],
  },
  {
    name: 'requests with another code are the rest of them',
    expression: 'sum(rate(http_requests_total{code=~"5.."}[5m])) > 1', own: {},
    read: ['http_requests_total{code="200"}', 'http_requests_total{code="503"}'], others: [],
  },
];

for (const { name, expression, own, read, others } of cases) {
  test(`readByRule: ${name}`, () => {
    const isOwn = readByRule(readExpression(expression), own, () => false);
    const told = (series: string): boolean[] => {
      const [, metric = '', inner = ''] = /^([\w:]+)\{(.*)\}$/u.exec(series) ?? [];
      const pairs = [...inner.matchAll(/(\w+)="([^"]*)"/gu)];
      const labels = Object.fromEntries(pairs.map(([, label = '', value = '']) => [label, value]));
      const values = Float64Array.from({ length: 20 }, (_, index) => index);
      const raw = { labels: { __name__: metric, ...labels }, values, infinite: 0, valueless: null };
      return deriveSeries([raw], 60).map(isOwn);
    };
    assert.deepEqual(read.flatMap(told), read.map(() => true));
    assert.deepEqual(others.flatMap(told), others.map(() => false));
  });
}

test('readByRule takes other parts of the same component for the symptom too', () => {
  const series = (instance: string, device: string): RangeSeries => ({
    labels: { __name__: 'temperature', instance, device },
    values: Float64Array.from({ length: 20 }, (_, index) => index), infinite: 0, valueless: null,
  });
  const all = [series('a', 'sda'), series('a', 'sdb'), series('b', 'sdb')];
  const isOwn = readByRule(readExpression('temperature > 60'), { instance: 'a', device: 'sda' },
    (labels) => labels['instance'] === 'a');
  assert.deepEqual(deriveSeries(all, 60).map(isOwn), [true, true, false]);
});

test('readByRule matches whether pods of the own component are ready, of each and counted', () => {
  const reading = readExpression('sum by (pod) (kube_pod_status_phase{phase="Pending"}) > 0');
  const isOwn = readByRule(reading, { pod: 'ledger-2' },
    ({ pod, statefulset }) => (statefulset ?? pod)?.startsWith('ledger') === true);
  const values = Float64Array.from({ length: 20 }, (_, index) => index);
  const of = (labels: Record<string, string>): boolean[] =>
    deriveSeries([{ labels, values, infinite: 0, valueless: null }], 60).map(isOwn);
  const ready = 'kube_statefulset_status_replicas_ready';
  assert.deepEqual(of({ __name__: ready, statefulset: 'ledger' }), [true]);
  assert.deepEqual(of({ __name__: ready, statefulset: 'db' }), [false]);
  const reason = { __name__: 'kube_pod_container_status_waiting_reason', pod: 'ledger-2' };
  assert.deepEqual(of(reason), [false]);
});

test('readByRule matches nothing without a rule', () => {
  const values = new Float64Array(20).fill(1);
  const raw = { labels: { __name__: 'backlog' }, values, infinite: 0, valueless: null };
  const [derived] = deriveSeries([raw], 60);
  assert.equal(derived !== undefined && readByRule(null, {}, () => false)(derived), false);
});

test('readByRule parses an expression of very many metrics only once', () => {
  const names = Array.from({ length: 1900 }, (_, index) => `a_${index.toString(36)}`);
  const reading = readExpression(`${names.join(' + ')} > 1`);
  assert.equal(reading.metrics.length, names.length);
  const raw = { values: new Float64Array(20).fill(1), infinite: 0, valueless: null };
  const derived = deriveSeries([
    { ...raw, labels: { __name__: 'a_1f' } }, { ...raw, labels: { __name__: 'b' } },
  ], 60);
  const cpuMs = cpuTimer();
  assert.deepEqual(derived.map(readByRule(reading, {}, () => false)), [true, false]);
  assert.ok(cpuMs() < 500, `${cpuMs()} ms`);
});
