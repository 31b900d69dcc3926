import type { Rule } from './metric-rule.ts';
import { words } from './metric-words.ts';
import { insideOfClusters, insideOfMachines, uninteresting } from './platform-metric-rules.ts';

/** Limits, whether a program answers, and whether it does what its callers ask. */
const limitsAndHealth: readonly Rule[] = [
  // Limits, and the highest values since the start, which never fall.
  {
    match: /^haproxy_\w+?_(max|limit)_|^haproxy_\w+_(limit|rate_max)$|_max_used_connections$/,
    signal: 'config', side: 'internal',
  },
  // Work in flight follows from how many requests arrive and how long they take, and a proxy's
  // follows from what is behind it, as do the connections it needs for that; the resources of
  // Node.js are sockets and timers of requests.
  {
    match: new RegExp(
      '^haproxy_\\w+_(current_(sessions|connections|tasks|ssl_connections|session_rate|' +
      'connection_rate)|connections_current|jobs|pool_(allocated|used)_bytes|' +
      'connections_total|connection_attempts_total|total_time_average_seconds)$|' +
      '^nginx_connections_(active|reading|writing|waiting)$|' +
      '^nodejs_active_(resources|handles|requests)(_total)?$|^redis_client_recent_max_',
    ),
    signal: 'saturation', side: 'external',
  },
  { match: /^squid_[a-z_]+_\d+$/, signal: 'latency' },
  { match: /^varnish_main_n_lru_nuked$/, signal: 'errors', side: 'internal' },
  { match: /^varnish_sma_/, signal: 'utilization', side: 'internal' },
  // The load of the machine that it runs on.
  { match: /^apache_load$/, signal: 'saturation', side: 'internal' },
  {
    match: new RegExp(
      '^(pg_settings|mysql_global_variables)_|(connections|clients|threads|pool|fds|' +
      'files)_(max|min|limit|maximum)$|(^|_)max_(connections|clients|fds|files|threads|' +
      'open_files)$|(^|_)maxclients$|^(disk|memory|mem|swap)_total(_bytes)?$',
    ),
    signal: 'config', side: 'internal',
  },
  // A program that does not answer its own exporter is no victim of what it calls.
  { match: /(^|_)up$/, signal: 'state', side: 'internal', kind: 'state' },
  {
    match: /^probe_success$|(^|_)health_check_(status|passed)$/,
    signal: 'state', side: 'external', kind: 'state',
  },
  {
    match: new RegExp(
      '^kube_\\w+_(un)?available$|_(replicas|pods|nodes|workers|members|backends|' +
      'endpoints)_(un)?available$',
    ),
    signal: 'state', side: 'internal',
  },
  {
    match: new RegExp(
      '_last_(config_)?(reload|save|success|backup|bgsave|bgrewrite|write|snapshot)\\w*_' +
      '(success|successful|status)$|^redis_cluster_state$',
    ),
    unless: /timestamp/, signal: 'state', side: 'internal', kind: 'state',
  },
  {
    match: new RegExp(
      '_last_(config_)?(reload|save|success|backup|bgsave|snapshot)\\w*_timestamp(_seconds)?$',
    ),
    signal: 'state', side: 'internal',
  },
  {
    match: words(
      'availability success_rate success_ratio success_percent success_percentage ' +
      'successrate uptime_ratio uptime_percent apdex sli sla goodput_ratio',
    ),
    signal: 'errors', side: 'external',
  },
];

