import { ifNone, ifSome, metrics, names, promql, shell, type Family } from '../family.ts';
import {
  leastFree, listPods, moreReplicas, ofJob, ofTarget, onHost, twiceBefore,
} from '../usual-checks.ts';

export const redis = '(?:redis|valkey)';
export const cli = 'redis-cli -u redis://{instance.address}';

const redisCluster: Family = {
  id: 'redis-cluster',
  names: names(`(?:redis|valkey)cluster(?:state\\w*|slots?\\w*|node(?:down|fail\\w*)|toofewnodes
    |messages?\\w*stalled|unhealthy|fail(?!over)\\w*)`),
  metrics: metrics('redis_cluster_(?:state|slots_\\w+|known_nodes|messages_\\w+)'),
  meaning: 'Slots of the Redis cluster have no working node, or its nodes lost contact.',
  impact: 'Keys in these slots cannot be used; by default the whole cluster then refuses commands.',
  causes: [
    {
      id: 'node-gone', cause: 'A node is down, and no replica took over',
      mechanism: 'It had no replica, the replica is down as well, or too few masters can vote.',
      test: ifNone(`min(redis_up{${ofJob}})`),
    },
    {
      id: 'unassigned', cause: 'Slots are assigned to no node',
      mechanism: 'The removal of a node or a move of slots was not finished.',
      test: ifSome(`max(16384 - redis_cluster_slots_assigned{${ofJob}})`),
    },
    {
      id: 'split', cause: 'The nodes disagree about the cluster',
      mechanism: 'The bus port (the port plus 10000) is blocked, or addresses changed.',
      test: ifSome(`max(redis_cluster_known_nodes{${ofJob}})
        - min(redis_cluster_known_nodes{${ofJob}})`),
    },
    {
      id: 'slow-node', cause: 'A node answers the others too late',
      mechanism: 'A slow command, a save or a full disk blocks it for longer than its timeout.',
      test: ifSome(`max(redis_cluster_slots_pfail{${ofJob}})`),
    },
  ],
  steps: [
    {
      action: 'List the nodes as one of them sees them.',
      why: 'fail, fail? and noaddr mark the node; the ranges at the end are its slots.',
      command: shell(`${cli} cluster nodes`),
      expected: 'All connected, each master with slots and a replica.',
    },
    {
      action: 'Read the state of the cluster.',
      why: 'It tells slots without a node from a node that is only suspected.',
      command: shell(`${cli} cluster info`),
      expected: 'cluster_state:ok, and 16384 slots ok.',
    },
    { ...listPods, why: 'A pod with a new address is unknown to the others until CLUSTER MEET.' },
  ],
};

const moreKeys = {
  test: promql(`sum(redis_db_keys{${ofTarget}})
    / sum(min_over_time(redis_db_keys{${ofTarget}}[15m]))`,
    { atLeast: 1.3, notUpTo: 1.05 }),
} as const;

