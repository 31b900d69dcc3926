import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import { matchFamily, wordsOf } from '../../src/knowledge/match-family.ts';
import { cpuTimer } from '../support/cpu-timer.ts';

/** Names as rule collections and house styles write them, by family. */
const byName: Readonly<Record<string, string>> = {
  'info-inhibitor': 'InfoInhibitor',
  'always-on': 'Watchdog DeadMansSwitch PrometheusAlertmanagerE2eDeadManSwitch',
  'filesystem-space': `NodeFilesystemSpaceFillingUp NodeFilesystemAlmostOutOfSpace
    HostOutOfDiskSpace HostDiskMayFillIn24Hours DiskFull DiskSpaceLow LowDiskSpace HighDiskUsage
    disk_usage_high RootDiskFull NodeDiskRunningFull FilesystemFull`,
  'filesystem-inodes': `NodeFilesystemFilesFillingUp NodeFilesystemAlmostOutOfFiles HostOutOfInodes
    HostInodesMayFillIn24Hours InodesLow`,
  'node-memory': 'NodeMemoryHighUtilization HostOutOfMemory HostMemoryUsageHigh LowMemory ' +
    'NodeMemoryMajorPagesFaults HostMemoryUnderMemoryPressure HostSwapIsFillingUp SwapUsageHigh',
  'node-oom-kill': 'HostOomKillDetected OOMKillerInvoked OOMKill',
  'container-memory': `KubernetesContainerOomKiller ContainerHighMemoryUsage OOMKilled
    ContainerMemoryNearLimit ContainerOOMKilled PodMemoryUsageHigh PodOOMKilled`,
  'node-cpu': 'NodeCPUHighUsage HostHighCpuLoad HostHighCPUUsage NodeHighCpu ServerCpuHigh ' +
    'HostCpuStealNoisyNeighbor HostCpuHighIowait HighIowait',
  'node-load': 'NodeSystemSaturation HighLoad HighSystemLoad HostHighLoad LoadAverageHigh',
  'disk-io': `NodeDiskIOSaturation HostDiskIoUtilizationHigh HostUnusualDiskReadLatency
    HostUnusualDiskWriteLatency HostUnusualDiskReadRate HostUnusualDiskIo HighDiskIO`,
  'network-errors': `NodeNetworkReceiveErrs NodeNetworkTransmitErrs NodeNetworkInterfaceFlapping
    NodeBondingDegraded HostNetworkReceiveErrors HostNetworkInterfaceSaturated PacketLossHigh`,
  conntrack: 'NodeHighNumberConntrackEntriesUsed HostConntrackLimit',
  'file-descriptors': `NodeFileDescriptorLimit TooManyOpenFiles HighFdUsage
    FileDescriptorsExhausted`,
  'clock-skew': `NodeClockSkewDetected NodeClockNotSynchronising HostClockSkew
    HostClockNotSynchronising ClockDrift`,
  'raid-degraded': `NodeRAIDDegraded NodeRAIDDiskFailure HostRaidDiskFailure
    HostSoftwareRaidInsufficientDrives`,
  'disk-health': 'SmartMediaErrors SmartCriticalWarning',
  'systemd-unit': `NodeSystemdServiceFailed NodeSystemdServiceCrashlooping
    HostSystemdServiceCrashed SystemdUnitFailed`,
  'targets-absent': 'PrometheusJobMissing',
  'target-down': `InstanceDown TargetDown PrometheusTargetMissing
    PrometheusAllTargetsMissing ServiceDown HostDown NodeDown ExporterDown NodeExporterDown`,
  'datastore-down': `PostgresqlDown MysqlDown MongodbDown RabbitmqNodeDown
    RedisMissingMaster CassandraNodeDown`,
  'network-throughput': 'HostUnusualNetworkThroughputIn HostUnusualNetworkThroughputOut',
  'probe-failed': `BlackboxProbeFailed BlackboxProbeHttpFailure ProbeFailed WebsiteDown
    EndpointDown`,
  'probe-slow': 'BlackboxSlowProbe ProbeSlowHttp ProbeSlowPing BlackboxProbeSlowHttp',
  'certificate-expiry': `BlackboxSslCertificateWillExpireSoon BlackboxSslCertificateExpired
    KubeClientCertificateExpiration KubeletClientCertificateExpiration
    KubeletServerCertificateExpiration KubeletClientCertificateRenewalErrors
    KubeletServerCertificateRenewalErrors KubernetesClientCertificateExpiresSoon
    SSLCertExpiringSoon CertificateExpiry CertManagerCertNotReady TLSCertificateExpiring`,
  'pod-crash-looping': `KubePodCrashLooping PodCrashLooping KubernetesPodCrashLooping
    CrashLoopBackOff PodRestartingTooMuch HighPodRestarts PodFrequentlyRestarting
    ContainerRestarts`,
  'pod-not-ready': `KubePodNotReady KubernetesPodNotHealthy PodNotReady PodPending PodEvicted
    PodUnschedulable`,
  'container-waiting': 'KubeContainerWaiting ImagePullBackOff PodImagePullBackOff ErrImagePull',
  'deployment-replicas': `KubeDeploymentReplicasMismatch KubeDeploymentRolloutStuck
    KubeDeploymentGenerationMismatch KubernetesDeploymentReplicasMismatch
    KubernetesReplicasetReplicasMismatch DeploymentReplicasUnavailable`,
  'statefulset-replicas': `KubeStatefulSetReplicasMismatch KubeStatefulSetUpdateNotRolledOut
    KubeStatefulSetGenerationMismatch KubernetesStatefulsetDown`,
  'daemonset-rollout': `KubeDaemonSetRolloutStuck KubeDaemonSetNotScheduled
    KubeDaemonSetMisScheduled KubernetesDaemonsetMisscheduled`,
  'job-failed': `KubeJobFailed KubeJobNotCompleted KubernetesJobFailed
    CronJobFailed KubernetesCronJobFailing`,
  'cron-job': 'KubernetesCronjobTooLong KubeCronJobRunning CronJobNotRun CronJobMissed',
  autoscaler: `KubeHpaMaxedOut KubeHpaReplicasMismatch KubernetesHpaScaleMaximum
    KubernetesHpaMetricsUnavailability`,
  'container-cpu': `CPUThrottlingHigh ContainerHighCpuUtilization ContainerHighThrottleRate
    PodCpuHigh`,
  'volume-filling-up': `KubePersistentVolumeFillingUp KubePersistentVolumeInodesFillingUp
    KubernetesVolumeOutOfDiskSpace KubernetesVolumeFullInFourDays PVCAlmostFull`,
  'volume-errors': `KubePersistentVolumeErrors KubernetesPersistentvolumeclaimPending
    KubernetesPersistentvolumeError PVCPending`,
  quota: 'KubeQuotaAlmostFull KubeQuotaFullyUsed KubeQuotaExceeded',
  overcommit: `KubeCPUOvercommit KubeMemoryOvercommit KubeCPUQuotaOvercommit
    KubeMemoryQuotaOvercommit`,
  'disruption-budget': 'KubePdbNotEnoughHealthyPods PDBViolated',
  'node-not-ready': `KubeNodeNotReady KubeNodeUnreachable KubeNodeReadinessFlapping
    KubernetesNodeNotReady NodeNotReady KubernetesNodeNetworkUnavailable`,
  'node-pressure': `KubeNodePressure KubeNodeEviction KubernetesNodeMemoryPressure
    KubernetesNodeDiskPressure`,
  kubelet: `KubeletDown KubeletInstanceUnreachable KubeletTooManyPods KubeletPlegDurationHigh
    KubeletPodStartUpLatencyHigh KubernetesNodeOutOfPodCapacity`,
  'api-server': `KubeAPIDown KubeAPIErrorBudgetBurn KubeAPITerminatedRequests
    KubeAggregatedAPIErrors KubeAggregatedAPIDown KubeClientErrors
    KubernetesApiServerErrors KubernetesApiServerLatency`,
  etcd: `etcdInsufficientMembers etcdNoLeader etcdHighFsyncDurations etcdMembersDown
    EtcdHighNumberOfLeaderChanges etcdDatabaseQuotaLowSpace`,
  'control-plane-component': `KubeSchedulerDown KubeControllerManagerDown KubeProxyDown
    CoreDNSDown`,
  'error-rate': `HighErrorRate HighRequestErrorRate ApiErrorRate ErrorRateHigh HighHttp5xxRate
    IstioHigh5xxErrorRate NginxHighHttp5xxErrorRate TooManyErrors CheckoutErrorRateHigh
    TraefikHighHttp5xxErrorRateService`,
  latency: `HighLatency HighRequestLatency CheckoutLatencyHigh ApiLatencyHigh SlowResponseTime
    NginxLatencyHigh IstioLatency99Percentile`,
  'no-traffic': 'NoRequestsReceived LowTraffic TrafficDrop',
  'much-traffic': 'RequestRateHigh TrafficSpike',
  'error-budget': 'ErrorBudgetBurn SLOErrorBudgetBurnRate CheckoutSLOBurn ApiErrorBudgetBurn',
  'datastore-connections': `PostgresqlTooManyConnections MysqlTooManyConnections
    DatabaseConnectionsHigh TooManyConnections MongodbTooManyConnections`,
  'replication-lag': `PostgresqlReplicationLag MysqlSlaveReplicationLag MongodbReplicationLag
    MysqlSlaveIoThreadNotRunning RedisReplicationBroken ReplicationLagHigh RedisDisconnectedSlaves`,
  'connection-pool': 'HikariPoolExhausted DbConnectionPoolExhausted orders_db_pool_exhausted',
  'many-threads': 'GoroutineLeak HighGoroutines TooManyThreads ThreadCountHigh',
  'no-consumers': 'RabbitmqNoQueueConsumer RabbitMQQueueWithoutConsumers QueueNoConsumers',
  'no-messages': 'KafkaTopicNoMessages KafkaProducerStopped',
  'search-heap': 'ElasticsearchHeapUsageTooHigh OpensearchJvmHeapHigh',
  'postgres-rollbacks': 'PostgresqlHighRollbackRate PostgresHasTooManyRollbacks',
  'datastore-memory': 'ElasticsearchDiskOutOfSpace MemcachedEvictions',
  'redis-down': 'RedisDown ValkeyInstanceDown',
  'redis-memory': 'RedisOutOfSystemMemory RedisOutOfConfiguredMaxmemory RedisKeyEviction',
  'redis-clients': 'RedisTooManyConnections RedisRejectedConnections RedisMaxClientsReached',
  'redis-saving': 'RedisRdbSaveFailed RedisBgsaveFailed RedisAofRewriteFailed',
  'redis-latency': 'RedisLatencyHigh RedisSlowCommands',
  'redis-misses': 'RedisCacheHitRatioLow RedisHitRateLow',
  'slow-queries': 'MysqlSlowQueries PostgresqlTooManyLocksAcquired',
  deadlocks: 'PostgresqlDeadLocks MysqlDeadlocks',
  'queue-backlog': `KafkaConsumersGroup KafkaConsumerLag RabbitmqTooManyMessagesInQueue
    RabbitmqTooManyUnackMessages ConsumerLagHigh QueueDepthHigh HighQueueSize`,
  'search-cluster-health': `ElasticsearchClusterRed ElasticsearchClusterYellow
    ElasticsearchUnassignedShards ElasticsearchHealthyNodes OpensearchClusterStatusRed`,
  'kafka-replication': `KafkaBrokerDown KafkaBrokersDown KafkaMissingBrokers
    KafkaUnderReplicatedPartitions UnderReplicatedPartitions
    KafkaUnderReplicated KafkaOfflinePartitions KafkaISRShrink
    KafkaActiveController KafkaTopicsReplicas`,
  'dead-letters': 'RabbitmqTooManyDeadLetters DeadLetterQueueGrowing SqsDlqNotEmpty',
  'postgres-cache': 'PostgreSQLCacheHitRatio PostgresqlLowCacheHitRatio',
  'postgres-checkpoints': 'PostgresCheckpointsTooFrequent PostgresqlTooManyCheckpointsRequested',
  'redis-errors': 'RedisCommandsFailing RedisErrors RedisRejectedCommands',
  'broker-alarms': `RabbitmqDiskAlarm RabbitmqFreeDiskLow
    RabbitmqMemoryHigh RabbitmqClusterPartition
    RabbitmqFileDescriptorsUsage RabbitmqOutOfMemory`,
  'broker-connections': 'RabbitmqTooManyConnections RabbitMQTooManyChannels HighConnectionChurn',
  'clickhouse-writes': `ClickHouseMaxPartCountForPartition ClickHouseRejectedInsert
    ClickhouseReplicaErrors ClickhouseZookeeperConnectionIssues`,
  'cassandra-load': 'CassandraManyCompactionTasksArePending CassandraTombstoneDump',
  'ceph-health': `CephHealthError CephState CephOSDDown CephOSDNearFull CephPGsInactive
    CephMonClockSkew CephHighOsdLatency`,
  'zfs-pool': 'ZfsOfflinePool ZfsPoolOutOfSpace ZfsPoolUnhealthy',
  'gitops-sync': `ArgocdServiceNotSynced ArgoAppNotSynced ArgoCDAppOutOfSync
    FluxKustomizationFailure FluxHelmreleaseFailure ReconciliationFailure`,
  backup: `BackupFailed BackupTooOld VeleroBackupFailed VeleroBackupPartialFailures
    ResticBackupTooOld BorgBackupStale
    RedisMissingBackup PostgresBackupMissing`,
  'late-job': 'NightlyImportLate EtlJobOverdue',
  'metric-blocks': `ThanosCompactHalted MimirCompactorHasNotSuccessfullyRunCompaction
    ThanosSidecarBucketOperationsFailed LokiTooManyCompactorsRunning`,
  'vault-sealed': 'VaultSealed VaultClusterHealth',
  'proxy-backends': 'TraefikServiceDown NginxUpstreamDown',
  'web-cache-hits': `VarnishCacheLowCacheHitRate VarnishCacheHighCacheEvictionRate
    VarnishCacheHighMemoryUsage SquidLowCacheHitRatio`,
  'web-cache-backend': 'VarnishCacheBackendUnhealthy',
  'event-loop': 'NodejsEventLoopLagHigh EventLoopBlocked',
  'haproxy-errors': 'HaproxyHighHttp5xxErrorRateBackend HaproxyHighHttp5xxErrorRateServer',
  'haproxy-client-errors': 'HaproxyHighHttp4xxErrorRateBackend HaproxyHighHttp4xxErrorRateServer',
  'client-errors': 'High4xxRate NginxHighHttp4xxErrorRate IstioHigh4xxErrorRate TooManyHttp404',
  'haproxy-servers': `HaproxyBackendDown HaproxyHasNoAliveBackends HaproxyServerHealthcheckFailure
    HaproxyPendingRequests HAProxyServerCheckFlapping HAProxyBackendCheckFlapping
    HaproxyServerConnectionErrors HaproxyServerResponseErrors HaproxyRetryHigh
    HaproxyBackendMaxActiveSession>80%`,
  'jvm-memory': 'JvmMemoryFillingUp JvmHeapHigh JvmGcPauseHigh HighGCTime',
  'cluster-dns': 'CoreDNSLatencyHigh CoreDNSErrorsHigh CoreDNSForwardErrorsHigh',
  gpu: 'GpuTemperatureHigh DCGMXidError GpuMemoryHigh GPUEccErrors',
  'network-device': 'SnmpInterfaceDown SwitchPortUtilizationHigh BgpSessionDown LinkDown',
  'windows-service': 'WindowsServiceDown WindowsServerServiceStatus',
  'rule-failures': `PrometheusRuleFailures PrometheusMissingRuleEvaluations PrometheusHighQueryLoad
    PrometheusRuleEvaluationSlow PrometheusOperatorListErrors PrometheusOperatorReconcileErrors`,
  'config-reload': `PrometheusBadConfig PrometheusConfigurationReloadFailure
    ConfigReloaderSidecarErrors BlackboxConfigurationReloadFailure`,
  'alertmanager-reload': `AlertmanagerFailedReload AlertmanagerConfigurationReloadFailure
    PrometheusAlertmanagerConfigurationReloadFailure`,
  ingestion: `PrometheusNotIngestingSamples PrometheusDuplicateTimestamps
    PrometheusOutOfOrderTimestamps PrometheusTSDBReloadsFailing PrometheusTSDBCompactionsFailing
    PrometheusLabelLimitHit PrometheusTargetLimitHit PrometheusSDRefreshFailure
    PrometheusTimeseriesCardinality PrometheusScrapeSampleLimitHit PrometheusTargetEmpty
    KubeStateMetricsListErrors KubeStateMetricsShardingMismatch`,
  'remote-write': `PrometheusRemoteStorageFailures PrometheusRemoteWriteBehind
    PrometheusRemoteWriteDesiredShards`,
  'alert-delivery': `AlertmanagerFailedToSendAlerts AlertmanagerClusterDown
    AlertmanagerMembersInconsistent AlertmanagerClusterFailedToSendAlerts
    AlertmanagerConfigInconsistent PrometheusAlertmanagerConfigNotSynced
    PrometheusErrorSendingAlertsToSomeAlertmanagers PrometheusNotConnectedToAlertmanagers
    PrometheusNotificationQueueRunningFull AlertmanagerClusterCrashlooping`,
};

