/** Units of metrics whose names do not end in one, by their names as words. */
const namedUnits: readonly (readonly [RegExp, string])[] = [
  [/^container_memory_(?:rss|cache|swap|mapped_file|kernel_usage)$/u, 'bytes'],
  [/^pg_\w*_lsn_diff$|^mysql_slave_status_relay_log_space$/u, 'bytes'],
  [/^redis_mem_clients_(?:normal|slaves)$/u, 'bytes'],
  [/^redis_(?:(?:master|slave|second)_repl|repl_backlog_first_byte)_offset$/u, 'bytes'],
  [/^pg_stat_activity_max_tx_duration$|^pg_replication_lag$|^windows_cpu_time_total$/u, 'seconds'],
  [/^gnatsd_(?:varz_mem|varz_jetstream_\w+_(?:storage|memory))$/u, 'bytes'],
  [/^smartctl_device_temperature$/u, 'celsius'],
  [/^network_ups_tools_(?:battery_charge|ups_load)$/u, 'percent'],
  [/^network_ups_tools_battery_runtime$/u, 'seconds'],
  [/^aws_rds_(?:free_storage_space|free_local_storage|freeable_memory|\w+_disk_usage)_\w+$/u,
    'bytes'],
  [/^aws_rds_oldest_replication_slot_lag_\w+$/u, 'bytes'],
  [/^aws_\w+_cpuutilization_\w+$/u, 'percent'],
  [/^aws_sqs_approximate_age_of_oldest_message_\w+$/u, 'seconds'],
  [/^stackdriver_\w+_utilization$/u, 'ratio'],
  [/^squid_[a-z_]+_\d+$/u, 'seconds'],
  [/^varnish_\w+bytes$/u, 'bytes'], [/^apache_sent_kilobytes_total$/u, 'kibibytes'],
  [/^probe_ssl_earliest_cert_expiry$|^mysql_global_status_uptime$/u, 'seconds'],
  [/^if_speed$/u, 'bits_per_second'], [/^if_high_speed$/u, 'megabits_per_second'],
  [/^node_network_speed_bytes$/u, 'bytes_per_second'], [/^process_cpu_cores_available$/u, 'cores'],
];

/** The unit of a metric that is known by its whole name, as words; null for any other. */
export function namedUnit(plain: string): string | null {
  return namedUnits.find(([pattern]) => pattern.test(plain))?.[1] ?? null;
}
