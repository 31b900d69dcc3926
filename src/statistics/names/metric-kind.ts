import type { LabelSet } from '../../alert/labels.ts';
import type { Rule } from './metric-rule.ts';
import { words } from './metric-words.ts';

/** How a metric's values are read; counters and parts of histograms are differenced. */
export type MetricKind =
  | 'counter' | 'gauge' | 'histogram_bucket' | 'histogram_sum' | 'histogram_count'
  | 'summary_quantile' | 'timestamp' | 'state' | 'info';

/** What is known of a metric besides its name. */
export interface MetricContext {
  readonly labels?: LabelSet | undefined;
  /** All metric names of the same target: a `_count` next to a `_sum` is part of a histogram. */
  readonly names?: ReadonlySet<string> | undefined;
}

/** The kind by the name; when in doubt a gauge, which is never differenced. */
export function kindOf(
  name: string,
  plain: string,
  { labels, names, rule }: MetricContext & { readonly rule: Rule },
): MetricKind {
  // What only rises between restarts is read as a counter, even if its TYPE is gauge.
  if (alwaysRising.test(plain)) return 'counter';
  if (/(^|_)(info|labels|annotations|owner)$/.test(plain)) return 'info';
  if (isTimestamp(plain)) return 'timestamp';
  if (rule.kind === 'state') return 'state';
  if (labels?.['quantile'] !== undefined && !/_(sum|count|total)$/.test(plain)) {
    return 'summary_quantile';
  }
  if (/_bucket$/.test(plain)) {
    return labels !== undefined && labels['le'] === undefined ? 'gauge' : 'histogram_bucket';
  }
  if (/_(sum|count)$/.test(plain)) return sumOrCount(name, plain, names);
  return isCounterName(plain) ? 'counter' : 'gauge';
}

const alwaysRising = new RegExp(
  '(^|_)uptime(_in)?(_seconds)?(_total)?$|(^|_)(current|log_end|committed|repl)_offset$|' +
  '^etcd_debugging_mvcc_(current|compact)_revision$|^rabbitmq_raft_log_\\w+_index$|' +
  '^redis_(slowlog_last_id|connected_slave_offset_bytes|repl_backlog_first_byte_offset)$',
);

const timestampEnd = new RegExp(
  '(_timestamp|_timestamp_seconds|_timestamp_ms|start_time|start_time_seconds|boot_time_seconds|' +
  'boot_time|_created|last_seen|mtime_seconds|last_scrape|_cert_expiry|expiry_timestamp_seconds|' +
  'not_after|notafter|expiration_timestamp_seconds|_last_completed|last_.*_time|' +
  'last_schedule_time|last_successful_time|^node_time_seconds|completion_time|_status_start_time|' +
  'earliest_cert_expiry|last_gc_time_seconds|deletion_timestamp|save_time|last_save_time_seconds)$',
);

function isTimestamp(plain: string): boolean {
  return timestampEnd.test(plain) && !/(duration|elapsed|latency)/.test(plain);
}

/** Observed quantities, whose `_sum` and `_count` are parts of a histogram or summary. */
const observed = words(
  'seconds milliseconds ms microseconds nanoseconds bytes size duration latency time delay',
);
/** Things whose `_count` is how many there are at the moment. */
const numberOf = words(
  'thread threads node nodes pod pods conn connection connections session sessions process ' +
  'processes lock locks dimm member members replica replicas worker workers class classes file ' +
  'files object objects item items key keys user users partition partitions group groups host ' +
  'hosts activity backlog queue channel channels consumer consumers table tables core cores cpu ' +
  'hugepages siblings device devices volume volumes broker brokers topic topics shard shards',
);

/**
 * `_sum` and `_count` are parts of a histogram or summary if the other one exists or the name says
 * what was observed. Any other is a gauge and must not be differenced.
 */
function sumOrCount(
  name: string,
  plain: string,
  names: ReadonlySet<string> | undefined,
): MetricKind {
  const part = plain.endsWith('_sum') ? 'histogram_sum' : 'histogram_count';
  const base = name.replace(/_(sum|count)$/, '');
  const twin = `${base}_${plain.endsWith('_sum') ? 'count' : 'sum'}`;
  const isPart = names?.has(twin) === true || names?.has(`${base}_bucket`) === true;
  if (isPart) return part;
  // A level of each minute, though its name is that of a sum.
  if (names !== undefined && /^(?:aws|azure|stackdriver)_/.test(plain)) return 'gauge';
  const plainBase = plain.replace(/_(sum|count)$/, '');
  const lastWord = plainBase.slice(plainBase.lastIndexOf('_') + 1);
  return observed.test(plainBase) && !numberOf.test(lastWord) ? part : 'gauge';
}