for (const [family, list] of Object.entries(byName)) {
  for (const name of list.split(/\s+/u)) {
    test(`matchFamily() knows ${name} as ${family}`, () => {
      const match = matchFamily({ name, labels: {}, expression: null });
      assert.equal(match?.family.id, family);
      assert.equal(match.how, 'name');
    });
  }
}

const byMetric: readonly (readonly [string, string])[] = [
  ['1 - node_filesystem_avail_bytes / node_filesystem_size_bytes > 0.9', 'filesystem-space'],
  ['node_filesystem_files_free < 1000', 'filesystem-inodes'],
  ['up == 0', 'target-down'],
  ['up{job="api"} == 0', 'target-down'],
  ['absent(up{job="api"})', 'targets-absent'],
  ['absent(up{job="api"} == 1)', 'target-down'],
  ['absent(up{job="kubelet"} == 1)', 'kubelet'],
  ['probe_success == 0', 'probe-failed'],
  ['probe_ssl_earliest_cert_expiry - time() < 86400 * 14', 'certificate-expiry'],
  ['increase(kube_pod_container_status_restarts_total[1h]) > 5', 'pod-crash-looping'],
  ['kube_pod_container_status_waiting_reason{reason="CrashLoopBackOff"} > 0', 'pod-crash-looping'],
  ['kube_pod_container_status_waiting_reason{reason="ErrImagePull"} > 0', 'container-waiting'],
  ['kube_node_status_condition{condition="Ready",status="true"} == 0', 'node-not-ready'],
  ['kube_node_status_condition{condition="DiskPressure",status="true"} == 1', 'node-pressure'],
  ['sum(rate(http_requests_total{code=~"5.."}[5m])) / sum(rate(http_requests_total[5m])) > 0.1',
    'error-rate'],
  ['histogram_quantile(0.99, sum by (le) (rate(x_seconds_bucket[5m]))) > 1', 'latency'],
  ['rabbitmq_queue_messages > 1000', 'queue-backlog'],
  ['pg_replication_lag_seconds > 60', 'replication-lag'],
  ['container_memory_working_set_bytes > 1e9', 'container-memory'],
  ['vector(1)', 'always-on'],
  ['pg_up == 0', 'datastore-down'],
  ['elasticsearch_cluster_health_status{color="red"} == 1', 'search-cluster-health'],
  ['kafka_controller_kafkacontroller_offlinepartitionscount > 0', 'kafka-replication'],
  ['rabbitmq_alarms_free_disk_space_watermark == 1', 'broker-alarms'],
  ['sum by (instance, err) (rate(redis_errors_total[1m])) > 1', 'redis-errors'],
  ['ClickHouseMetrics_ReadonlyReplica > 0', 'clickhouse-writes'],
  ['ceph_health_status != 0', 'ceph-health'],
  ['node_zfs_zpool_state{state!="online"} > 0', 'zfs-pool'],
  ['argocd_app_info{sync_status!="Synced"} == 1', 'gitops-sync'],
  ['gotk_reconcile_condition{type="Ready",status="False"} == 1', 'gitops-sync'],
  ['time() - velero_backup_last_successful_timestamp > 90000', 'backup'],
  ['time() - billing_import_last_success_timestamp_seconds > 7200', 'late-job'],
  ['rate(thanos_objstore_bucket_operation_failures_total[5m]) > 0', 'metric-blocks'],
  ['vault_core_unsealed == 0', 'vault-sealed'],
  ['haproxy_backend_active_servers == 0', 'haproxy-servers'],
  ['sum(rate(haproxy_server_http_responses_total{code="5xx"}[1m])) > 1', 'haproxy-errors'],
  ['sum(rate(haproxy_server_http_responses_total{code="4xx"}[1m])) > 1', 'haproxy-client-errors'],
  ['sum(rate(http_requests_total{code=~"4.."}[5m])) > 1', 'client-errors'],
  ['sum(rate(http_requests_total{code=~"4..|5.."}[5m])) > 1', 'error-rate'],
  ['avg by (proxy) (haproxy_backend_max_total_time_seconds) > 1', 'haproxy-longest-time'],
  ['envoy_cluster_membership_healthy < 1', 'proxy-backends'],
  ['jvm_memory_used_bytes{area="heap"} / jvm_memory_max_bytes > 0.9', 'jvm-memory'],
  ['DCGM_FI_DEV_XID_ERRORS > 0', 'gpu'],
  ['ifOperStatus == 2 and ifAdminStatus == 1', 'network-device'],
  ['time() - kube_cronjob_status_last_successful_time > 93600', 'cron-job'],
  ['windows_service_state{state="running"} == 0', 'windows-service'],
  ['rate(coredns_panics_total[5m]) > 0', 'cluster-dns'],
];

