import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchFamily } from '../../src/knowledge/match-family.ts';

/**
 * Alerts as public rule sets name them, by family, with a metric that the rule reads; null where
 * only the name tells.
 */
const published: Readonly<Record<string, readonly (readonly [string, string | null])[]>> = {
  // samber/awesome-prometheus-alerts, postgres-exporter; cloudnative-pg, prometheusrule.yaml
  'postgres-vacuum': [
    ['PostgresqlTableNotAutoVacuumed', 'pg_stat_user_tables_last_autovacuum'],
    ['PostgresqlTooManyDeadTuples', 'pg_stat_user_tables_n_dead_tup'],
    ['PostgresqlBloatTableHigh(>80%)', 'pg_bloat_table_bloat_pct'],
    ['PostgresTablesNotVaccumed', 'pg_stat_user_tables_n_dead_tup'],
    ['PGDatabaseXidAge', 'cnpg_pg_database_xid_age'],
  ],
  'postgres-wal': [
    ['PostgresqlUnusedReplicationSlot', 'pg_replication_slots_active'],
    ['PostgresHasReplicationSlotUsed', 'pg_replication_slots_active'],
    ['LastFailedArchiveTime', 'cnpg_pg_stat_archiver_last_failed_time'],
  ],
  'process-memory': [
    ['ProcessMemoryHigh', 'namedprocess_namegroup_memory_bytes{memtype="resident"}'],
  ],
  'process-gone': [
    ['ProcessDown', 'namedprocess_namegroup_num_procs'],
    ['ProcessRestarting', 'changes(namedprocess_namegroup_oldest_start_time_seconds[3m])'],
  ],
  'file-descriptors': [
    ['ProcessFileDescriptorsHigh', 'namedprocess_namegroup_worst_fd_ratio'],
  ],
  'name-server': [
    ['BindServfailHigh', 'bind_responses_total{result="SERVFAIL"}'],
  ],
  failover: [
    ['PostgresqlSplitBrain', 'count(pg_replication_is_replica == 0)'],
    ['PostgresReplicationRoleChanged', 'changes(pg_replication_is_replica[1m])'],
    ['RedisTooManyMasters', null],
  ],
  'slow-queries': [
    ['LongRunningTransaction', 'cnpg_backends_max_tx_duration_seconds'],
    ['BackendsWaiting', 'cnpg_backends_waiting_total'],
    ['PostgresAcquiredTooManyLocks', null],
    ['PostgresqlHighRateStatementTimeout', null],
    ['MongodbReadRequestsQueueingUp', null],
  ],
  deadlocks: [
    ['DatabaseDeadlockConflicts', 'cnpg_pg_stat_database_deadlocks'],
    ['PostgresqlDeadLocks', 'increase(pg_stat_database_deadlocks[1m])'],
    ['PostgresHasHighDeadLocks', 'pg_stat_database_deadlocks'],
  ],
  'managed-database-storage': [
    ['RDSFreeStorageLow', 'aws_rds_free_storage_space_average'],
    ['CloudSQLDiskUtilizationHigh', null],
  ],
  // prometheus/mysqld_exporter, mysqld-mixin
  'replication-lag': [
    ['MySQLGaleraOutOfSync', 'mysql_global_status_wsrep_local_state'],
    ['MySQLHeartbeatLag', null],
    ['PGReplication', 'cnpg_pg_replication_lag'],
    ['RedisReplicationBroken', 'redis_master_link_up'],
  ],
  // Rules over oliver006/redis_exporter
  'redis-cluster': [
    ['RedisClusterSlotFail', 'redis_cluster_slots_fail'],
    ['RedisClusterStateNotOk', 'redis_cluster_state'],
    ['RedisClusterSlotsIncomplete', 'redis_cluster_slots_assigned'],
    ['RedisClusterTooFewNodes', 'redis_cluster_known_nodes'],
    ['ValkeyClusterSlotsFail', 'redis_cluster_slots_fail'],
  ],
  // samber/awesome-prometheus-alerts, mssql-exporter; grafana/jsonnet-libs, mssql-mixin
  'sqlserver-waits': [
    ['SqlServerDeadlock', 'mssql_deadlocks'],
    ['MSSQLHighReadStallTime', 'mssql_io_stall_seconds_total'],
  ],
  'datastore-down': [['SqlServerDown', 'mssql_up == 0'], ['PostgreSQLDown', 'pg_up != 1']],
  backup: [['MgobBackupFailed', 'mgob_scheduler_backup_total']],
  'redis-saving': [['RedisAofRewriteFailed', 'redis_aof_last_bgrewrite_status']],
  'redis-clients': [['RedisRejectedConnections', 'redis_rejected_connections_total']],
  // samber/awesome-prometheus-alerts, consul-exporter; consul-mixin
  consul: [
    ['ConsulServiceHealthcheckFailed', 'consul_catalog_service_node_healthy'],
    ['ConsulMissingMasterNode', 'consul_raft_peers'],
    ['ConsulAgentUnhealthy', 'consul_health_node_status'],
    ['ConsulUp', 'consul_up'],
  ],
  zookeeper: [
    ['ZookeeperMissingLeader', 'zk_server_leader'],
    ['ZookeeperNotOk', 'zk_ruok'],
  ],
  'nomad-allocations': [
    ['NomadJobLost', 'nomad_nomad_job_summary_lost'],
    ['NomadBlockedEvaluation', 'nomad_nomad_blocked_evals_total_blocked'],
  ],
  // samber/awesome-prometheus-alerts, apcupsd_exporter and ipmi-exporter; rules over nut_exporter
  ups: [
    ['ApcUpsBatteryNearlyEmpty', 'apcupsd_battery_charge_percent'],
    ['ApcUpsLessThan15MinutesOfBatteryTimeRemaining', 'apcupsd_battery_time_left_seconds'],
    ['ApcUpsHighLoad', 'apcupsd_ups_load_percent'],
    ['UPSOnBattery', 'network_ups_tools_ups_status{flag="OB"}'],
  ],
  'hardware-sensors': [
    ['IpmiFanSpeedZero', 'ipmi_fan_speed_rpm'],
    ['IpmiTemperatureSensorCritical', 'ipmi_temperature_state'],
    ['HostPhysicalComponentTooHot', 'node_hwmon_temp_celsius'],
    ['HostEdacUncorrectableErrorsDetected', 'node_edac_uncorrectable_errors_total'],
    ['SNMPFRUComponentProblem', 'cefcFRUPowerOperStatus'],
  ],
  // samber/awesome-prometheus-alerts, opentelemetry-collector
  'otel-collector': [
    ['OpentelemetryCollectorReceiverRefusedSpans', 'otelcol_receiver_refused_spans'],
    ['OpentelemetryCollectorHighMemoryUsage', 'otelcol_process_runtime_heap_alloc_bytes'],
    ['OpentelemetryCollectorExporterQueueNearlyFull', 'otelcol_exporter_queue_size'],
    ['OtelcolSendingQueueFull', 'otelcol_exporter_queue_size'],
  ],
  // gitlab-mixin; samber/awesome-prometheus-alerts, jenkins; rules over the runner controller
  'ci-runners': [
    ['GitLabHighRunnerAuthFailure', 'gitlab_ci_runner_authentication_failure_total'],
    ['GitLabRunnerJobQueueDuration', 'gitlab_runner_job_queue_duration_seconds_sum'],
    ['RunnerJobsQueued', 'gha_assigned_jobs'],
    ['JenkinsNoNodeOnline', 'jenkins_node_online_value'],
  ],
  // cilium-enterprise-mixin
  cilium: [
    ['CiliumAgentConntrackTableFull', 'cilium_drop_count_total'],
    ['CiliumOperatorExhaustedIpamIps', 'cilium_operator_ipam_ips'],
    ['CiliumAgentBpfMapPressure', 'cilium_bpf_map_pressure'],
    ['CiliumKvstoremeshErrors', 'cilium_kvstoremesh_kvstore_sync_errors_total'],
  ],
  // ingress-nginx-mixin; grafana/jsonnet-libs, istio-mixin
  'proxy-config': [
    ['NginxConfigReloadFailed', 'nginx_ingress_controller_config_last_reload_successful'],
    ['IstioXDSConfigRejectionsWarning', 'pilot_total_xds_rejects'],
    ['IstioGalleyValidationFailuresWarning', 'galley_validation_failed'],
  ],
  // kubernetes-autoscaling-mixin
  'node-autoscaler': [
    ['KarpenterCloudProviderErrors', 'karpenter_cloudprovider_errors_total'],
    ['KarpenterNodeClaimsTerminationDurationHigh',
      'karpenter_nodeclaims_termination_duration_seconds_sum'],
    ['ClusterAutoscalerUnschedulablePods', 'cluster_autoscaler_unschedulable_pods_count'],
  ],
  'worker-pool': [
    ['Php-fpmMax-childrenReached', 'phpfpm_max_children_reached_total'],
    ['ApacheWorkersLoad', 'apache_workers{state="busy"}'],
    ['GitlabPumaHighQueuedConnections', 'puma_queued_connections'],
  ],
  'minio-drives': [
    ['MinioClusterDiskOffline', 'minio_cluster_drive_offline_total'],
    ['MinioNodeDiskOffline', 'minio_cluster_nodes_offline_total'],
  ],
  restarted: [
    ['PostgresqlRestarted', 'time() - pg_postmaster_start_time_seconds'],
    ['MysqlRestarted', 'mysql_global_status_uptime'],
    ['LokiProcessTooManyRestarts', 'changes(process_start_time_seconds{job="loki"}[15m])'],
    ['SNMPNodeHasRebooted', null],
  ],
  'cassandra-load': [
    ['CassandraCommitlogPendingTasks', 'cassandra_commit_log_pending_tasks'],
    ['CassandraCompactionExecutorBlockedTasks', 'cassandra_thread_pool_blocked_tasks'],
  ],
  'kafka-replication': [
    ['OfflineLogDirectoryCount', 'kafka_log_logmanager_offlinelogdirectorycount'],
  ],
  'jvm-memory': [
    ['FlinkTaskmanagerHeapMemoryHigh', 'flink_taskmanager_Status_JVM_Memory_Heap_Used'],
  ],
  // thanos-mixin, cortex-mixin
  // samber/awesome-prometheus-alerts, nats-exporter; pgbouncer-mixin; node-mixin
  'jetstream-full': [
    ['HighJetStreamStoreUsage', 'gnatsd_varz_jetstream_stats_storage'],
    ['HighJetStreamMemoryUsage', 'gnatsd_varz_jetstream_stats_memory'],
  ],
  'pgbouncer-pool': [
    ['PGBouncerHighClientWaitTime', 'pgbouncer_pools_client_maxwait_seconds'],
    ['PGBouncerHighNumberClientWaitingConnections',
      'pgbouncer_pools_client_waiting_connections'],
    ['PgbouncerMaxConnections', 'pgbouncer_config_max_client_conn'],
    ['PgbouncerServerConnectionSaturationCritical', 'pgbouncer_config_max_user_connections'],
  ],
  'exporter-errors': [
    ['PostgresqlExporterError', 'pg_exporter_last_scrape_error'],
    ['WindowsServerCollectorError', 'windows_exporter_collector_success'],
    ['NodeTextFileCollectorScrapeError', 'node_textfile_scrape_error'],
  ],
  'operator-reconcile': [['CNPGReconcileErrors', 'controller_runtime_reconcile_errors_total']],
  'filesystem-errors': [['HostFilesystemDeviceError', 'node_filesystem_device_error']],
  // samber/awesome-prometheus-alerts, apache-flink; grafana/jsonnet-libs, apache-airflow-mixin
  'flink-job': [
    ['FlinkJobIsNotRunning', 'flink_jobmanager_numRunningJobs'],
    ['FlinkNoTaskmanagersRegistered', 'flink_jobmanager_numRegisteredTaskManagers'],
    ['FlinkCheckpointDurationHigh', 'flink_jobmanager_job_lastCheckpointDuration'],
    ['FlinkTaskHighBackpressureTime', 'flink_taskmanager_job_task_backPressuredTimeMsPerSecond'],
  ],
  'airflow-dags': [
    ['ApacheAirflowDAGFailures', 'airflow_dagrun_duration_failed_count'],
    ['ApacheAirflowStarvingPoolTasks', 'airflow_pool_starving_tasks'],
  ],
  'alert-delivery': [
    ['ThanosRuleSenderIsFailingAlerts', null],
    ['CortexNotConnectedToAlertmanager',
      'cortex_prometheus_notifications_alertmanagers_discovered'],
  ],
  'config-reload': [
    ['ThanosReceiveConfigReloadFailure', null], ['CortexBadRuntimeConfig', null],
  ],
  kubelet: [['KubernetesOutOfCapacity', null]],
  // windows-mixin
  'clock-skew': [['WindowsNTPTimeOffset', null]],
  'disk-health': [['WindowsDiskDriveNotHealthy', 'windows_disk_drive_status']],
};

