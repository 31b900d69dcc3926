import assert from 'node:assert/strict';
import test from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import { classifyMetric } from '../../src/statistics/names/metric-class.ts';
import type { MetricContext } from '../../src/statistics/names/metric-kind.ts';
import { cpuTimer } from '../support/cpu-timer.ts';

/** Names that mean the same, by signal and side. */
const signals: readonly (readonly [expected: string, names: string])[] = [
  ['traffic external', `http_requests_total istio_requests_total grpc_server_handled_total
    istio_request_bytes_sum istio_tcp_sent_bytes_total envoy_cluster_upstream_rq_total
    envoy_cluster_upstream_cx_total envoy_cluster_upstream_rq_xx nginx_http_requests_total
    nginx_connections_accepted nginx_ingress_controller_requests redis_commands_processed_total
    redis_keyspace_hits_total redis_net_input_bytes_total pg_stat_database_xact_commit
    mysql_global_status_queries mysql_global_status_questions mysql_global_status_connections
    mysql_global_status_bytes_received mysql_global_status_commands_total
    kafka_server_brokertopicmetrics_messagesin_total kafka_server_brokertopicmetrics_bytesin_total
    kafka_topic_partition_current_offset http_server_requests_seconds_count
    http_request_duration_seconds_count node_network_receive_bytes_total
    container_network_receive_bytes_total container_network_transmit_packets_total
    node_netstat_Tcp_InSegs traefik_service_requests_total memcached_commands_total
    haproxy_server_http_responses_total coredns_dns_requests_total apiserver_request_total
    traces_service_graph_request_total orders_created_total jobs_processed_total
    cache_hits_total login_attempts_total logback_events_total
    rabbitmq_queue_messages_published_total
    frontend_workload orders_load front-end_lod ts-auth-service_workload requests RequestCount
    Invocations PodWorkload(Ops) NetworkReceiveBytes NetworkTransmitBytes docker.net.bytes_rcvd
    mongodb_ss_opcounters`],
  ['errors external', `availability Availability success_rate payment_success_ratio
    PodSuccessRate(%) SuccessRate(%) checkout_success_percent apdex service_availability`],
  ['errors external', `http_errors_total error errors Errors payment_error ts-auth-service_error
    envoy_cluster_upstream_rq_5xx envoy_cluster_upstream_rq_timeout
    envoy_cluster_upstream_cx_connect_fail envoy_cluster_upstream_rq_retry HTTPCode_ELB_5XX_Count
    redis_rejected_connections_total mysql_global_status_aborted_connects
    mysql_global_status_connection_errors_total pg_stat_database_xact_rollback
    kafka_server_brokertopicmetrics_failedproducerequests_total checkout_failures_total
    jobs_failed_total traces_service_graph_request_failed_total hikaricp_connections_timeout_total
    coredns_forward_healthcheck_failures_total prometheus_rule_evaluation_failures_total
    alertmanager_notifications_failed_total etcd_server_proposals_failed_total
    probe_failed_due_to_regex`],
  ['errors internal', `node_vmstat_oom_kill container_oom_events_total container_memory_failcnt
    node_network_receive_errs_total node_network_transmit_drop_total node_netstat_Tcp_RetransSegs
    node_netstat_TcpExt_ListenDrops container_network_receive_packets_dropped_total
    container_network_transmit_errors_total node_edac_correctable_errors_total
    node_filesystem_device_error redis_evicted_keys_total pg_stat_database_deadlocks
    pg_stat_database_conflicts container_memory_failures_total`],
  ['latency external', `latency cart_latency-90 user-db_latency ts-order-service_latency-50
    cartservice_istio-latency-90 LatencyP95(s) PodClientLatencyP90(s) PodServerLatencyP99(s)
    TargetResponseTime Duration probe_duration_seconds probe_http_duration_seconds
    probe_dns_lookup_time_seconds http_request_duration_seconds_bucket
    http_request_duration_seconds_sum http.server.request.duration http.server.duration
    istio_request_duration_milliseconds_bucket envoy_cluster_upstream_rq_time_bucket
    nginx_ingress_controller_request_duration_seconds_bucket redis_commands_duration_seconds_total
    mysql_global_status_slow_queries pg_stat_activity_max_tx_duration
    kafka_network_requestmetrics_totaltimems http_server_requests_seconds_sum
    http_server_requests_seconds_max http_client_requests_seconds_bucket
    grpc_server_handling_seconds_bucket traces_spanmetrics_latency_bucket api_response_time_ms
    db_query_duration_seconds_sum job_duration_seconds_sum
    haproxy_backend_response_time_average_seconds rpc_server_duration_milliseconds_bucket
    apiserver_request_duration_seconds_bucket elasticsearch_indices_search_query_time_seconds
    ingest_seconds_bucket ingest_seconds_sum`],
  ['saturation internal', `node_load1 node_pressure_memory_waiting_seconds_total
    node_procs_blocked node_disk_io_time_weighted_seconds_total node_disk_io_now
    node_vmstat_pgmajfault node_nf_conntrack_entries node_schedstat_waiting_seconds_total
    container_cpu_cfs_throttled_seconds_total container_cpu_cfs_throttled_periods_total
    container_cpu_load_average_10s container_fs_io_current
    container_pressure_cpu_waiting_seconds_total envoy_cluster_upstream_rq_pending_active
    envoy_cluster_upstream_rq_pending_overflow envoy_cluster_upstream_cx_active
    envoy_http_downstream_rq_active redis_connected_clients
    redis_blocked_clients pg_stat_activity_count pg_locks_count pg_replication_lag_seconds
    pg_stat_bgwriter_checkpoint_write_time mysql_global_status_threads_running
    mysql_global_status_innodb_row_lock_waits mysql_slave_status_seconds_behind_master
    kafka_consumergroup_lag kafka_consumer_fetch_manager_records_lag_max jvm_gc_pause_seconds_sum
    jvm_gc_collection_seconds_count jvm_threads_blocked hikaricp_connections_active
    hikaricp_connections_pending hikaricp_connections_acquire_seconds_sum executor_queued_tasks
    zookeeper_outstanding_requests
    go_gc_duration_seconds go_sched_latencies_seconds_bucket nodejs_eventloop_lag_seconds
    nodejs_gc_duration_seconds_sum http_requests_in_flight http_server_active_requests
    app_queue_size worker_pool_busy rabbitmq_queue_messages_ready rabbitmq_queue_messages_unacked
    etcd_disk_wal_fsync_duration_seconds_bucket workqueue_depth
    workqueue_queue_duration_seconds_bucket haproxy_backend_current_queue DiskQueueDepth
    DatabaseConnections ApproximateNumberOfMessagesVisible Throttles
    kubelet_pleg_relist_duration_seconds_bucket apiserver_current_inflight_requests`],
  ['saturation internal', 'node_memory_SwapFree_bytes'],
  ['saturation external', `nginx_connections_active nodejs_active_handles nodejs_active_resources
    haproxy_frontend_current_sessions haproxy_server_need_connections_current
    haproxy_process_pool_used_bytes haproxy_frontend_connections_total
    haproxy_server_connection_attempts_total redis_client_recent_max_input_buffer_bytes`],
  ['utilization internal', `node_cpu_seconds_total node_memory_Slab_bytes
    node_disk_io_time_seconds_total node_disk_read_bytes_total node_disk_reads_completed_total
    node_disk_read_time_seconds_total node_filefd_allocated node_context_switches_total
    node_hwmon_temp_celsius node_sockstat_TCP_tw container_cpu_usage_seconds_total
    container_memory_working_set_bytes container_memory_rss container_fs_reads_total
    container_fs_writes_total container_fs_reads_bytes_total container_fs_writes_bytes_total
    container_fs_usage_bytes container_fs_io_time_seconds_total container_fs_write_seconds_total
    container_fs_sector_reads_total container_blkio_device_usage_total container_processes
    container_threads container_sockets container_file_descriptors kubelet_volume_stats_used_bytes
    envoy_server_memory_allocated redis_memory_used_bytes redis_db_keys
    redis_mem_fragmentation_ratio pg_stat_database_blks_read pg_stat_database_tup_fetched
    pg_stat_database_temp_bytes pg_database_size_bytes pg_stat_user_tables_n_dead_tup
    pg_statio_user_tables_heap_blks_read mysql_global_status_threads_connected
    mysql_global_status_innodb_data_reads mysql_global_status_innodb_buffer_pool_reads
    jvm_memory_used_bytes jvm_threads_current process_cpu_usage system_cpu_usage go_goroutines
    go_threads go_memstats_heap_inuse_bytes go_memstats_alloc_bytes_total
    process_cpu_seconds_total process_resident_memory_bytes process_open_fds
    nodejs_heap_size_used_bytes checkoutservice_cpu adservice_mem
    queue-master_mem rabbitmq_cpu session-db_mem shipping_diskio catalogue_socket CpuUsage(m)
    CpuUsageRate(%) MemoryUsage(Mi) SyscallRead SyscallWrite CPUUtilization
    frontend_container-cpu-usage-seconds-total system.cpu.user system.mem.used
    checkoutservice_container-memory-working-set-bytes memcached_current_bytes cache_misses_total`],
  ['utilization internal', `node_memory_MemAvailable_bytes node_filesystem_avail_bytes
    node_filesystem_files_free container_fs_inodes_free kubelet_volume_stats_available_bytes
    disk_free_bytes FreeableMemory BurstBalance cache_hit_ratio`],
  ['restarts internal', `kube_pod_container_status_restarts_total node_boot_time_seconds
    process_start_time_seconds container_start_time_seconds kube_pod_start_time
    pg_postmaster_start_time_seconds`],
  ['skip skip', `redis_aof_base_size_bytes redis_rdb_last_cow_size_bytes
    erlang_mnesia_tablewise_size etcd_debugging_mvcc_put_total`],
  ['skip skip', `process_virtual_memory_bytes node_disk_discards_merged_total
    namedprocess_namegroup_thread_cpu_seconds_total
    redis_uptime_in_seconds process_uptime_seconds envoy_server_uptime
    apache_uptime_seconds_total varnish_main_uptime haproxy_backend_last_session_seconds
    haproxy_server_check_last_change_seconds varnish_lock_operations squid_Cache_Hits_45`],
  ['skip skip', `redis_process_id node_memory_FilePmdMapped_bytes
    mysql_global_status_innodb_row_lock_time_avg
    mysql_info_schema_innodb_metrics_buffer_pool_reads`],
  ['config internal', `mysql_global_status_max_used_connections
    haproxy_backend_max_sessions haproxy_frontend_connections_rate_max
    haproxy_process_max_connections haproxy_frontend_limit_sessions haproxy_server_queue_limit`],
  ['latency external', 'squid_Cache_Hits_50 squid_HTTP_Requests_All_95'],
  ['errors internal', 'varnish_main_n_lru_nuked'],
  ['utilization internal', 'varnish_sma_g_bytes'],
  ['errors internal', 'smartctl_device_media_errors smartmon_reported_uncorrect_errors'],
  ['state external', 'probe_success'],
  ['state internal', `kube_pod_container_status_ready kube_pod_status_ready
    kube_deployment_status_replicas_available kube_statefulset_status_replicas_ready
    up redis_up mysql_up pg_up nginx_up haproxy_backend_up redis_master_link_up node_network_up
    envoy_cluster_membership_healthy envoy_server_live mysql_slave_status_slave_sql_running
    etcd_server_has_leader
    nginx_ingress_controller_config_last_reload_successful redis_rdb_last_bgsave_status
    redis_rdb_last_save_timestamp_seconds`],
  ['state internal', `kube_deployment_status_replicas_unavailable
    kube_pod_container_status_waiting_reason kube_pod_container_status_last_terminated_reason
    kube_daemonset_status_number_unavailable kube_job_status_failed node_filesystem_readonly
    kafka_server_replicamanager_underreplicatedpartitions
    kafka_controller_kafkacontroller_offlinepartitionscount`],
  ['config internal', `kube_deployment_spec_replicas kube_pod_container_info
    kube_deployment_status_observed_generation kube_pod_container_resource_limits
    kube_node_status_allocatable kube_resourcequota container_spec_memory_limit_bytes
    container_spec_cpu_quota container_fs_limit_bytes container_fs_inodes_total
    node_memory_MemTotal_bytes node_filesystem_size_bytes node_filefd_maximum
    node_nf_conntrack_entries_limit machine_cpu_cores machine_memory_bytes process_max_fds
    jvm_memory_max_bytes redis_memory_max_bytes pg_settings_max_connections
    mysql_global_variables_max_connections hikaricp_connections_max kafka_topic_partitions
    prometheus_build_info disk_total_bytes probe_ssl_earliest_cert_expiry
    kubelet_volume_stats_capacity_bytes`],
  ['skip skip', `ALERTS ALERTS_FOR_STATE scrape_duration_seconds scrape_samples_scraped
    go_info node_uname_info kube_pod_info kube_pod_labels kube_pod_owner kube_pod_created
    container_last_seen node_time_seconds node_scrape_collector_success
    node_textfile_mtime_seconds promhttp_metric_handler_requests_total`],
];