const memory: Family = {
  id: 'redis-memory',
  names: names(`${redis}(?:outof(?:system|configured)?(?:maxmemory|memory)|(?:high)?memory\\w*
    |evictions?\\w*|evictedkeys\\w*|keys?evict\\w*|(?:high)?maxmemory\\w*|oom\\w*)`),
  metrics: metrics('redis_memory_\\w+|redis_evicted_keys_total'),
  meaning: 'Redis uses nearly all of the memory that it may use, or evicts keys for lack of it.',
  impact: 'At maxmemory it evicts keys; with the policy noeviction it refuses all writes instead.',
  causes: [
    {
      id: 'more-keys', cause: 'Far more keys are stored than before',
      mechanism: 'A bulk load, a new client or a loop fills it.',
      ...moreKeys, isDirect: true,
    },
    {
      id: 'no-expiry', cause: 'Keys are written without expiry',
      mechanism: 'The data set only grows.',
      test: promql(`(sum(redis_db_keys_expiring{${ofTarget}})
        - sum(redis_db_keys_expiring{${ofTarget}} offset 15m)) / (sum(redis_db_keys{${ofTarget}})
        - sum(redis_db_keys{${ofTarget}} offset 15m) > 0)`, { atMost: 0.1, notFrom: 0.9 }),
      note: 'It is the share of keys with an expiry in those added in 15 min.', isDirect: true,
    },
    {
      id: 'client-buffers', cause: 'Buffers of clients take the memory, not data',
      mechanism: 'Clients that read slowly, subscribe or send large commands make them grow.',
      test: promql(`max(redis_mem_clients_normal{${ofTarget}})
        / max(redis_memory_used_bytes{${ofTarget}})`,
        { atLeast: 0.3, notUpTo: 0.1 }),
    },
    {
      id: 'limit-lowered', cause: 'Its maxmemory was lowered',
      mechanism: 'The same data is a larger share of less memory.',
      test: promql(`min(redis_memory_max_bytes{${ofTarget}})
        / max(max_over_time(redis_memory_max_bytes{${ofTarget}}[1h]))`,
        { atMost: 0.9, notFrom: 1 }),
      isDirect: true,
    },
    {
      id: 'larger-values', cause: 'The values have become larger',
      mechanism: 'A list, a stream or a hash that is only added to needs no new key.',
      test: shell(`${cli} --bigkeys -i 0.01`),
      confirms: 'One key is far larger than the others of its type.',
    },
  ],
  steps: [
    {
      action: 'See whether it refuses commands.',
      why: 'At maxmemory with noeviction each refused one is a write that its application lost.',
      command: promql(`sum by (cmd) (rate(redis_commands_rejected_calls_total{${ofTarget}}[2m]))
        > 0`),
    },
    {
      action: 'Read memory use and the policy.',
      why: 'maxmemory_policy says whether it evicts or refuses writes; what is not dataset ' +
        'is buffers.',
      command: shell(`${cli} info memory`),
      expected: 'used_memory is near maxmemory.',
    },
    {
      action: 'Find the largest keys.',
      why: 'Their names lead to the application; it scans, pausing between the steps.',
      command: shell(`${cli} --bigkeys -i 0.01`),
    },
  ],
};

const clients: Family = {
  id: 'redis-clients',
  names: names(`${redis}(?:(?:toomany|high|max|rejected)(?:connected|blocked)?(?:connections?
    |clients?)\\w*|(?:connections?|clients?)(?:rejected|refused|high|limit|exhausted|usage|max)
    \\w*)`),
  metrics: metrics('redis_(?:connected_clients|rejected_connections_total|config_maxclients)'),
  meaning: 'Redis has more clients than usual, or refuses new ones.',
  impact: 'Refused clients get an error, although those already connected work as before.',
  unit: 'count',
  causes: [
    {
      id: 'limit', cause: 'As many clients are connected as maxclients allows',
      mechanism: 'Each further one is refused, its exporter included.',
      test: promql(`max(max_over_time(redis_connected_clients{${ofTarget}}[5m]))
        / max(redis_config_maxclients{${ofTarget}})`, { atLeast: 0.9, notUpTo: 0.5 }),
      note: 'Where half or fewer are connected, what is refused fails its protected mode, or the ' +
        'exporter did not get in at the peak.',
      isDirect: true,
    },
    {
      id: 'reconnects', cause: 'Clients reconnect all the time',
      mechanism: 'They open a connection for each command, or fail and try again.',
      test: promql(`sum(rate(redis_connections_received_total{${ofTarget}}[5m]))
        / sum(redis_connected_clients{${ofTarget}})`, { atLeast: 2, notUpTo: 0.5 }),
    },
    {
      id: 'slow-commands', cause: 'Commands became slow, and clients open more connections',
      mechanism: 'One command at a time is executed; pools grow while all wait for it.',
      test: promql(`sum(rate(redis_commands_duration_seconds_total{${ofTarget}}[5m]))
        / sum(rate(redis_commands_processed_total{${ofTarget}}[5m]))`,
        { atLeast: 0.005, notUpTo: 0.001 }),
    },
    {
      id: 'protected', cause: 'It refuses clients from other hosts because it has no password',
      mechanism: 'Protected mode refuses each of them, and counts it as rejected.',
      test: shell(`${cli} config get protected-mode`),
      confirms: 'It is "yes", clients of other hosts connect, and no password is set.',
    },
    moreReplicas,
  ],
  steps: [
    {
      action: 'Count the connections by client.',
      why: 'The address names the application.',
      command: shell(`${cli} client list | grep -o ' addr=[^:]*' | sort | uniq -c | sort -rn ` +
        '| head'),
    },
    {
      action: 'Read how many clients it has, may have, and has refused.',
      why: 'Refusals far below maxclients come from protected mode, not from the limit.',
      command: shell(`${cli} info clients; ${cli} info stats | grep rejected_connections`),
      expected: 'connected_clients is near maxclients.',
    },
  ],
};

