import assert from 'node:assert/strict';
import test from 'node:test';
import { readRule } from '../support/read-rule.ts';

test('readExpression follows units through arithmetic and functions', () => {
  const cases: readonly [string, string | null][] = [
    ['rate(a_seconds_sum[5m]) / rate(a_seconds_count[5m]) * 1000 > 500', 'milliseconds'],
    ['histogram_quantile(0.9, sum by (le) (rate(a_seconds_bucket[5m]))) * 1e3 > 500',
      'milliseconds'],
    ['rate(jobs_total[2m]) * 60 > 100', 'per_minute'],
    ['8 * rate(sent_bytes_total[5m]) > 1e9', 'bits_per_second'],
    ['1 - (MemAvailable_bytes / MemTotal_bytes) > 0.9', 'ratio'],
    ['max by (pod) (a_bytes / b_bytes) > 0.9', 'ratio'],
    ['max((time() - x_timestamp_seconds) / 3600) > 26', 'hours'],
    ['(probe_ssl_earliest_cert_expiry - time()) / 86400 < 14', 'days'],
    ['max(a_bytes / 1024 / 1024) > 900', 'mebibytes'],
    ['sum(rate(a_bytes_total[2m])) / 1024 / 1024 > 100', 'mebibytes_per_second'],
    ['rate(a_bytes_total[2m]) * 8 / 1e6 > 100', 'megabits_per_second'],
    ['job:slo_errors_per_request:ratio_rate1h > 14.4 * 0.001', 'ratio'],
    ['sum by (cluster) (apiserver_request:burnrate5m) > 0.14', 'ratio'],
    ['100 * sum(rate(errors_total[5m])) / sum(rate(requests_total[5m])) > 5', 'percent'],
    ['(1 - avg(rate(cpu_seconds_total{mode="idle"}[5m]))) * 100 > 90', 'percent'],
    ['sum by (pod) (rate(container_cpu_usage_seconds_total{image!=""}[5m])) > 0.9', 'cores'],
    ['rate(process_cpu_seconds_total[5m]) * 100 > 80', 'percent'],
    ['sum(rate(process_cpu_seconds_total[5m])) / count(up) > 2', 'cores'],
    ['increase(process_cpu_seconds_total[1h]) > 3000', 'seconds'],
    ['rate(a_seconds_bucket{le="1"}[5m]) / rate(a_seconds_count[5m]) < 0.9', 'ratio'],
    ['rate(read_seconds_total[5m]) / rate(reads_total[5m]) > 0.1', 'seconds'],
    ['backlog_bytes / rate(sent_bytes_total[5m]) > 60', 'seconds'],
    ['sum(rate(a_total[5m])) / count(up) > 5', 'per_second'],
    ['count(up == 0) / count(up) > 0.3', 'ratio'],
    ['a_bytes * on(pod) group_left(node) kube_pod_info > 5e9', 'bytes'],
    ['quantile_over_time(0.9, a_seconds{b="/*2"}[1h:5m] @ end() offset -1d) > 2', 'seconds'],
    ['(rate(a_total[5m]) or vector(0)) < 1', 'per_second'],
    ['rate(ifInErrors[5m]) > 10', 'per_second'],
    ['3 <= round((last_over_time(probe_ssl_earliest_cert_expiry[10m]) - time()) / 86400, 0.1) < 20',
      'days'],
    ['aws_rds_free_storage_space_average < 5e9', 'bytes'],
    ['smartctl_device_temperature{temperature_type="current"} > 60', 'celsius'],
    ['max(a_seconds or ups_status{flag="OB"}) > 0', null],
    ['max(a_seconds or b_seconds) > 0', 'seconds'],
    ['increase(gc_time_milliseconds_total[5m]) > 500', 'milliseconds'],
    ['rate(gc_time_milliseconds_total[5m]) / 1000 * 100 > 5', 'percent'],
    ['rate(modem_received_bits_total[5m]) > 1e6', 'bits_per_second'],
    ['rate(ifHCInOctets[5m]) * 8 > 9e8', 'bits_per_second'],
    ['requests_per_second > 100', 'per_second'],
    ['rate(row_ops_total[5m]) > 100', 'per_second'],
    ['megabits_per_second > 100', 'megabits_per_second'],
    ['rate(mysql_global_status_bytes_received[5m]) > 1e6', 'bytes_per_second'],
    ['a:kube_pod_container_resource_requests:sum > 1e9', null],
    ['sum(memory_working_set_bytes) / sum(kube_pod_resource_requests) > 0.9', null],
    ['used{type="a"} / ignoring(type) (used{type="b"} > 0) > 0.9', 'ratio'],
    ['areas / areas_limit > 0.8', 'ratio'], ['queries / queries_max > 0.8', 'ratio'],
    ['8 * rate(ifHCInOctets[5m]) / (ifHighSpeed * 1e6) > 0.8', 'ratio'],
    ['rate(ifHCInOctets[5m]) / ifHighSpeed > 0.8', null],
    ['rate(ifHCInOctets[5m]) * 8 * 100 / ifSpeed > 80', 'percent'],
    ['rate(node_network_receive_bytes_total[5m]) / node_network_speed_bytes > 0.8', 'ratio'],
    ['rate(container_cpu_usage_seconds_total[5m]) / on(node) machine_cpu_cores > 0.9', 'ratio'],
    ['rate(process_cpu_seconds_total[5m]) / process_cpu_cores_available * 100 > 90', 'percent'],
    ['deriv(rate(a_total[5m])[1h:]) > 3', null], ['deriv(requests_per_second[5m]) > 3', null],
    ['mysql_global_status_uptime < 60', 'seconds'],
    ['rate(thing[5m]) / thing > 0.1', null], ['areas / things_limit > 0.8', 'ratio'],
    ['hits / (hits + misses) < 0.9', 'ratio'], ['ready / replicas * 100 < 0.5', 'percent'],
    ['used / total > 3', null], ['handler_idle_percent < 0.3', null],
    ['handler_idle_percent < 30', 'percent'], ['a_bytes / b_bytes * 100 < 0.5', 'percent'],
    ['thing / rate(thing[5m]) < 0.5', null],
  ];
  for (const [expression, unit] of cases) {
    assert.equal(readRule(expression).unit, unit, expression);
  }
});