for (const [family, rules] of Object.entries(published)) {
  for (const [name, metric] of rules) {
    test(`matchFamily() knows ${name} as ${family}, by its name and by its metric`, () => {
      const named = matchFamily({ name, labels: {}, expression: null });
      assert.equal(named?.family.id, family);
      assert.equal(named.how, 'name');
      if (metric === null) return;
      const expression = /[=(]/u.test(metric) ? metric : `${metric} > 0`;
      const measured = matchFamily({ name: 'Team42Custom', labels: {}, expression });
      assert.equal(measured?.family.id, family);
      assert.equal(measured.how, 'metric');
    });
  }
}

/** No family knows these names, and one of their metrics leads to the wrong family. */
const byExpression: readonly (readonly [string, string, string | null])[] = [
  ['ContainerAbsent', 'absent(container_last_seen)', 'series-absent'],
  ['KafkaBrokerContainersDown', 'absent(container_last_seen{container="kafka"})',
    'series-absent'],
  ['CertManagerCertExpiryMetricMissing',
    'absent(certmanager_certificate_expiration_timestamp_seconds)', 'series-absent'],
  ['CertManagerAbsent', 'absent(up{job="cert-manager"})', 'targets-absent'],
  ['ThanosRuleIsDown', 'absent(up{job=~"thanos-rule.*"} == 1)', 'target-down'],
  ['JuniperSwitchDown', 'junos_up == 0', 'reported-down'],
  ['FreeswitchDown', 'freeswitch_up == 0', 'reported-down'],
  ['ApacheDown', 'apache_up == 0', 'reported-down'],
  ['IpmiCollectorDown', 'ipmi_up == 0', 'reported-down'],
  ['HostContextSwitching', 'rate(node_context_switches_total[5m]) ' +
    '/ count(node_cpu_seconds_total{mode="idle"}) > 1000', null],
  ['ContainerLowMemoryUsage', 'container_memory_working_set_bytes < 20', null],
  ['KafkaBrokerDown', 'up{job="kafka"} == 0', 'datastore-down'],
  ['KafkaBrokerDown', 'kafka_brokers < 3', 'kafka-replication'],
  ['SlotRetainsMuch', 'pg_replication_slots_pg_wal_lsn_diff > 1e10', 'postgres-wal'],
  ['BackupTooOld', 'time() - backup_last_success_timestamp_seconds > 93600', 'backup'],
  ['BackupFailed', 'kube_job_status_failed{job_name=~"backup.*"} > 0', 'job-failed'],
  ['OrdersUnread', 'rabbitmq_queue_consumers{queue="orders"} == 0', 'no-consumers'],
  ['OrdersUnread', 'rabbitmq_queue_consumers > 10', 'queue-backlog'],
  ['PostgresqlNotEnoughConnections', 'sum by (datname) (pg_stat_activity_count) < 5', null],
  ['RedisNotEnoughConnections', 'redis_connected_clients < 5', null],
  ['PostgreSQLCacheHitRatio', 'rate(pg_stat_database_blks_hit[5m]) < 0.98', 'postgres-cache'],
  ['KafkaPreferredReplicaImbalance',
    'kafka_controller_kafkacontroller_preferredreplicaimbalancecount > 0', 'wrong-state'],
  ['PulsarLargeMessagePayload', 'sum(pulsar_entry_size_overflow > 0)', 'wrong-state'],
  ['ArgoCdAppAutoSyncDisabled', 'argocd_app_info{autosync_enabled!="true"} > 0', 'wrong-state'],
  ['KubernetesNodeSchedulingDisabled',
    'kube_node_spec_taint{key="node.kubernetes.io/unschedulable"} == 1', 'wrong-state'],
  ['IpmiSelAlmostFull', 'ipmi_sel_free_space_bytes < 512', null],
];

for (const [name, expression, family] of byExpression) {
  test(`matchFamily() takes ${name} for ${family ?? 'nothing that it knows'}`, () => {
    const match = matchFamily({ name, labels: { instance: 'a:9100' }, expression });
    assert.equal(match?.family.id ?? null, family);
  });
}

for (const name of ['UpstreamBatchLate', 'UpsertsHigh', 'OtelDemoCheckout', 'ConsulTemplateStale',
  'FancyServiceZero', 'CiliumAgentDown', 'KarpenterDown', 'OpentelemetryCollectorDown',
  'RunnersHigh', 'WorkersLow', 'AirflowUpdate', 'MinioBucketPolicy', 'NomadVersion']) {
  test(`matchFamily() takes ${name} for none of these`, () => {
    assert.equal(matchFamily({ name, labels: {}, expression: 'sales_total < 1' }), null);
  });
}
