import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canBeAnswered } from '../../src/knowledge/askable.ts';

const target = { job: 'exporter', instance: 'e:9100', service: 'exporter', namespace: 'ops' };
const place = { labels: target, target, added: [] };
const ofTarget = 'job="exporter",instance="e:9100"';

/** Queries that one rule's target cannot answer, and some that it can. */
const asked: readonly (readonly [rule: string, query: string, expected: boolean])[] = [
  ['aws_rds_database_connections > 90', `max(pg_stat_activity_count{${ofTarget}})`, false],
  ['aws_alb_target_response_time > 1', `rate(http_requests_total{job="exporter"}[5m])`, false],
  ['ipmi_temperature_celsius > 90', `node_edac_errors_total{${ofTarget}}`, false],
  ['smartctl_device_smart_status == 0', `node_md_disks{${ofTarget},device="sda"}`, false],
  ['orders_failed_total > 1', `node_cpu_seconds_total{${ofTarget}}`, false],
  ['aws_alb_errors > 1', `{__name__=~".*(pool|jobs)_pending",${ofTarget}}`, false],
  ['orders_failed_total > 1', `rate(http_requests_total{${ofTarget}}[5m])`, true],
  ['orders_failed_total > 1', `{__name__=~".*(pool|jobs)_pending",${ofTarget}}`, true],
  ['pg_up == 0', `{__name__=~"mysql_up|pg_settings_max_connections",${ofTarget}}`, true],
  ['aws_rds_database_connections > 90', `up{${ofTarget}} or process_open_fds{${ofTarget}}`, true],
  ['aws_rds_database_connections > 90', 'node_load1{instance=~"db-1(:.*)?"}', true],
  ['aws_rds_database_connections > 90', `pg_up{${ofTarget}} or aws_rds_cpu{${ofTarget}}`, true],
  ['up == 0', `rate(http_requests_total{${ofTarget}}[5m])`, true],
];
for (const [rule, query, expected] of asked) {
  test(`canBeAnswered() of ${query} for ${rule} is ${expected}`, () => {
    assert.equal(canBeAnswered(query, rule, place), expected);
  });
}

test('canBeAnswered() judges nothing without a rule', () => {
  assert.equal(canBeAnswered(`node_load1{${ofTarget}}`, null, place), true);
});
