import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparedNoun, type ComparedNoun } from '../../../src/diagnosis/verdict/compared-noun.ts';

const cases: readonly (readonly [string, ComparedNoun['form'], string, string | null])[] = [
  ['sum by (datname) (pg_stat_activity_connections)', 'count', 'pg activity connections', null],
  ['rate(http_errors_total[5m])', 'measure', 'HTTP errors', null],
  ['histogram_quantile(0.99, sum by (le) (rate(http_request_duration_seconds_bucket[5m])))',
    'measure', 'p99 of HTTP request duration', null],
  ['sum(rate(http_requests_total{code="500"}[5m])) / sum(rate(http_requests_total[5m]))', 'share',
    'HTTP requests (code 500)', null],
  ['sum(rate(payments_total{result="declined"}[2m])) / sum(rate(payments_total[2m]))', 'share',
    'payments (result declined)', null],
  ['1 - sum(rate(deliveries_total{code="ok"}[1m])) / sum(rate(deliveries_total[1m]))', 'share',
    'deliveries (code not ok)', null],
  ['100 - (avg by (instance) (rate(node_cpu_seconds_total{mode="idle"}[1m])) * 100)', 'share',
    'CPU (mode not idle)', null],
  ['predict_linear(node_filesystem_avail_bytes{mountpoint="/pg"}[3m], 2400)', 'measure',
    'filesystem available (/pg)', null],
  ['jvm_memory_used_bytes / (jvm_memory_max_bytes > 0)', 'limit', 'JVM memory used',
    'JVM memory max'],
  ['redis_memory_used_bytes / redis_memory_max_bytes * 100', 'limit', 'redis memory used',
    'redis memory max'],
  ['changes(process_start_time_seconds[10m])', 'count', 'restarts in 10 min', null],
  ['increase(pod_restarts_total[1h])', 'count', 'pod restarts in 1 h', null],
  ['call_seconds_sum / call_seconds_count', 'measure', 'mean call time', null],
  ['time() - backup_last_success_seconds', 'measure', 'age of backup last success time', null],
];
for (const [expression, form, text, of] of cases) {
  test(`${expression} compares ${text}`, () => {
    assert.deepEqual(comparedNoun(expression, {}, ''), { text, form, of });
  });
}

test('an expression that no short noun tells has none', () => {
  for (const expression of ['1 - a_ratio', 'job:errors:rate5m', 'x', 'app_build_info', '((']) {
    assert.equal(comparedNoun(expression, {}, ''), null, expression);
  }
});

test('the labels of the series that the place does not show belong to the noun', () => {
  const labels = { route: '/search', job: 'shop', instance: 'a:1', le: '1' };
  assert.equal(comparedNoun('latency_seconds', labels, 'a:1 (shop)')?.text,
    'latency (route /search)');
  assert.equal(comparedNoun('latency_seconds', labels, '/search of shop')?.text, 'latency');
});
