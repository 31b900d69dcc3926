import type { MetricKind } from './metric-kind.ts';
import { metricWords } from './metric-words.ts';

/** Words of metric names and the units they stand for. */
const unitWords: ReadonlyMap<string, string> = new Map([
  ['seconds', 'seconds'], ['second', 'seconds'], ['secs', 'seconds'], ['sec', 'seconds'],
  ['s', 'seconds'], ['milliseconds', 'milliseconds'], ['millis', 'milliseconds'],
  ['ms', 'milliseconds'], ['msec', 'milliseconds'], ['microseconds', 'microseconds'],
  ['us', 'microseconds'], ['usec', 'microseconds'], ['nanoseconds', 'nanoseconds'],
  ['ns', 'nanoseconds'], ['minutes', 'minutes'], ['hours', 'hours'], ['days', 'days'],
  ['bytes', 'bytes'], ['octets', 'bytes'], ['mi', 'mebibytes'], ['mib', 'mebibytes'],
  ['gi', 'gibibytes'], ['gib', 'gibibytes'], ['kib', 'kibibytes'], ['mb', 'megabytes'],
  ['gb', 'gigabytes'], ['kb', 'kilobytes'],
  ['kbytes', 'kibibytes'], ['bits', 'bits'], ['ratio', 'ratio'],
  ['percent', 'percent'], ['percentage', 'percent'], ['pct', 'percent'], ['celsius', 'celsius'],
  ['volts', 'volts'], ['watts', 'watts'], ['joules', 'joules'], ['amperes', 'amperes'],
  ['amps', 'amperes'], ['hertz', 'hertz'], ['hz', 'hertz'], ['rpm', 'per_minute'],
  ['millicores', 'millicores'], ['m', 'millicores'], ['cores', 'cores'], ['qps', 'per_second'],
  ['rps', 'per_second'], ['ops', 'per_second'], ['packets', 'count'], ['requests', 'count'],
]);

/** Words that may follow the unit at the end of a name. */
const endings: ReadonlySet<string> = new Set([
  'total', 'bucket', 'sum', 'count', 'max', 'min', 'avg', 'mean', 'average', 'p50', 'p75', 'p90',
  'p95', 'p99', 'p999', '50', '75', '90', '95', '99', 'current', 'used', 'free',
]);

/** The unit that a name, as words, gives its values; null when it gives none. */
export function unitOf(plain: string, kind: MetricKind): string | null {
  if (kind === 'timestamp') return 'seconds';
  if (kind === 'state' || kind === 'info') return null;
  // Buckets and counts of a histogram are numbers of observations, whatever was observed.
  if (kind === 'histogram_bucket' || kind === 'histogram_count') return 'count';
  if (/per_second$|_per_sec$/.test(plain)) return perSecond(plain);
  const known = statedUnit(plain);
  if (known !== null) return known;
  // `node_memory_MemFree_bytes` ends in its unit; `cpu_seconds_used_by_user` names it earlier.
  const inside = plain.split('_').slice(1)
    .findLast((part) => /^(bytes|seconds|milliseconds)$/.test(part));
  return inside ?? (kind === 'counter' ? 'count' : null);
}

/** The unit that a name ends in, or that the whole name is known for; else null. */
function statedUnit(plain: string): string | null {
  const parts = plain.split('_');
  while (parts.length > 1 && endings.has(parts.at(-1) ?? '')) parts.pop();
  // What a pod requests is measured in cores or bytes, by a label.
  if (parts.at(-1) === 'requests' && parts.at(-2) === 'resource') return null;
  return namedUnit(plain) ?? unitWords.get(parts.at(-1) ?? '') ?? null;
}

function perSecond(plain: string): string {
  const [amount = null] = /(?:(?:kilo|mega|giga|kibi|mebi|gibi)?bytes|(?:kilo|mega|giga)?bits)/u
    .exec(plain) ?? [];
  return amount === null ? 'per_second' : `${amount}_per_second`;
}

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
function namedUnit(plain: string): string | null {
  return namedUnits.find(([pattern]) => pattern.test(plain))?.[1] ?? null;
}

/** Units of an increase per second that does not depend on what is counted. */
const rateUnits: ReadonlyMap<string, string> = new Map([
  ['bytes', 'bytes_per_second'], ['bits', 'bits_per_second'],
  ['kibibytes', 'kibibytes_per_second'], ['count', 'per_second'],
  // `row_ops_total` counts operations, though a level of that name is already a rate.
  ['per_second', 'per_second'],
]);

/** A little above 1, which a rate reaches by rounding where something is always busy. */
const wholeMax = 1.1;

/**
 * The unit of a counter's increase per second, given the counter's own; null if it has no name.
 * Seconds per second are CPUs kept busy or a share of the time. Where several things can wait at
 * once they are neither: 15 seconds of waiting in a second are 15 that wait.
 */
export function rateUnit(metric: string, unit: string | null, rates: Float64Array): string | null {
  const words = metricWords(metric);
  // Time weighted by the number of requests waiting is the length of a queue.
  if (words.includes('weighted')) return null;
  if (unit !== 'seconds') return rateUnits.get(unit ?? 'count') ?? null;
  // CPU pressure is time spent waiting, which keeps no CPU busy.
  if (words.includes('cpu') && !/pressure|waiting/.test(words)) return 'cores';
  return isShare(rates) ? 'ratio' : null;
}

/** Whether all values can be shares of a whole. */
export function isShare(values: Float64Array): boolean {
  return values.every((value) => !(value > wholeMax));
}
