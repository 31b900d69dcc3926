import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exhaustionLevel } from '../../src/evidence/rule/exhaustion.ts';
import { readExpression } from '../../src/evidence/rule/rule-expression.ts';

const levels: readonly (readonly [string, number | null])[] = [
  ['node_filesystem_avail_bytes / node_filesystem_size_bytes * 100 < 5', 0],
  ['kubelet_volume_stats_available_bytes / kubelet_volume_stats_capacity_bytes < 0.03', 0],
  ['node_filesystem_files_free / node_filesystem_files * 100 < 5', 0],
  ['node_memory_MemAvailable_bytes < 5e8', 0],
  ['100 - node_filesystem_avail_bytes / node_filesystem_size_bytes * 100 > 85', 100],
  ['jvm_memory_used_bytes{area="heap"} / jvm_memory_max_bytes{area="heap"} > 0.9', 1],
  ['disk_used_percent > 90', 100],
  ['network_ups_tools_battery_charge < 80', 0],
  ['aws_rds_free_storage_space_average < 5e9', 0],
  ['(node_filesystem_avail_bytes / node_filesystem_size_bytes * 100 < 15 and ' +
    'predict_linear(node_filesystem_avail_bytes[6h], 24*60*60) < 0)', 0],
  // No end, or none that is known.
  ['node_memory_Cached_bytes < 5e8', null],
  ['process_resident_memory_bytes > 1e9', null],
  ['container_memory_working_set_bytes / kube_pod_container_resource_requests > 0.9', null],
  ['100 - avg(rate(node_cpu_seconds_total{mode="idle"}[5m])) * 100 > 80', null],
  ['cpu_used_percent > 90', null],
  ['request_seconds{quantile="0.9"} > 0.5', null],
  ['probe_ssl_earliest_cert_expiry - time() < 86400', null],
  ['cluster_members_percent < 60', null],
  ['disk_used_percent == 100', null],
  // The value is a pace or a forecast already.
  ['predict_linear(node_filesystem_avail_bytes[6h], 14400) < 0', null],
  ['deriv(node_filesystem_avail_bytes[1h]) < 0', null],
  ['rate(node_disk_reads_completed_total[5m]) / 100 > 0.5', null],
];
for (const [expression, level] of levels) {
  test(`exhaustionLevel of ${expression}`, () => {
    const { comparison } = readExpression(expression);
    assert.equal(comparison && exhaustionLevel(comparison), level);
  });
}
