import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familyByForm } from '../../src/knowledge/family-by-form.ts';

/** Rules on products that no family knows, by what their form says. */
const rules: Readonly<Record<string, readonly string[]>> = {
  'due-soon': [
    '(acme_license_end_seconds - time()) / 86400 < 14',
    'acme_token_expiry_days <= 7',
  ],
  overdue: [
    'time() - acme_sync_last_run_timestamp_seconds > 5 * 3600 and acme_sync_enabled == 1',
    'acme_seconds_since_last_report > 600',
  ],
  'nearly-used-up': [
    'acme_sessions_used / acme_sessions_max > 0.8',
    '100 * sum(acme_heap_used_bytes) by (node) / sum(acme_heap_max_bytes) by (node) > 90',
    'acme_memory_free_pct < 10',
  ],
  failures: [
    'rate(acme_uploads_failed_total[5m]) > 0',
    'sum by (node) (increase(acme_records_dropped_total[10m])) > 5',
    'sum(rate(acme_calls_total{status="error"}[5m])) / sum(rate(acme_calls_total[5m])) > 0.1',
  ],
  waiting: ['max by (shard) (acme_ingest_queue_length) > 1000', 'acme_replica_lag_seconds > 30'],
  'operation-slow': ['histogram_quantile(0.99, sum by (le)' +
    '(rate(acme_commit_duration_seconds_bucket[5m]))) > 2'],
  restarting: ['increase(acme_worker_restarts_total[1h]) > 3'],
  'wrong-state': [
    'acme_leader_elected == 0', 'acme_maintenance != 0', 'min by (cluster) (acme_is_stable) < 1',
    'acme_dead_partitions > 0', 'acme_condition{type="Ready",status="False"} > 0',
  ],
  'too-few': ['count(acme_worker_info) < 3'],
  unusual: [
    'abs(acme_ops:rate5m - acme_ops:avg_over_time_1h) / acme_ops:stddev_over_time_1h > 3',
    'sum(rate(acme_ops_total[5m])) / sum(rate(acme_ops_total[5m] offset 1w)) < 0.5',
  ],
};

test('familyByForm() reads from a rule on an unknown product what kind of trouble it is', () => {
  for (const [id, expressions] of Object.entries(rules)) {
    for (const expression of expressions) {
      assert.equal(familyByForm(expression)?.id ?? null, id, expression);
    }
  }
});

test('familyByForm() says nothing of what its form leaves open', () => {
  for (const expression of [
    '', 'acme_ops_total', 'absent(acme_up)', ')(', 'acme_temperature_celsius > 70',
    'acme_clients > 10000', 'time() - process_start_time_seconds < 600',
    'acme_created == 1 unless on (cluster) acme_known',
    'acme_virtual_bytes / acme_mapped_bytes > 3',
    'changes(acme_fleet_size[5m]) >= 1', 'rate(acme_requests_total[1m]) > 100',
  ]) assert.equal(familyByForm(expression), null, expression);
});
