import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../../src/alert/labels.ts';
import { metricPhrase } from '../../../src/diagnosis/changes/metric-phrase.ts';
import { deriveSeries } from '../../../src/evidence/metrics/search/derive.ts';

const points = 40;

interface Raw {
  readonly labels: LabelSet;
  readonly infinite: number;
  readonly valueless: null;
  readonly values: Float64Array;
}

function raw(name: string, growth: number, labels: LabelSet = {}): Raw {
  const values = Float64Array.from({ length: points }, (_, index) => {
    return growth === 0 ? 5 + Math.sin(index) : growth * index;
  });
  return { labels: { __name__: name, ...labels }, infinite: 0, valueless: null, values };
}

function histogram(name: string, labels: LabelSet = {}): Raw[] {
  return [
    raw(`${name}_sum`, 2.5, labels), raw(`${name}_count`, 10, labels),
    ...['0.1', '0.5', '1', '+Inf'].map((le, index) => {
      return raw(`${name}_bucket`, 4 + 2 * index, { ...labels, le });
    }),
  ];
}

/** Series as a server has them, and how what is made of them is called. */
const phrases: readonly (readonly [series: readonly Raw[], expected: readonly string[]])[] = [
  [histogram('http_request_duration_seconds'),
    ['mean HTTP request duration', 'HTTP request duration p90', 'HTTP requests']],
  [histogram('http_server_requests_seconds', { status: '500' }), [
    'mean HTTP server request time (status 500)', 'HTTP server request time p90 (status 500)',
    'HTTP server requests (status 500)',
  ]],
  [histogram('http_seconds'), ['mean HTTP time', 'HTTP time p90', 'HTTP rate']],
  [histogram('jvm_gc_pause_seconds'), ['mean JVM GC pause', 'JVM GC pause p90', 'JVM GC pauses']],
  [[raw('apiserver_request_total', 3, { code: '504' })], ['apiserver requests (code 504)']],
  [[raw('container_cpu_usage_seconds_total', 3)], ['container CPU usage']],
  [[raw('kube_pod_container_status_restarts_total', 3)], ['pod container restarts']],
  [[raw('kube_node_status_condition', 0, { condition: 'MemoryPressure' })],
    ['node condition (MemoryPressure)']],
  [[raw('kube_deployment_status_replicas_available', 0)], ['deployment replicas available']],
  [[raw('node_memory_MemAvailable_bytes', 0)], ['memory available']],
  [[raw('node_cpu_seconds_total', 3, { mode: 'iowait' })], ['CPU (iowait)']],
  [[raw('node_disk_read_time_seconds_total', 3, { device: 'sda' })], ['disk read time (sda)']],
  [[raw('node_vmstat_pgmajfault', 3)], ['major page faults']],
  [[raw('mysql_global_status_slow_queries', 3)], ['mysql slow queries']],
  [[raw('node_intr_total', 3)], ['interrupts']],
  [[raw('process_open_fds', 0)], ['open file descriptors']],
  [[raw('CpuUsageRate(%)', 0)], ['CPU usage rate']],
  [[raw('PodClientLatencyP90', 0)], ['pod client latency p90']],
  [[raw('memory_usage_mb', 0)], ['memory usage']],
  [[raw('disk_free_gb', 0)], ['disk free']],
  [[raw('queue_wait_minutes', 0)], ['queue wait']],
  [[raw('certificate_expiry_days', 0)], ['certificate expiry time']],
  [[raw('worked_hours_total', 3)], ['worked hours']],
  [[raw('availability', 0)], ['availability']],
  [[raw('cache_hit_ratio', 0)], ['cache hit ratio']],
  [[raw('up', 0)], ['up']],
  [[raw('job:http_request_duration_seconds:p99', 0)], ['HTTP request duration p99']],
  [[raw('instance:node_cpu_utilisation:rate5m', 0)], ['CPU utilisation rate5m']],
];
for (const [series, expected] of phrases) {
  test(`metricPhrase says ${expected.join(', ')}`, () => {
    const said = deriveSeries(series, 60)
      .map((derived) => metricPhrase({ ...derived, component: 'web', named: null }));
    assert.deepEqual(said.toSorted(), expected.toSorted());
  });
}

test('metricPhrase says what tells a series from others of its metric', () => {
  const labels = { code: '500', cmd: 'set', slot_name: 'debezium' };
  const said = (apart: readonly string[]): string => metricPhrase({
    id: 'a', metric: 'x_total', component: 'web', values: Float64Array.of(1), labels, apart,
    unit: null, signal: 'traffic', side: 'internal', kind: 'gauge', named: null, valueless: null,
  });
  assert.equal(said([]), 'x (code 500)');
  assert.equal(said(['cmd']), 'x (code 500, cmd set)');
  assert.equal(said(['slot_name', 'code']), 'x (code 500, slot name debezium)');
});

test('metricPhrase says memory once', () => {
  const of = (metric: string): string => metricPhrase({
    id: 'a', metric, component: 'a', values: Float64Array.of(1), unit: null,
    signal: 'utilization', side: 'internal', kind: 'gauge', named: null, labels: {},
    valueless: null,
  });
  assert.equal(of('gnatsd_varz_mem'), 'gnatsd varz memory');
  assert.equal(of('node_memory_MemFree_bytes'), 'memory free');
});

test('metricPhrase leaves out the name of the component, and never all of a name', () => {
  const values = Float64Array.of(1);
  const of = (metric: string, component: string): string => metricPhrase({
    id: 'a', metric, component, values, unit: null, signal: 'saturation', side: 'internal',
    kind: 'gauge', named: null, labels: {}, valueless: null,
  });
  assert.equal(of('orders_db_connections', 'orders-db'), 'connections');
  assert.equal(of('orders_db', 'orders-db'), 'orders db');
  assert.equal(of('status', 'web'), 'status');
  assert.equal(of('', 'web'), 'a series');
  assert.ok(of('x'.repeat(10_000), 'web').length <= 121);
});