for (const [expression, family] of byMetric) {
  test(`matchFamily() knows ${expression} as ${family}`, () => {
    const match = matchFamily({ name: 'Team42Custom', labels: {}, expression });
    assert.equal(match?.family.id, family);
    assert.equal(match.how, 'metric');
  });
}

const byWords: readonly (readonly [string, LabelSet, string])[] = [
  ['HighMemoryUsage', { instance: 'a:9100' }, 'node-memory'],
  ['HighMemoryUsage', { pod: 'a' }, 'container-memory'],
  ['HighCpuUsage', { instance: 'a:9100' }, 'node-cpu'],
  ['HighCpuUsage', { container: 'a' }, 'container-cpu'],
  ['payments-queue-length-is-high', {}, 'queue-backlog'],
  ['CheckoutP99TooHigh', {}, 'latency'],
  ['Search backend is down', {}, 'target-down'],
  ['LoginFailuresSpike', {}, 'error-rate'],
  ['NightlyBackupIsLate', {}, 'backup'],
  ['DiskAlmostFullOnDb', {}, 'filesystem-space'],
  ['DcgmExporterDown', {}, 'target-down'],
  ['VeleroIsDown', {}, 'target-down'],
  ['ThanosCompactIsDown', {}, 'target-down'],
  ['BgpExporterDown', {}, 'target-down'],
  ['VeleroHighMemory', {}, 'node-memory'],
  ['SlowGcpApi', {}, 'latency'],
];

