import type { Rule } from './metric-rule.ts';
import { words } from './metric-words.ts';

/** Metrics that say nothing about the component: of exporters and scrapes themselves, and info. */
export const uninteresting: readonly Rule[] = [
  {
    match: new RegExp(
      '^(alerts|alerts_for_state|scrape_|promhttp_|node_scrape_|node_textfile_|go_info$|' +
      'target_info|otel_scope_info|absent_)',
    ),
    signal: 'skip',
  },
  // Address space that a runtime reserves, pages that the kernel merges: they cost nothing.
  {
    match: /^process_virtual_memory_|^node_memory_(file|shmem)_(pmd|huge)|_process_id$/,
    signal: 'skip',
  },
  {
    match: new RegExp(
      '^(node_exporter|mysql_exporter|mysqld_exporter|pg_exporter|postgres_exporter|' +
      'redis_exporter|nginxexporter|kafka_exporter|blackbox_exporter)_|' +
      '_exporter_(last_scrape|scrapes|build|collector)',
    ),
    signal: 'skip',
  },
  // The mean and the maximum since the start; what the status variables of InnoDB tell as well.
  { match: /^mysql_\w+_row_lock_time_(avg|max)$/, signal: 'skip' },
  {
    match: /^mysql_info_schema_innodb_metrics_(os|buffer|recovery|log|dml|lock_lock_row)_/,
    signal: 'skip',
  },
  // How long ago something was; counts of Varnish's own locks and pools.
  { match: /^haproxy_\w+_(last_session|check_last_change)_seconds$/, signal: 'skip' },
  { match: /^varnish_(lock|lck|mempool)_/, signal: 'skip' },
  // Seventeen steps of each distribution beside its median and its highest.
  { match: /^squid_(?!\w+_(50|95)$)[a-z_]+_\d+$/, signal: 'skip' },
  {
    match: new RegExp(
      '(^|_)(last_seen|scaling_ratio)$|_created(_at)?$|(^|_)time_(zone_)?offset_seconds$|' +
      '^node_time_seconds$',
    ),
    signal: 'skip',
  },
  // Left over from the last save, and the tables in which a broker keeps its own books.
  {
    match: /^redis_(aof_base_size|(aof|rdb)_last_cow_size)_bytes$|^erlang_mnesia_tablewise_/,
    signal: 'skip',
  },
  // Unstable by their name; what matters of them has another name as well.
  { match: /^etcd_debugging_(?!mvcc_(slow_watcher|pending_events|watcher)_total)/, signal: 'skip' },
  // The discards of a disk are blocks given back to it; threads count with their process.
  { match: /^node_disk_discard|^namedprocess_namegroup_thread_/, signal: 'skip' },
  { match: /^machine_/, signal: 'config', side: 'internal' },
  { match: /(^|_)build_info$|^kube_pod_(init_)?container_info$/, signal: 'config' },
  {
    match: new RegExp(
      '(^|_)(info|labels|annotations|owner|tolerations|metadata_resource_version)$|' +
      '^node_(os|dmi|uname|cpu_info|selinux)_|(^|_)os_version',
    ),
    signal: 'skip',
  },
];