/** Names that end in what they measure, whatever the component before it is called. */
const plainEndings: readonly Rule[] = [
  // Errors of a machine's own parts, which nobody calls.
  {
    match: /^(smartctl|smartmon|nvme|ipmi)_.*(err|errors?|fail(ed|ures?)?)(_|$)/,
    signal: 'errors', side: 'internal',
  },
  {
    match: new RegExp(
      '(^|_)(latency|response_time|resp_time|rt)(_(p|pct_?|percentile_?)?\\d{2,4}(_\\d)?|' +
      '_avg|_mean|_max|_min|_median|_seconds|_ms|_s)*$',
    ),
    unless: words('fsync disk wal io scheduling schedule gc'),
    signal: 'latency',
  },
  {
    match: new RegExp(
      '(^|_)(error|errors|err|err_rate|error_rate|error_ratio|errors_per_second|' +
      'error_percent|fault|faults|5_?xx|4_?xx)$',
    ),
    unless: new RegExp(
      '^(node|container|process|go|jvm|windows|mysql_global_status_innodb)_|page_?faults?$|' +
      '(minor|major)_faults?$',
    ),
    signal: 'errors',
  },
  {
    match: new RegExp(
      '(^|_)(cpu|mem|memory|disk|diskio|disk_io|socket|sockets|rss|heap|fds|' +
      'threads)(_(usage|used|util|utilization|utilisation|percent|rate|load|avg|bytes|mb|' +
      'mi|m))*$',
    ),
    unless: words(
      'request requests limit limits quota total pressure spec resource resources hard',
    ),
    signal: 'utilization',
  },
  {
    match: new RegExp(
      '(^|_)(workload|lod|rps|qps|tps|throughput|hits|ops|requests_per_second|req_rate|' +
      'request_rate|traffic|requests|reqs|calls|invocations|queries|request_count|' +
      'call_count|invocation_count|requests_total|requests_count)(_(rate|ops|total|count|' +
      'sum))*$',
    ),
    unless: words(
      'kube quota active pending waiting queued inflight in_flight outstanding current ' +
      'concurrent failed slow error rejected dropped blocked resource cancelled ' +
      'fetch_requests timed_out denied',
    ),
    signal: 'traffic',
  },
  {
    match: /^(?!.*(^|_)(cpu|system|host|node|sys|process|avg|average|memory|heap))\w+_load$/,
    signal: 'traffic',
  },
];

/** Runtimes, pools and queues: what piles up inside before a caller notices. */
const insideOfPrograms: readonly Rule[] = [
  {
    match: new RegExp(
      '^go_sched_latencies|(^|_)(pleg|relist|runtime_operations|storage_operation|' +
      'scheduling|scheduler_latency)(_|$)',
    ),
    unless: words('errors'),
    signal: 'saturation', side: 'internal',
  },
  {
    match: /^pg_stat_(activity_count|database_numbackends)$|(^|_)rq_active$/,
    signal: 'saturation', side: 'internal',
  },
  { match: /^pg_stat_database_conflicts/, signal: 'errors', side: 'internal' },
  {
    match: /^pg_stat_user_tables_|(^|_)buffer_pool_|^jvm_buffer_|^kubelet_running_/,
    unless: /wait|vacuum_count/,
    signal: 'utilization', side: 'internal',
  },
  {
    match: new RegExp(
      '^mysql_global_status_connections$|(request|response)_size(_bytes)?(_(sum|count|' +
      'bucket|max|avg))?$',
    ),
    signal: 'traffic',
  },
  {
    match: words('gc gcs garbage safepoint stop_the_world event_?loop'),
    signal: 'saturation', side: 'internal',
  },
  {
    match: words(
      'fsync wal checkpoint checkpoints checkpointer compaction compactions flush flushes ' +
      'snapshot fdatasync backend_commit disk_backend',
    ),
    unless: words('failed failures errors error'),
    signal: 'saturation', side: 'internal',
  },
  {
    match: words('restart restarts restarted crash crashes crashed respawn reboot reboots'),
    signal: 'restarts', side: 'internal',
  },
  {
    match: words(
      'evicted evictions eviction evicts oom corrupt corruption corruptions deadlock ' +
      'deadlocks',
    ),
    signal: 'errors', side: 'internal',
  },
  {
    match: words(
      'throttled throttles throttle throttling backpressure messages_visible ' +
      'age_of_oldest_message lock locks locked mutex semaphore active_requests ' +
      'concurrent_requests requests_active busy threads_running concurrency overflow ' +
      'overflowed overflows',
    ),
    signal: 'saturation', side: 'internal',
  },
  {
    match: words(
      'lag behind_master behind_source seconds_behind backlog queue queues queued pending ' +
      'waiting waiters wait waits waited depth unacked unacknowledged inflight in_flight ' +
      'outstanding blocked contention starved deferred saturation acquire',
    ),
    unless: words(
      'error errors failed failures dropped rejected published delivered publish_total ' +
      'deliver_total acked processed duration_seconds_bucket_rq',
    ),
    signal: 'saturation', side: 'internal',
  },
  {
    match: words('connections connection conns conn clients sessions session pool cx'),
    unless: words(
      'error errors failed failure failures fail refused rejected timeout timeouts reset ' +
      'dropped aborted total opened closed accepted handled received created attempts lost ' +
      'denied',
    ),
    signal: 'saturation', side: 'internal',
  },
];