for (const [name, labels, family] of byWords) {
  test(`matchFamily() guesses ${family} from ${name} ${JSON.stringify(labels)}`, () => {
    const match = matchFamily({ name, labels, expression: null });
    assert.equal(match?.family.id, family);
    assert.equal(match.how, 'words');
  });
}

for (const name of ['', 'Unknown', 'BusinessKpi', 'RevenueAnomaly', 'Update', '__proto__',
  'constructor', 'Stupid', 'CountdownReached', 'مرحبا', '()', 'Terror', 'smartContract',
  'VmwareSnapshot', 'Temporary', 'Slot', 'HostCpuIsUnderutilized',
  'ContainerLowCpuUtilization',
  'RabbitmqUnroutableMessages', 'KubeVersionMismatch',
  'ElasticsearchNoNewDocuments', 'LokiPanics', 'GpuLowUtilization', 'VaultTooManyPendingTokens',
  'GPUOperatorReconciliationFailed', 'GpuPodPending', 'HighGCPCost', 'LongGCSUpload',
  'JavaScriptHeapHigh', 'TemporaryUploadDirFull',
  'JvmThreadsHigh', 'Nation', 'Slope', 'Keda', 'Errorless']) {
  test(`matchFamily() forces nothing on ${JSON.stringify(name)}`, () => {
    assert.equal(matchFamily({ name, labels: {}, expression: null }), null);
    assert.equal(matchFamily({ name, labels: {}, expression: 'sales_total < 1' }), null);
  });
}