for (const [expected, names] of signals) {
  for (const name of names.split(/\s+/)) {
    test(`classifyMetric sees ${expected} in ${name}`, () => {
      const { signal, side } = classifyMetric(name);
      assert.equal(`${signal} ${side}`, expected);
    });
  }
}

const kinds: readonly (readonly [name: string, kind: string, context?: MetricContext])[] = [
  ['http_requests_total', 'counter'],
  ['container_cpu_user_seconds', 'counter'],
  ['node_vmstat_pgmajfault', 'counter'],
  ['node_netstat_Tcp_RetransSegs', 'counter'],
  ['node_netstat_Tcp_CurrEstab', 'gauge'],
  ['mysql_global_status_queries', 'counter'],
  ['mysql_global_status_threads_connected', 'gauge'],
  ['mysql_slave_status_slave_received_heartbeats', 'counter'],
  ['mysql_slave_status_slave_io_running', 'gauge'],
  ['pg_stat_database_blks_read', 'counter'],
  ['pg_stat_database_sessions_abandoned', 'counter'],
  ['pg_stat_database_idle_in_transaction_time', 'counter'],
  ['envoy_cluster_upstream_cx_connect_fail', 'counter'],
  ['envoy_cluster_upstream_rq_pending_active', 'gauge'],
  ['ifHCInOctets', 'counter'],
  ['ifInErrors', 'counter'],
  ['ifOutUcastPkts', 'counter'],
  ['ifOperStatus', 'gauge'],
  ['ifHighSpeed', 'gauge'],
  ['process_uptime_seconds', 'counter'],
  ['gnatsd_varz_in_msgs', 'counter'],
  ['mongodb_ss_opcountersRepl', 'counter'],
  ['ceph_osd_op_w', 'counter'],
  ['redis_total_error_replies', 'counter'],
  ['redis_master_repl_offset', 'counter'],
  ['erlang_vm_statistics_garbage_collection_bytes_reclaimed', 'counter'],
  ['rabbitmq_raft_log_commit_index', 'counter'],
  ['etcd_debugging_mvcc_compact_revision', 'counter'],
  ['etcd_server_health_failures', 'counter'],
  ['ceph_osd_apply_latency_ms', 'gauge'],
  ['http_request_duration_seconds_bucket', 'histogram_bucket'],
  ['http_request_duration_seconds_bucket', 'histogram_bucket', { labels: { le: '0.1' } }],
  ['token_bucket', 'gauge', { labels: { client: 'a' } }],
  ['http_request_duration_seconds_sum', 'histogram_sum'],
  ['http_request_duration_seconds_count', 'histogram_count'],
  // Sums and counts that count nothing are not to be differenced.
  ['pg_stat_activity_count', 'gauge'],
  ['pg_locks_count', 'gauge'],
  ['machine_dimm_count', 'gauge'],
  ['kube_node_count', 'gauge'],
  ['jvm_threads_count', 'gauge'],
  ['kafka_consumergroup_lag_sum', 'gauge'],
  ['RequestCount', 'gauge'],
  ['basket_items_count', 'gauge', { names: new Set(['basket_items_count']) }],
  ['basket_items_count', 'histogram_count', { names: new Set(['basket_items_sum']) }],
  ['basket_items_count', 'histogram_count', { names: new Set(['basket_items_bucket']) }],
  ['cache_size_items_count', 'gauge'],
  ['last_query_latency_time', 'gauge'],
  // Totals of what there is are no counters either.
  ['erlang_vm_memory_bytes_total', 'gauge'],
  ['erlang_vm_memory_processes_bytes_total', 'gauge'],
  ['etcd_debugging_mvcc_keys_total', 'gauge'],
  ['container_fs_inodes_total', 'gauge'],
  ['disk_total_bytes', 'gauge'],
  ['container_network_tcp_usage_total', 'gauge'],
  ['nodejs_active_handles_total', 'gauge'],
  ['go_gc_duration_seconds', 'summary_quantile', { labels: { quantile: '0.5' } }],
  ['go_gc_duration_seconds_count', 'histogram_count'],
  ['process_start_time_seconds', 'timestamp'],
  ['kube_pod_created', 'timestamp'],
  ['probe_ssl_earliest_cert_expiry', 'timestamp'],
  ['http_request_time_seconds_sum', 'histogram_sum'],
  ['up', 'state'],
  ['probe_success', 'state'],
  ['kube_pod_status_ready', 'state'],
  ['kube_deployment_status_replicas_ready', 'gauge'],
  ['kube_pod_container_info', 'info'],
  ['anything_at_all', 'gauge'],
  ['nginx_ingress_controller_requests', 'counter'],
  ['nginx_ingress_controller_nginx_process_connections', 'gauge'],
  ['phpfpm_accepted_connections', 'counter'],
  ['phpfpm_listen_queue', 'gauge'],
  ['elasticsearch_indices_search_query_time_seconds', 'counter'],
  ['elasticsearch_indices_docs', 'gauge'],
  // Varnish, by the TYPE that its exporter gives them.
  ...['main_cache_hit', 'main_backend_fail', 'main_n_lru_nuked', 'main_sessions', 'backend_req',
    'main_backend_conn', 'main_bans_obj_killed', 'mgt_child_panic', 'sma_c_bytes',
  ].map((name) => [`varnish_${name}`, 'counter'] as const),
  ...['main_threads', 'main_thread_queue_len', 'main_n_object', 'main_bans', 'backend_conn',
    'backend_happy', 'sma_g_bytes', 'main_bans_persisted_bytes', 'main_pools',
  ].map((name) => [`varnish_${name}`, 'gauge'] as const),
  ['haproxy_process_failed_resolutions', 'counter'],
];

