import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchFamily } from '../../src/knowledge/match-family.ts';

/** Names as teams write them, of which a part means something else than in rule collections. */
const byNameAlone: readonly (readonly [string, string | null])[] = [
  ['ConsumerCpuHigh', 'node-cpu'],
  ['ConsumerMemoryHigh', 'node-memory'],
  ['ConsumerErrorsHigh', 'error-rate'],
  ['MessagesFailedHigh', null],
  ['EmailQueueHigh', 'queue-backlog'],
  ['NoJobsProcessed', 'no-consumers'], ['MailWorkerStalled', null],
  ['WorkerStalled', 'no-consumers'],
  ['NodejsEventLoopLag', 'event-loop'],
  ['KafkaFlagServiceDown', 'target-down'],
  ['KafkaConsumerErrors', null],
  ['DiskQueueLengthHigh', 'disk-io'],
  ['NodeDiskSlow', 'disk-io'],
  ['DiskTemperatureHigh', 'hardware-sensors'],
  ['SmartDeviceTemperatureOverTripValue', 'hardware-sensors'],
  ['DiskReadErrorsHigh', null],
  ['LowDiskThroughput', null],
  ['HighDiskUtilization', 'filesystem-space'],
  ['net_errors_high', 'network-errors'],
  ['AwsBudgetExceeded', null],
  ['CheckoutErrorBudgetFastBurn', 'error-budget'],
  ['HighTraffic', 'much-traffic'], ['CheckoutTrafficSurge', 'much-traffic'],
  ['CheckoutHigh4xx', 'client-errors'],
  ['RequestsDropped', null],
  ['HighJobDuration', 'job-failed'],
  ['BackupDurationHigh', 'backup'],
  ['SlowBuilds', null],
  ['WALGrowthTooFast', null],
  ['SchedulerDown', 'target-down'],
  ['GPUNodeDiskFull', 'filesystem-space'],
  ['GPUJobFailed', 'job-failed'],
  ['GpuUtilizationHigh', null],
  ['GpuMemoryUsageHigh', 'gpu'],
  ['CertManagerPodCrashLooping', 'pod-crash-looping'],
  ['CertManagerHighMemory', 'node-memory'],
  ['NoData', 'series-absent'],
  ['DatasourceNoData', 'series-absent'],
  ['Heartbeat', null],
  ['DeadMansSwitchMissed', null], ['Deadman', null], ['cpu-deadman', null],
  ['HeartbeatMissing', null],
  ['DaemonsetMissing', 'daemonset-rollout'],
  ['UpsReplacementOrders', null],
  ['UpsLowRates', null],
  ['SmartHealthApiErrors', null],
  ['CpuTempHigh', 'hardware-sensors'],
  ['PageLoadHigh', null],
  ['VpnConnectionsHigh', null],
  ['NodePoolFull', null],
  ['RdsConnectionsHigh', 'datastore-connections'],
  ['EccMemoryErrorsHigh', null],
  ['MimirMemoryMapAreasTooHigh', null],
  ['TradingVolumeLow', null],
  ['DataVolumeFull', 'volume-filling-up'],
  ['BlackboxExporterDown', 'target-down'],
  ['CephExporterDown', 'target-down'],
  ['KarpenterHighMemory', 'node-memory'],
  ['ClusterAutoscalerPodRestarts', 'pod-crash-looping'],
  ['ThanosSidecarNoConnectionToStartedPrometheus', null],
  ['UpsOnline', null],
  ['KubernetesMemoryPressure', 'node-pressure'],
  ['ReplicationLatencyHigh', 'replication-lag'],
];

for (const [name, family] of byNameAlone) {
  test(`matchFamily() takes ${name} alone for ${family ?? 'nothing that it knows'}`, () => {
    const match = matchFamily({ name, labels: { instance: 'a:9100' }, expression: null });
    assert.equal(match?.family.id ?? null, family);
  });
}