test('matchFamily() tells a share of errors from servers that are not used', () => {
  const expression = 'rate(nginxplus_upstream_server_responses{code="5xx"}[5m]) > 1';
  const match = matchFamily({ name: 'Checkout5xx', labels: {}, expression });
  assert.notEqual(match?.family.id, 'proxy-backends');
});

test('matchFamily() takes down for a target only where the rule asks for targets', () => {
  const of = (expression: string): string | undefined =>
    matchFamily({ name: 'CheckoutBackendIsDown', labels: {}, expression })?.family.id;
  assert.deepEqual(['checkout_backends == 0', 'sum(up{job="checkout"}) < 1'].map(of),
    ['wrong-state', 'target-down']);
});

test('matchFamily() takes no words that the metrics of the rule contradict', () => {
  const pod = { pod: 'exporter-0' };
  const cases: readonly (readonly [string, LabelSet, string, string | undefined])[] = [
    ['DimmMemoryHighErrors', pod, 'redfish_memory_dimm_info{health!="OK"} == 1', 'wrong-state'],
    ['CacheHighMemoryUsage', pod, 'cache_memory_percent > 90', 'nearly-used-up'],
    ['HighCpuUsage', {}, 'broker_cpu_utilization > 90', 'use-high'],
    ['HighCpuUsage', {}, 'instance:node_cpu:ratio > 0.9', 'node-cpu'],
    ['RequestHandlerIdleLow', {}, 'broker_handler_idle_percent < 0.3', undefined],
    ['AgentIsDown', {}, 'agent_state{admin="up"} != 1', 'wrong-state'],
  ];
  for (const [name, labels, expression, family] of cases) {
    assert.equal(matchFamily({ name, labels, expression })?.family.id, family, name + expression);
  }
});