/** Names with `_total` that are gauges: an amount, not a number of events. */
const totalOfStock = new RegExp(
  '(inodes_total|memory_total|mem_total|swap_total|capacity_total|space_total|disk_total|' +
  '(tcp|tcp6|udp|udp6)_usage_total|cores_total|_total_bytes|size_total|quota_total|' +
  'partitions_total|replicas_total|shards_total|nodejs_active_(handles|requests|resources)_total|' +
  'membership_total|info_total|erlang_vm_memory(_\\w+)?_bytes_total|' +
  'etcd_debugging_mvcc_(keys|pending_events|slow_watcher|watch_stream|watcher)_total|' +
  'etcd_server_snapshot_apply_in_progress_total)$',
);

/** Known counters of exporters that do not use `_total`. */
const oldCounters: readonly RegExp[] = [
  new RegExp(
    '^node_(vmstat_(pg|psw|oom|thp|numa_|compact|allocstall|workingset|zone_reclaim|kswapd|' +
    'slabs_)|intr$|forks$|context_switches$|nf_conntrack_stat)',
  ),
  /^node_netstat_(?!.*(curr_estab|_rto|_forwarding|default_ttl|max_conn))/,
  new RegExp(
    '^mysql_global_status_(?!threads_(connected|running|cached)|open_(files|tables|streams|' +
    'table_def)|innodb_(buffer_pool_(pages|bytes)|page_size|num_open|row_lock_current|' +
    'data_pending|checkpoint_age|history_list|mem_)|memory_used|' +
    'uptime$|max_used|slave_running|wsrep_(local_state|cluster|ready|' +
    'connected|local_(recv|send)_queue$)|prepared_stmt_count|buffer_pool_(pages|dirty))',
  ),
  new RegExp(
    '^pg_stat_(database_(xact|blks?_|tup|conflicts|temp|deadlocks|checksum|sessions|' +
    '(active|idle_in_transaction|session)_time)|bgwriter_|' +
    'archiver_(archived|failed)|user_tables_(seq|idx|n_tup_(ins|upd|del|hot)|n_(ins|upd|' +
    'del)|.*vacuum_count|.*analyze_count)|statements_)',
  ),
  /^pg_statio_|^mysql_slave_status_slave_(received_heartbeats|\w+_groups)$/,
  /^mysql_info_schema_innodb_metrics_lock_lock_(deadlocks|timeouts)$/,
  new RegExp(
    '^envoy_.*(_rq|_cx|_update|_retry|_attempt|_success|_failure|_rejected|_timeout|' +
    '_overflow|_xx)(_|$)(?!.*(active|open|time|length|size|buffered|remaining|healthy|' +
    'total_weight))',
  ),
  /^nginx_(connections_(accepted|handled)|ingress_controller_(requests|success|errors))$/,
  /^phpfpm_(accepted_connections|slow_requests|max_children_reached)$/,
  /^elasticsearch_(indices_\w+_time_seconds|breakers_tripped)$/,
  // IF-MIB and IP-MIB, which name counters without a suffix.
  new RegExp(
    '^(if(_hc)?_(in|out)|ip(_system|_if)?_stats(_hc)?_(in|out)|ether_stats)_?\\w*' +
    '(octets|pkts|errors|discards|protos)$',
  ),
  // Most of what varnishstat tells; the rest are levels.
  new RegExp(
    '^varnish_(backend(?!_conn$)|main|mgt|sma)_(?!(.*_)?(up|happy|live|pools?|threads|vmods|' +
    'thread_queue_len|bans(_completed|_obj|_req|_persisted_\\w+)?|g_\\w+|' +
    'n_(backend|object\\w*|pipe|vampireobject|vcl\\w*))$)',
  ),
  /^haproxy_process_failed_resolutions$/,
  /^memcached_(commands|items_evicted|read|written|connections)_total$/,
  new RegExp(
    '^(haproxy|traefik|mongodb_ss_(opcounters|network|asserts|metrics)).*(_total|' +
    '_requests|_errors|_opcounters|_asserts|bytes_in|bytes_out|num_requests)$',
  ),
  /^container_(cpu_(user|kernel)_seconds|memory_failcnt|hugetlb_failcnt)$/,
  new RegExp(
    '^mongodb_ss_(opcounters(_repl)?|asserts|network_(bytes_(in|out)|num_requests)|' +
    'metrics_(document|operation))$',
  ),
  /^gnatsd_varz_(in|out)_(msgs|bytes)$/, /^mssql_(deadlocks|user_errors|batch_requests)$/,
  new RegExp(
    '^redis_(total_(error_replies|reads_processed|writes_processed)|' +
    'unexpected_error_replies|io_threaded_(reads|writes)_processed)$',
  ),
  new RegExp(
    '^erlang_(mnesia_(failed|committed|logged|restarted)_transactions|vm_statistics_' +
    '(context_switches|garbage_collection_\\w+|(runtime|wallclock_time)_milliseconds))$',
  ),
  /^etcd_server_health_(failures|success)$/,
  /^ceph_(osd_op(_(r|w|rw))?(_(in|out)_bytes)?|pool_(rd|wr)(_bytes)?)$/,
];

/** Whether it is a counter by its name, as words. */
export function isCounterName(plain: string): boolean {
  if (totalOfStock.test(plain)) return false;
  if (/_total$/.test(plain)) return true;
  return oldCounters.some((pattern) => pattern.test(plain));
}