const saving: Family = {
  id: 'redis-saving',
  names: names(`${redis}(?:(?:rdb|aof|bgsave|snapshot|persistence|save)\\w*(?:fail\\w*|error\\w*
    |broken|notok|status))`),
  metrics: metrics('redis_(?:rdb_last_bgsave_status|aof_last_(?:write|bgrewrite)_status)'),
  meaning: 'Redis could not write its data to disk.',
  impact: 'By default it refuses all writes until a save succeeds (stop-writes-on-bgsave-error).',
  unit: 'state',
  causes: [
    {
      id: 'disk-full', cause: 'The disk that it saves to is full',
      mechanism: 'A save writes a whole new file before it replaces the old one.',
      test: leastFree(onHost, { atMost: 0.02, notFrom: 0.2 }),
    },
    {
      id: 'not-writable', cause: 'It may not write to its directory',
      mechanism: 'The directory is gone, read-only, or belongs to another user.',
      test: shell(`${cli} config get dir`),
      confirms: 'Its user cannot create a file there.',
    },
    {
      id: 'fork', cause: 'It could not fork for lack of memory',
      mechanism: 'Without vm.overcommit_memory=1, the kernel may refuse a copy of a large process.',
      test: promql(`max(redis_memory_used_rss_bytes{${ofTarget}}
        / redis_total_system_memory_bytes{${ofTarget}})`,
        { atLeast: 0.5, notUpTo: 0.3 }),
    },
  ],
  steps: [
    {
      action: 'Read what saving last said.',
      why: 'It tells which file could not be written, and how many changes are not saved.',
      command: shell(`${cli} info persistence`),
      expected: 'rdb_last_bgsave_status and aof_last_write_status are ok.',
    },
    {
      action: 'Read where it saves and logs to.',
      why: 'Its log, and the free space of this directory, say why it cannot.',
      command: shell(`${cli} config get dir; ${cli} config get logfile`),
      expected: 'A directory that exists, and that its user may write to.',
    },
    {
      action: 'Save once more when the disk is in order.',
      why: 'Writes are accepted again as soon as a save succeeds.',
      command: shell(`${cli} bgsave`),
      expected: 'rdb_last_bgsave_status is ok a moment later.',
      risk: 'low: it forks, which needs memory and takes a moment with much data',
    },
  ],
};