/** The same name means another thing where the rule reads something else. */
const byRule: readonly (readonly [string, string, string | null])[] = [
  ['HighMemoryUsage', 'process_resident_memory_bytes{job="pay"} > 2.5e8', 'use-high'],
  ['MemoryWillRunOut', 'predict_linear(nodejs_heap_size_used_bytes[1h], 3600) > 1e9', null],
  ['HighMemoryUsage', 'instance:memory_usage:percent > 90', 'node-memory'],
  ['HostDown', 'probe_success{job="icmp"} == 0', 'probe-failed'],
  ['HostDown', 'avg_over_time(up[5m]) < 0.5', 'target-down'],
  ['InstanceDown', 'instance:up == 0', 'target-down'],
  ['ServiceDown', 'kube_deployment_status_replicas_available == 0', 'deployment-replicas'],
  ['ServiceDown', 'node_systemd_unit_state{state="active"} == 0', 'systemd-unit'],
  ['NodeDown', 'kube_node_status_condition{condition="Ready",status="true"} == 0',
    'node-not-ready'],
  ['NginxDown', 'nginx_up == 0', 'reported-down'],
  ['InstanceDown', 'aws_ec2_status_check_failed_sum > 0', 'wrong-state'],
  ['HighDiskUtilization', 'rate(node_disk_io_time_seconds_total[5m]) > 0.9', 'disk-io'],
  ['InterfaceDown', 'node_network_up{device="eth0"} == 0', 'network-errors'],
  ['LinkDown', 'node_network_carrier == 0', 'network-errors'],
  ['InterfaceDown', 'ifOperStatus == 2', 'network-device'],
  ['TooManyConnections', 'nginx_connections_active > 5000', null],
  ['PgbouncerMaxConnections', 'rate(pgbouncer_errors_count[30s]) > 0', 'pgbouncer-pool'],
  ['MemcachedConnections', 'memcached_current_connections > 900', 'datastore-connections'],
  ['TooManyConnections', 'shop_db_connections / 100 > 0.9', 'datastore-connections'],
  ['Heartbeat', 'vector(1)', 'always-on'],
  ['Watchdog', 'rate(app_watchdog_resets_total[5m]) > 0', null],
  ['Watchdog', 'vector(1)', 'always-on'],
  ['InfoInhibitor', 'ALERTS{severity="info"} == 1 unless on (namespace) ALERTS',
    'info-inhibitor'],
  ['DeadMansSwitch', 'absent(backup_heartbeat)', 'series-absent'],
  ['ProxyAbsent', 'absent(up{job="haproxy"})', 'targets-absent'],
  ['TaskSchedulerAbsent', 'absent(up{job="task-scheduler"})', 'targets-absent'],
  ['KubeProxyAbsent', 'absent(up{job="kube-proxy"} == 1)', 'control-plane-component'],
  ['UserInactivity', 'time() - app_last_request_timestamp_seconds > 600', 'overdue'],
  ['EtlSlow', 'etl_job_duration_seconds > 3600', 'job-failed'],
  ['LargeBodies', 'histogram_quantile(0.99, rate(http_request_size_bytes_bucket[5m])) > 1e6',
    null],
  ['SlowCalls', 'histogram_quantile(0.99, rate(call_duration_bucket[5m])) > 1', 'latency'],
  ['ExitCode', 'app_last_run{exit_code="5"} > 0', 'wrong-state'],
  ['Logins', 'rate(logins_total{country_code="359"}[5m]) > 5', null],
  ['Odd', 'rate(calls_total{code="150"}[5m]) > 1', null],
  ['Rules', 'rate(cortex_prometheus_rule_evaluation_failures_total[5m]) > 0', 'rule-failures'],
  ['Rules', 'increase(grafana_alerting_rule_evaluation_failures_total[5m]) > 0', 'failures'],
  ['Walk', 'snmp_scrape_duration_seconds > 30', 'operation-slow'],
  ['Scaler', 'rate(keda_scaler_errors_total[5m]) > 0', 'autoscaler'],
  ['Idle', 'pg_stat_activity_count{state="idle in transaction"} > 10', null],
  ['Broken', 'rate(calls_total{code=~"[45].."}[5m]) > 1', 'error-rate'],
  ['Quiet', 'sum by (queue) (rate(shop_orders_processed_total{env="p"}[5m])) == 0',
    'no-consumers'],
  ['Quiet', 'increase(tasks_completed[10m]) < 5', 'no-consumers'],
  ['Busy', 'rate(jobs_processed_total[5m]) > 500', null],
  ['Broken', 'rate(calls_total{response_code=~"502|503"}[5m]) > 1', 'error-rate'],
  ['Broken', 'rate(calls_total{http_status_code="500"}[5m]) > 1', 'error-rate'],
];

for (const [name, expression, family] of byRule) {
  test(`matchFamily() takes ${name} on ${expression} for ${family ?? 'nothing'}`, () => {
    const match = matchFamily({ name, labels: { instance: 'a:9100' }, expression });
    assert.equal(match?.family.id ?? null, family);
  });
}

test('matchFamily() takes throttled requests of a pod for no lack of CPU', () => {
  const of = (name: string): string | undefined =>
    matchFamily({ name, labels: { pod: 'a' }, expression: null })?.family.id;
  assert.equal(of('ApiRequestsThrottled'), undefined);
  assert.equal(of('CheckoutThrottled'), 'container-cpu');
});