test('matchFamily() goes by what a rule fires on, not by what else it asks for', () => {
  const of = (expression: string): string | undefined =>
    matchFamily({ name: 'Ledger', labels: {}, expression })?.family.id;
  assert.equal(of('ledger_lag > 90 and on () up{job="db"} == 1'), 'waiting');
  assert.equal(of('ledger_lag > 90 unless on (instance) up == 0'), undefined);
  assert.equal(of('absent(ledger_open) or ledger_open == 0'), 'wrong-state');
  assert.equal(of('up{job="a"} unless on (instance) node_load1'), undefined);
  assert.equal(of('up == 0 unless on (instance) muted'), 'target-down');
  assert.equal(of('up{job="a"} offset 1h unless up{job="a"}'), 'targets-absent');
  assert.equal(of('pg_x offset 30m unless pg_x'), 'series-absent');
});

test('matchFamily() prefers the name over the metrics, and those over words', () => {
  const labels = {};
  const named = matchFamily({ name: 'KubePodNotReady', labels, expression: 'up == 0' });
  assert.equal(named?.family.id, 'pod-not-ready');
  const measured = matchFamily({ name: 'Foo is down', labels, expression: 'node_load1 > 9' });
  assert.equal(measured?.family.id, 'node-load');
});

test('matchFamily() takes a name of 64 KiB, and a long expression, in little time', () => {
  const name = 'High'.repeat(16_384);
  const expression = 'kube_node_status_condition{'.repeat(40_000);
  const cpuMs = cpuTimer();
  matchFamily({ name, labels: {}, expression });
  matchFamily({ name: 'a'.repeat(65_536), labels: {}, expression: null });
  assert.ok(cpuMs() < 4_000);
});