const latency: Family = {
  id: 'redis-latency',
  names: names(`${redis}(?:\\w*latency\\w*|slow\\w*|\\w*responsetime\\w*)`),
  metrics: metrics(`redis_(?:commands_duration_seconds_total|slowlog_\\w+
    |last_slow_execution_duration_seconds|latency_\\w+|commands_latencies_usec_\\w+)`),
  meaning: 'Commands of Redis take longer than they should.',
  impact: 'It executes one command at a time, so everything that uses it waits.',
  causes: [
    {
      id: 'slow-command', cause: 'One kind of command takes most of the time',
      mechanism: 'KEYS, a large range, a script or a large delete blocks all the others.',
      test: promql(`max(sum by (cmd) (rate(redis_commands_duration_seconds_total{${ofTarget}}[5m])))
        / sum(rate(redis_commands_duration_seconds_total{${ofTarget}}[5m]))`,
        { atLeast: 0.8, notUpTo: 0.4 }),
    },
    {
      id: 'saving', cause: 'It is saving or rewriting its log',
      mechanism: 'The fork stops it for a moment, and the disk competes with its log.',
      test: ifSome(`max(redis_rdb_bgsave_in_progress{${ofTarget}})
        + max(redis_aof_rewrite_in_progress{${ofTarget}})`),
    },
    {
      id: 'busy', cause: 'Its one thread is busy all the time',
      mechanism: 'Commands wait for those before them.',
      test: promql(`sum(rate(redis_cpu_user_seconds_total{${ofTarget}}[5m])
        + rate(redis_cpu_sys_seconds_total{${ofTarget}}[5m]))`, { atLeast: 0.8, notUpTo: 0.4 }),
    },
    {
      id: 'load', cause: 'Far more commands arrive',
      mechanism: 'A batch, a loop or an application without its cache.',
      test: twiceBefore(`redis_commands_processed_total{${ofTarget}}`),
    },
  ],
  steps: [
    {
      action: 'Read the slowest commands.',
      why: 'Each comes with its arguments, its duration and the client that sent it.',
      command: shell(`${cli} slowlog get 10`),
    },
    {
      action: 'See which kind of command takes the time.',
      why: 'A kind that only appeared now names the application.',
      command: promql(`topk(5,
        sum by (cmd) (rate(redis_commands_duration_seconds_total{${ofTarget}}[5m])))`),
      expected: 'GET and SET lead.',
    },
  ],
};

const misses: Family = {
  id: 'redis-misses',
  names: names(`${redis}(?:\\w*hitrat(?:io|e)\\w*|\\w*miss(?:es|rat(?:io|e))\\w*|cache\\w*)`),
  metrics: metrics('redis_keyspace_(?:hits|misses)_total'),
  meaning: 'Redis lacks most of what it is asked for.',
  impact: 'Each miss is computed or read from the database, which may not stand all of them.',
  causes: [
    {
      id: 'flushed', cause: 'Its keys were deleted',
      mechanism: 'FLUSHALL or FLUSHDB, or a start without its data, leaves it empty.',
      test: promql(`sum(redis_db_keys{${ofTarget}})
        / sum(max_over_time(redis_db_keys{${ofTarget}}[1h]))`,
        { atMost: 0.5, notFrom: 0.9 }),
      isDirect: true,
    },
    {
      id: 'evicted', cause: 'Keys are evicted because it has too little memory',
      mechanism: 'At maxmemory it removes keys that are still asked for.',
      test: ifSome(`sum(increase(redis_evicted_keys_total{${ofTarget}}[15m]))`),
    },
    {
      id: 'restarted', cause: 'It has just started',
      mechanism: 'What was not saved has to be stored again.',
      test: promql(`min(redis_uptime_in_seconds{${ofTarget}})`, { atMost: 1800, notFrom: 7200 }),
    },
  ],
  steps: [
    {
      action: 'Read which commands that delete everything were executed.',
      why: 'calls of flushall and flushdb count them since the start.',
      command: shell(`${cli} info commandstats | grep -i flush`),
    },
    {
      action: 'Read keys, evictions and the time since the start.',
      why: 'They tell an empty store from one that is too small.',
      command: shell(`${cli} info | grep -E '^(uptime_in_seconds|evicted|expired|db[0-9])'`),
      expected: 'Many keys, and no evictions.',
    },
  ],
};

export const redisFamilies: readonly Family[] = [
  redisCluster, memory, clients, saving, latency, misses,
];