test('readExpression knows what functions make of native histograms', () => {
  const calls = 'rate(call_seconds[5m])';
  const cases: readonly [string, string | null][] = [
    [`histogram_count(${calls}) < 1`, 'per_second'],
    ['histogram_count(increase(call_seconds[5m])) < 1', 'count'],
    [`histogram_avg(${calls}) > 0.5`, 'seconds'],
    [`histogram_stddev(sum by (job) (${calls})) > 0.5`, 'seconds'],
    [`histogram_sum(${calls}) / histogram_count(${calls}) > 0.5`, 'seconds'],
    [`1 - histogram_fraction(0, 0.2, ${calls}) > 0.05`, 'ratio'],
    [`100 * histogram_fraction(0, 0.2, ${calls}) < 95`, 'percent'],
    [`histogram_count(rate(call_seconds{code="500"}[5m])) / histogram_count(${calls}) > 0.1`,
      'ratio'],
    [`histogram_stdvar(${calls}) > 1`, null],
    ['info(histogram_avg(rate(call_seconds[5m]))) > 1', 'seconds'],
  ];
  for (const [expression, unit] of cases) {
    assert.equal(readRule(expression).unit, unit, expression);
  }
});

test('readExpression knows the units of what Kubernetes reserves, by its label', () => {
  const allocatable = (resource: string): string =>
    `sum(kube_node_status_allocatable{resource="${resource}"})`;
  const cases: readonly [string, string | null][] = [
    [`sum(namespace_memory:kube_pod_container_resource_requests:sum) - ${allocatable('memory')} ` +
      '> 0', 'bytes'],
    [`sum(kube_pod_container_resource_requests{resource="cpu"}) - ${allocatable('cpu')} > 0`,
      'cores'],
    [`sum(rate(container_cpu_usage_seconds_total[5m])) / ${allocatable('cpu')} > 0.9`, 'ratio'],
    ['container_memory_working_set_bytes / ' +
      'kube_pod_container_resource_limits{resource="memory"} * 100 > 90', 'percent'],
    [`${allocatable('pods')} < 5`, null], ['kube_node_status_allocatable < 5', null],
    ['jobs{resource="memory"} > 5', null],
  ];
  for (const [expression, unit] of cases) {
    assert.equal(readRule(expression).unit, unit, expression);
  }
});

test('readExpression knows no unit after arithmetic that changes it', () => {
  const cases = [
    'latency_p99 * 1000 > 500', 'a_bytes ^ 2 > 5', 'time() % 86400 > 5', 'log2(a_bytes) > 5',
    '(rate(x_total[2m]) < bool 50) == 1', '1 / a_seconds > 5', 'group(a_bytes) > 0',
    'rate(a_bytes_total[5m]) / 1000 / 1024 > 5', 'a_seconds + b_bytes > 5',
    'own_function(a_bytes) > 5', 'a_seconds * b > 5',
    'a_bytes * -1 > 5',
  ];
  for (const expression of cases) {
    const { unit, isRescaled } = readRule(expression);
    assert.deepEqual([unit, isRescaled], [null, true], expression.slice(0, 60));
  }
  const { unit, isRescaled } = readRule('node_load1 / count(cpus) > 2');
  assert.deepEqual([unit, isRescaled], [null, false]);
});

test('readExpression does not call everything per second that is counted', () => {
  for (const name of ['gc_time_milliseconds', 'stall_microseconds', 'node_rapl_package_joules']) {
    assert.equal(readRule(`rate(${name}_total[5m]) > 100`).unit, null, name);
  }
});