/** Errors and latency as callers see them. */
const seenFromOutside: readonly Rule[] = [
  {
    match: new RegExp(
      'slow_?(queries|query|log)|slowlog|(total|local|remote|response(queue|send)?)time_?ms',
    ),
    signal: 'latency',
  },
  { match: /(failed|error)\w*(requests|persec)/, signal: 'errors' },
  {
    match: words(
      'errors? err errs failed fails? failures? exceptions? panics? dropped drops? discarded ' +
      'discards? rejected rejections? rejects? timeouts? timedout timed_out retransmits? ' +
      'retrans refused refusals? aborted aborts? cancell?ed lost loss unavailable 5_?xx 4_?xx ' +
      'bad denied invalid faults? unsuccessful retries retry rollback rollbacks misrouted ' +
      'unreachable undeliverable dead_letter dlq',
    ),
    signal: 'errors',
  },
  {
    match: new RegExp(
      '(requests?|reqs?|calls?|handling|handler|query|queries|commands?|rpc|responses?|' +
      'operation|jobs?|tasks?)_(time_)?(milli)?seconds(_(sum|count|bucket|max|avg|total|' +
      'p\\d+))?$',
    ),
    signal: 'latency',
  },
  {
    match: words(
      'duration durations latency latencies response_time rtt elapsed delay ping lookup_time ' +
      'handshake round_trip request_time rq_time processing_time service_time ' +
      'time_to_first_byte ttfb query_time exec_time execution_time slow blk_read_time ' +
      'blk_write_time',
    ),
    signal: 'latency',
  },
];

const conditions: readonly Rule[] = [
  {
    match: new RegExp(
      '_expir(y|ation|es)|not_after|_ttl_?|generation|config_(hash|reload|last)|(^|' +
      '_)(limit|limits|max_connections|capacity|quota|desired|allowed|maxmemory|' +
      'hard)(_bytes)?$|_max_(bytes|connections|clients|size)$|^\\w+_settings?_|(^|' +
      '_)version$',
    ),
    signal: 'config', side: 'internal',
  },
  {
    match: new RegExp(
      '(^|_)(ready|healthy|leader|is_leader|has_leader|leader_changes_seen_total|' +
      'leader_changes|enabled|operstate|degraded|offline|online|in_sync|sync_status|' +
      'link_status|under_replicated_?partitions|underreplicatedpartitions|' +
      'offlinepartitionscount|offline_partitions_count|active_?controller_?count|' +
      'membership_healthy|cluster_state|cluster_health_status|slave_io_running|' +
      'slave_sql_running|connected_slaves|live|tasks_state|state|status|' +
      'last_.*success(ful)?|members?|brokers)$|_membership_(healthy|' +
      'total|degraded)$',
    ),
    unless: words('http code requests responses rq'),
    signal: 'state', side: 'internal',
  },
];

/** Disks and memory are internal in whatever unit; most of the rest is traffic. */
const whatFlows: readonly Rule[] = [
  {
    match: words(
      'cpu memory mem rss heap non_?heap stack alloc allocs allocated mallocs frees mspan ' +
      'mcache goroutines? coroutines threads? fds? file files filefd descriptors handles inode ' +
      'inodes disk disks diskio fs filesystem storage volume avail free used usage ' +
      'utili[sz]ation util buffers? cached slab dirty anon mapped working_set cache caches ' +
      'tablespace vmstat syscalls? swap hugepages temperature temp celsius current_bytes ' +
      'balance freeable freq frequency hertz entropy mount power watts fan voltage ' +
      'context_switches ctxt intr interrupts forks processes innodb blks blk tup blob idx ' +
      'keyspace keys size compress fragmentation classes direct metaspace',
    ),
    signal: 'utilization', side: 'internal',
  },
  {
    match: words(
      'requests? req reqs rq quer(?:y|ies) questions http https grpc rpc connections? conn cx ' +
      'sessions? packets? octets receive received transmit transmitted sent send recv bytesin ' +
      'bytesout bytes network net messages? messagesin msg msgs events? operations? ops ' +
      'commands? com transactions? xact commits? read reads write writes hits? miss misses ' +
      'samples? ingested ingest appended published publish publishes consumed consumer produced ' +
      'producer jobs? tasks? calls? invocations? frames records? rows? documents? ' +
      'notifications? served processed delivered acked handled accepted responses? replies ' +
      'payload opcounters throughput rate visits attempts orders logins checkouts offset upload ' +
      'download opened closed created workload',
    ),
    signal: 'traffic',
  },
  { match: /_(milli)?seconds_(sum|count|bucket)$/, signal: 'latency' },
  { match: /(^|_)partitions$/, signal: 'config', side: 'internal' },
];

/** In order; the first match wins. */
export const signalRules: readonly Rule[] = [
  ...uninteresting, ...limitsAndHealth, ...plainEndings, ...insideOfMachines, ...insideOfClusters,
  ...insideOfPrograms, ...seenFromOutside, ...conditions, ...whatFlows,
];