for (const [name, kind, context] of kinds) {
  test(`classifyMetric reads ${name} as ${kind} given ${JSON.stringify(context ?? {})}`, () => {
    assert.equal(classifyMetric(name, context).kind, kind);
  });
}

test('classifyMetric listens to labels where the name leaves it open', () => {
  const rows: readonly (readonly [string, Record<string, string>, string])[] = [
    ['http_requests_total', { code: '503' }, 'errors external'],
    ['http_requests_total', { code: '200' }, 'traffic external'],
    ['http_requests_total', { status: '404' }, 'traffic external'],
    ['http_server_requests_seconds_count', { outcome: 'SERVER_ERROR' }, 'errors external'],
    ['grpc_server_handled_total', { grpc_code: 'Unavailable' }, 'errors external'],
    ['grpc_server_handled_total', { grpc_code: 'OK' }, 'traffic external'],
    ['istio_requests_total', { grpc_response_status: '14' }, 'errors external'],
    ['envoy_cluster_upstream_rq_xx', { envoy_response_code_class: '5' }, 'errors external'],
    ['envoy_cluster_upstream_rq_xx', { envoy_response_code_class: '4' }, 'traffic external'],
    ['node_cpu_seconds_total', { mode: 'idle' }, 'utilization internal'],
    ['node_cpu_seconds_total', { mode: 'user' }, 'utilization internal'],
    ['kube_node_status_condition', { condition: 'Ready', status: 'true' }, 'state internal'],
    ['kube_node_status_condition', { condition: 'Ready', status: 'false' }, 'state internal'],
    ['kube_node_status_condition', { condition: 'DiskPressure', status: 'true' },
      'state internal'],
    ['kube_pod_status_phase', { phase: 'Running' }, 'state internal'],
    ['kube_pod_status_phase', { phase: 'Pending' }, 'state internal'],
    ['chat_room_messages_total', {}, 'traffic external'],
    ['bloom_filter_queries_total', {}, 'traffic external'],
  ];
  for (const [name, labels, expected] of rows) {
    const { signal, side } = classifyMetric(name, { labels });
    const found = `${signal} ${side}`;
    assert.equal(found, expected, `${name} ${JSON.stringify(labels)}`);
  }
});

