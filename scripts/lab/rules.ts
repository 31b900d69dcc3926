/** The shop's alerting rules, as teams write them; an incident may bring further ones. */

export interface Rule {
  readonly alert: string;
  readonly expr: string;
  /** Default 15 s. */
  readonly for?: string;
  readonly severity?: 'critical' | 'warning';
  readonly summary?: string;
  /** Besides the summary. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Besides the severity, such as the team. */
  readonly labels?: Readonly<Record<string, string>>;
}

const requests = 'sum by (job) (rate(http_requests_total[1m]))';
const javaRequests = 'sum by (job) (rate(http_server_requests_seconds_count[1m]))';

export const rules: readonly Rule[] = [
  {
    alert: 'HighErrorRate', severity: 'critical',
    expr: `sum by (job) (rate(http_requests_total{code=~"5.."}[1m])) / ${requests} > 0.05`,
    summary: '{{ $labels.job }} fails {{ $value | humanizePercentage }} of its requests',
  },
  {
    alert: 'HighLatency',
    expr: 'histogram_quantile(0.95, sum by (job, le) '
      + '(rate(http_request_duration_seconds_bucket[1m]))) > 0.5',
    summary: 'p95 of {{ $labels.job }} is {{ $value | humanizeDuration }}',
  },
  {
    alert: 'ServerErrors', severity: 'critical',
    expr: 'sum by (job) (rate(http_server_requests_seconds_count{outcome="SERVER_ERROR"}[1m]))'
      + ` / ${javaRequests} > 0.05`,
  },
  {
    alert: 'SlowResponses',
    expr: 'histogram_quantile(0.95, sum by (job, le) '
      + '(rate(http_server_requests_seconds_bucket[1m]))) > 0.6',
  },
  { alert: 'InstanceDown', expr: 'up == 0', severity: 'critical' },
  { alert: 'ProcessRestarting', expr: 'changes(process_start_time_seconds[5m]) > 1', for: '0s' },
  { alert: 'ProcessMemoryHigh', expr: 'process_resident_memory_bytes > 600e6' },
  {
    alert: 'HostDiskFillingUp',
    expr: 'node_filesystem_avail_bytes / node_filesystem_size_bytes < 0.15',
    summary: '{{ $labels.mountpoint }} of {{ $labels.instance }} has '
      + '{{ $value | humanizePercentage }} left',
  },
  { alert: 'HostCpuBusy', expr: 'node_load1 > 6' },
  { alert: 'HostClockWrong', expr: 'abs(node_timex_offset_seconds) > 0.5' },
  { alert: 'QueueBacklog', expr: 'rabbitmq_queue_messages_ready > 150' },
  { alert: 'QueueWithoutConsumers', expr: 'rabbitmq_queue_consumers == 0' },
  {
    alert: 'PostgresConnectionsHigh',
    expr: 'sum by (instance) (pg_stat_activity_count) '
      + '/ on (instance) pg_settings_max_connections > 0.85',
  },
  { alert: 'PostgresReplicationLag', expr: 'pg_replication_lag_seconds > 30' },
  { alert: 'RedisMemoryHigh', expr: 'redis_memory_used_bytes / redis_memory_max_bytes > 0.9' },
  { alert: 'ProbeFailed', expr: 'probe_success == 0', severity: 'critical' },
  {
    alert: 'CertificateExpiresSoon', for: '0s',
    expr: '(probe_ssl_earliest_cert_expiry - time()) / 86400 < 14',
    summary: 'The certificate of {{ $labels.instance }} expires in {{ $value }} days',
  },
  {
    alert: 'CronJobLate', for: '0s',
    expr: 'time() - cronjob_last_success_timestamp_seconds{cronjob="price-import"} > 130',
  },
];

/** As Prometheus reads them; JSON is YAML. */
export function rulesFile(all: readonly Rule[]): string {
  return JSON.stringify({
    groups: [{
      name: 'shop',
      rules: all.map(({ alert, expr, severity = 'warning', summary, for: lasts = '15s', ...own }) =>
        ({
          alert, expr, for: lasts, labels: { severity, ...own.labels },
          annotations: { ...(summary !== undefined && { summary }), ...own.annotations },
        })),
    }],
  });
}