test('matchFamily() takes names and expressions that repeat what a pattern asks for', () => {
  const cpuMs = cpuTimer();
  for (const word of ['mongodb', 'cockroachdb', 'postgresqldb']) {
    matchFamily({ name: `${word.repeat(40)}x`, labels: {}, expression: null });
  }
  for (const part of ['up{', 'count', 'up ', 'rpc', 'kube_node_status_condition{']) {
    matchFamily({ name: 'X', labels: {}, expression: part.repeat(8_000) });
  }
  matchFamily({ name: 'X', labels: {}, expression: `up${' '.repeat(16_000)}` });
  assert.ok(cpuMs() < 2_000);
});

test('wordsOf() splits camel case, acronyms and separators alike', () => {
  assert.deepEqual(wordsOf('APIErrorRate'), ['api', 'error', 'rate']);
  assert.deepEqual(wordsOf('checkout_p99-latency High'), ['checkout', 'p99', 'latency', 'high']);
  assert.deepEqual(wordsOf(''), []);
});

test('an alert that is shipped on the service itself has no family, unless it is down', () => {
  const rules = readFileSync('scripts/deploy/prometheus-rules.yml', 'utf8');
  const rule = /- alert: (\w+)\n\s+expr: (?:>-\n)?((?:.|\n)*?)\n\s+(?:for|labels):/g;
  const shipped = [...rules.matchAll(rule)];
  assert.ok(shipped.length > 10);
  const found = new Map(shipped.map(([, name = '', expression = '']) =>
    [name, matchFamily({ name, labels: {}, expression })?.family.id ?? null]));
  const known = [...found].filter(([, family]) => family !== null);
  assert.deepEqual(known, [
    ['AlertAnalystDown', 'target-down'], ['AlertAnalystAbsent', 'targets-absent'],
  ]);
});

const kafka: readonly (readonly [string, string])[] = [
  ['kafka:under_replicated_partitions:sum > 0', 'kafka-replication'],
  ['sum(UnderReplicatedPartitions) > 0', 'kafka-replication'],
  ['count(kafka_brokers{state="up"}) < 3', 'kafka-replication'],
  ['up{job="kafka_broker"} == 0', 'target-down'],
  ['count(up{job="kafka"} == 1) < 3', 'target-down'],
];
for (const [expression, family] of kafka) {
  test(`matchFamily() knows an alert on brokers that reads ${expression} as ${family}`, () => {
    const match = matchFamily({ name: 'KafkaBrokersDown', labels: {}, expression });
    assert.equal(match?.family.id, family);
  });
}