test('classifyMetric knows units by their words', () => {
  const rows: readonly (readonly [string, string | null])[] = [
    ['node_memory_MemAvailable_bytes', 'bytes'], ['process_cpu_seconds_total', 'seconds'],
    ['http_request_duration_seconds_bucket', 'count'], ['http_requests_total', 'count'],
    ['http_request_duration_seconds_count', 'count'],
    ['istio_request_duration_milliseconds_sum', 'milliseconds'], ['cache_hit_ratio', 'ratio'],
    ['CpuUsageRate(%)', 'percent'], ['LatencyP95(s)', 'seconds'], ['CpuUsage(m)', 'millicores'],
    ['PodWorkload(Ops)', 'per_second'], ['api_response_time_ms', 'milliseconds'],
    ['pg_replication_slots_pg_wal_lsn_diff', 'bytes'],
    ['pg_stat_activity_max_tx_duration', 'seconds'],
    ['container_memory_rss', 'bytes'], ['node_hwmon_temp_celsius', 'celsius'],
    ['process_start_time_seconds', 'seconds'], ['up', null], ['latency', null],
    ['jvm_memory_bytes_used', 'bytes'], ['gnatsd_varz_mem', 'bytes'],
    ['redis_mem_clients_normal', 'bytes'], ['redis_slave_repl_offset', 'bytes'],
    ['smartctl_device_temperature', 'celsius'], ['network_ups_tools_battery_charge', 'percent'],
    ['aws_rds_free_storage_space_average', 'bytes'],
    ['aws_rds_cpuutilization_average', 'percent'], ['windows_cpu_time_total', 'seconds'],
  ];
  for (const [name, unit] of rows) assert.equal(classifyMetric(name).unit, unit, name);
});

test('classifyMetric answers for any name, and quickly', () => {
  const cpuMs = cpuTimer();
  for (const name of ['', '_', '%%%', '::', 'é', 'a_'.repeat(50_000), '_1_2'.repeat(50_000),
    'latency_'.repeat(50_000), 'x_load'.repeat(20_000), '__proto__', 'constructor']) {
    assert.equal(typeof classifyMetric(name).signal, 'string');
  }
  assert.ok(cpuMs() < 2_000);
});

test('classifyMetric() reads the unit of a name that is a rate already', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['disk_written_bytes_per_second', 'bytes_per_second'], ['logins_per_second', 'per_second'],
    ['uplink_bits_per_sec', 'bits_per_second'],
  ];
  for (const [name, unit] of cases) assert.equal(classifyMetric(name).unit, unit, name);
});

test('classifyMetric() takes buckets for those of a histogram only with their bounds', () => {
  const kindOf = (name: string, labels: LabelSet): string => classifyMetric(name, { labels }).kind;
  assert.equal(kindOf('a_seconds_bucket', { le: '1' }), 'histogram_bucket');
  assert.equal(kindOf('s3_objects_bucket', { name: 'x' }), 'gauge');
});