/** Machines and containers: all internal except network traffic. */
export const insideOfMachines: readonly Rule[] = [
  {
    match: /(^|_)oom|evict(ed|ions?)|_failcnt$|memory_failures/,
    signal: 'errors', side: 'internal',
  },
  { match: /(^|_)(boot_time|start_time|process_start)(_|$)/, signal: 'restarts', side: 'internal' },
  {
    match: words(
      'throttled throttling throttle pressure iowait steal runqueue schedstat_running ' +
      'schedstat_waiting blocked load1 load5 load15 load_average',
    ),
    unless: /_status_condition|^kube_node_/,
    signal: 'saturation', side: 'internal',
  },
  {
    match: new RegExp(
      '^(node|windows|container|process|namedprocess_\\w+?)_.*(netstat|network|' +
      'nf_conntrack|conntrack|softnet|sockstat|infiniband|edac|disk|md|filesystem|nvme|zfs|' +
      'xfs|btrfs|fs)_.*(err|errs|errors?|drop|drops|dropped|discards?|fail(ed|ures)?|' +
      'timeouts?|retrans|abort|overrun|colls|carrier|invalid|overflow|listen|resets?|' +
      'corrupt)',
    ),
    unless: words('limit entries max'),
    signal: 'errors', side: 'internal',
  },
  {
    match: new RegExp(
      '^node_network_(up|carrier|speed|mtu|flags|iface|address|dormant|protocol)|' +
      '^node_(bonding|md_state|md_disks|systemd_unit_state|systemd_system_running)|' +
      '_readonly$|_operstate$',
    ),
    signal: 'state', side: 'internal',
  },
  {
    match: new RegExp(
      '^(node|windows|container|process|namedprocess)_.*(io_time_weighted|io_current|' +
      'io_now|conntrack|swap|pswp|pgmaj|major_?(page_)?fault|zoneinfo_|timex_)',
    ),
    unless: /_limit$/,
    signal: 'saturation', side: 'internal',
  },
  // It grows by a second per second, and a rate does not show when it began again.
  { match: /(^|_)uptime(_in)?(_seconds)?(_total)?$/, signal: 'skip' },
  {
    match: new RegExp(
      '^(node|container|windows|process)_(network|net)_.*(bytes|packets|octets|frames|' +
      'multicast|compressed)|^node_netstat_.*(octets|segs|datagrams|msgs|pkts|opens)',
    ),
    signal: 'traffic', side: 'external',
  },
  {
    match: new RegExp(
      '(^|_)spec_|^machine_|^node_.*(_size_bytes|_total_bytes|mem_total_bytes|max_hertz|' +
      'min_hertz|_limit|_maximum|_max|online|cpu_guest_max)$|_limit_bytes$|' +
      'fs_inodes_total$|_(capacity|allocatable|quota)(_|$)|_max_fds$|' +
      'virtual_memory_max_bytes$|_max_bytes$|memory_max$',
    ),
    signal: 'config', side: 'internal',
  },
  {
    match: new RegExp(
      '^(node|container|windows|process|namedprocess|machine|system|host)_(?!.*(_ready|' +
      '_healthy)$)',
    ),
    unless: new RegExp(
      '(^|_)(http|grpc|rpc|request|requests|request_duration|latency|processed|errors?)(_|' +
      '$)',
    ),
    signal: 'utilization', side: 'internal',
  },
];

/** Kubernetes objects: state and settings rather than load. */
export const insideOfClusters: readonly Rule[] = [
  { match: /^kube_.*restarts?(_total)?$/, signal: 'restarts', side: 'internal' },
  {
    match: new RegExp(
      '^kube_.*(generation|_spec_|_limits?(_|$)|_requests?(_|$)|allocatable|capacity|' +
      'resourcequota|limitrange|_hard|desired|max_replicas|min_replicas|container_resource)',
    ),
    signal: 'config', side: 'internal',
  },
  {
    match: new RegExp(
      '^kube_.*(status_(phase|condition|ready|waiting|terminated|running|reason|' +
      'last_terminated|scheduled|unschedulable)|_condition|_reason|_status_container_ready|' +
      '_taint|unschedulable)',
    ),
    unless: /_replicas|_number_/,
    signal: 'state', side: 'internal', kind: 'state',
  },
  {
    match: new RegExp(
      '^kube_.*(replicas|ready|available|current|updated|number|active|succeeded|healthy|' +
      'status|failed|misscheduled)',
    ),
    signal: 'state', side: 'internal',
  },
  { match: /^kube_/, signal: 'skip' },
  {
    match: /^kubelet_volume_stats_.*(capacity|inodes)(_bytes)?$/,
    signal: 'config', side: 'internal',
  },
  { match: /^kubelet_volume_stats_/, signal: 'utilization', side: 'internal' },
];
