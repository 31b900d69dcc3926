import { ifNone, ifSome, metrics, names, promql, shell, type Family } from '../family.ts';
import {
  busyDisk, idleInTransaction, moreReplicas, ofDatabase, ofTarget, oldTransaction, onHost, psql,
  twiceBefore,
} from '../usual-checks.ts';

export const stores = `postgres(?:ql)?|pg|mysql|mariadb|mongo(?:db)?|redis|memcached|elasticsearch
  |opensearch|rabbitmq|kafka|cassandra|clickhouse|database|db|sql|pgbouncer
  |percona|cockroach(?:db)?`;

const connections: Family = {
  id: 'datastore-connections',
  names: names(`
    (?:${stores})?(?:toomany|high|max)?(?:active|client|used)?connections?
    (?:high|full|exhausted|exhaustion|limit|toomany|usage|nearlimit|saturated)?(?:percent)?
    |(?:${stores})(?:toomanyconnections|rejectedconnections|toomanyclients)
    |(?:too)(?:many)(?:db|database)?connections`),
  // Web servers and kernels count connections as well.
  reads: new RegExp(`${stores.replace(/\s+/gu, '')}|valkey|oracle`, 'iu'),
  metrics: metrics(`pg_stat_activity_count(?!\\{[^}]*idle.in)
    |pg_settings_max_connections|pg_stat_database_numbackends
    |mysql_global_status_(?:threads_connected|max_used_connections)
    |mysql_global_variables_max_connections|mongodb_ss_connections`),
  meaning: 'Nearly all connections that the store allows are in use.',
  impact: 'New connections are refused; applications fail although the store works.',
  causes: [
    {
      id: 'leak', cause: 'An application does not release its connections',
      mechanism: 'They stay open without work until it restarts.',
      // A pool at rest is idle as well, so what counts is whose sessions came on top of the usual.
      test: promql(`(sum by (datname) (pg_stat_activity_count{${ofTarget},state=~"idle.*"})
        - (sum by (datname) (pg_stat_activity_count{${ofTarget},state=~"idle.*"} offset 30m)))
        / on () group_left () (sum(pg_stat_activity_count{${ofTarget}})
          - sum(pg_stat_activity_count{${ofTarget}} offset 30m) > 0)`,
        { atLeast: 0.8, notUpTo: 0.4 }),
      note: 'It is the share of idle sessions in those that came on top of half an hour ago.',
      store: 'postgresql', isDirectAlone: true,
    },
    {
      id: 'leak-mysql', cause: 'An application does not release its connections',
      mechanism: 'They stay open without work until it restarts.',
      test: promql(`(sum(mysql_global_status_threads_running{${ofTarget}})
        - sum(mysql_global_status_threads_running{${ofTarget}} offset 30m))
        / (sum(mysql_global_status_threads_connected{${ofTarget}})
          - sum(mysql_global_status_threads_connected{${ofTarget}} offset 30m) > 0)`,
        { atMost: 0.2, notFrom: 0.6 }),
      note: 'It is the share of those that run in the connections added in half an hour.',
      store: 'mysql', isDirectAlone: true,
    },
    {
      id: 'idle-transaction', cause: 'A session holds locks in a transaction and does nothing',
      mechanism: 'What needs the same rows waits with its connection, and new ones pile up.',
      test: idleInTransaction(ofDatabase), isDirect: true,
    },
    {
      id: 'long-transaction', cause: 'A long operation or a lock makes the others wait',
      mechanism: 'What waits keeps its connection, and new ones pile up.',
      test: oldTransaction,
    },
    moreReplicas,
    {
      id: 'slow-queries', cause: 'Queries became slow',
      mechanism: 'The same traffic holds connections for longer.',
      test: twiceBefore(`mysql_global_status_slow_queries{${ofTarget}}`),
      store: 'mysql',
    },
  ],
  steps: [
    {
      action: 'See who holds the connections (PostgreSQL).',
      why: 'User, client and state name the application.',
      command: shell(`${psql} ` +
        "-c 'select usename, client_addr, state, count(*) from pg_stat_activity " +
        "group by 1, 2, 3 order by 4 desc limit 20'"),
      store: 'postgresql',
    },
    {
      action: 'See who holds the connections (MySQL).',
      why: 'User, host and time name the application.',
      command: shell('mysql --host={instance.host} -e "show full processlist"'),
      store: 'mysql',
    },
    {
      action: 'Count the connections by client (MongoDB).',
      why: 'The driver and the host of each name the application.',
      command: shell("mongosh --host={instance.host} --quiet --eval 'db.currentOp(true).inprog" +
        ".reduce((n, o) => { const c = o.appName || o.client || o.desc; n[c] = (n[c] || 0) + 1; " +
        "return n }, {})'"),
      onlyFor: 'mongodb',
    },
  ],
};

/** Rows that the servers of the job insert, update and delete per second. */
const rowsWritten = (ago: string): string => '(sum(rate(mysql_global_status_handlers_total{' +
  `job="{job}",handler=~"write|update|delete"}[5m]${ago})) or ` +
  `sum(rate(pg_stat_database_tup_inserted{job="{job}"}[5m]${ago})` +
  ` + rate(pg_stat_database_tup_updated{job="{job}"}[5m]${ago})` +
  ` + rate(pg_stat_database_tup_deleted{job="{job}"}[5m]${ago})))`;

const replicationLag: Family = {
  id: 'replication-lag',
  names: names(`(?:${stores}){0,3}(?:replicationla(?:g|tency)\\w*|replicalag\\w*
    |slavereplicationlag|slavelag|slave(?:io|sql)threadnotrunning
    |replication(?:stopped|broken|down|error|delay|slow\\w*)
    |standbylag|heartbeatlag|galera(?:notready|outofsync|donor\\w*)|replicationheadroom
    |replication(?:notrunning|laggingmore\\w*)|disconnectedslaves|replica(?:down|notsynced)
    |replicamemberunhealthy|replicationstatus\\d+)|pgreplication
    |replicafailingreplication`),
  metrics: metrics(`
    pg_replication_lag(?:_seconds)?|mysql_slave_status_\\w+|mongodb_(?:\\w*replset|rs)_\\w+
    |redis_(?:connected_slaves|master_link_up)|pg_stat_replication_\\w+
    |mysql_global_status_wsrep_\\w+|cnpg_pg_replication_\\w+`),
  meaning: 'A replica is behind its primary, or no longer follows it.',
  impact: 'Reads from the replica are stale; a failover now would lose what it lacks.',
  unit: 'seconds',
  causes: [
    {
      id: 'apply-error', cause: 'The replica cannot apply a change of its primary',
      mechanism: 'A row or table differs between them, and replication stops at the first error.',
      test: ifSome(`max(mysql_slave_status_last_sql_errno{${ofTarget}})`),
      note: 'It is the error of the SQL thread: 1032 for a missing row, 1062 for a duplicate ' +
        'key, 1146 for a missing table.',
      isDirect: true,
      store: 'mysql',
    },
    {
      id: 'source-unreachable', cause: 'The replica cannot read the log of its primary',
      mechanism: 'The primary is down, refuses its login, or has removed the log.',
      test: ifSome(`max(mysql_slave_status_last_io_errno{${ofTarget}})`),
      note: 'It is the error of the I/O thread: 1045 for a refused login, 2003 for no ' +
        'connection, 1236 for a log that is gone.',
      isDirect: true,
      store: 'mysql',
    },
    {
      id: 'write-burst', cause: 'The primary writes more than the replica can apply',
      mechanism: 'A bulk load, migration or vacuum fills the log faster than it is replayed.',
      test: promql(`${rowsWritten('')} / ${rowsWritten(' offset 1d')}`,
        { atLeast: 2, notUpTo: 1.2 }),
    },
    {
      id: 'no-writes', cause: 'Nothing new is written, and the replica has all that there is',
      mechanism: 'The age of the last transaction that it has replayed grows all the same: ' +
        'nobody writes, or the writers are blocked.',
      test: promql('max(pg_stat_replication_pg_wal_lsn_diff{job="{job}"})',
        { atMost: 65_536, notFrom: 16_777_216 }),
      isDirect: true,
      store: 'postgresql',
    },
    {
      id: 'replica-query', cause: 'A long query on the replica holds replay back',
      mechanism: 'Replay waits until the conflicting query ends.',
      test: oldTransaction,
    },
    {
      id: 'replica-slow', cause: 'The disk of the replica is too slow',
      mechanism: 'It applies changes at the limit of its disk.',
      // Some exporters measure the replica from its primary.
      test: busyDisk('instance=~"{member_idx.host|client_addr|slave_ip|instance.host}(:.*)?"'),
    },
    {
      id: 'stopped', cause: 'Replication has stopped',
      mechanism: 'An error, a missing log segment or the network ended the stream.',
      test: ifNone('min({__name__=~"mysql_(slave_status_(slave|replica)_(sql|io)_running' +
        '|global_status_wsrep_ready)' +
        `|redis_master_link_up|pg_stat_wal_receiver_status",${ofTarget}}` +
        // The alert may be about the master, which lists no link of its own.
        ' or {__name__="redis_master_link_up",job="{job}"})'),
      isDirect: true,
    },
  ],
  steps: [
    {
      action: 'Read the state of replication (PostgreSQL).',
      why: 'A primary lists its replicas, a replica its stream: broken, or replayed too slowly.',
      command: shell(`${psql} -x ` +
        "-c 'select * from pg_stat_replication' -c 'select * from pg_stat_wal_receiver' " +
        "-c 'select case when pg_is_in_recovery() then pg_is_wal_replay_paused() end as paused'"),
      expected: 'The state or status is streaming, replay_lag shrinks, and replay is not paused.',
      store: 'postgresql',
    },
    {
      action: 'Read the state of replication (MySQL, on the replica).',
      why: 'Last_SQL_Error and Last_IO_Error say what stopped each of the two threads.',
      command: shell('mysql --host={instance.host} -e "show replica status\\G"'),
      expected: 'Both threads run, and Seconds_Behind_Source (or _Master) falls.',
      store: 'mysql',
    },
    {
      action: 'Read the state of replication (Redis).',
      why: 'It tells a link that is down from one that resynchronises everything.',
      command: shell('redis-cli -u redis://{instance.address} info replication'),
      expected: 'master_link_status is up, and no sync is in progress.',
      onlyFor: 'redis',
    },
    {
      action: 'Read the state of the replica set (MongoDB).',
      why: 'It names each member, its state and how far it is behind.',
      command: shell("mongosh --host={instance.host} --quiet --eval " +
        "'rs.status().members.map(m => [m.name, m.stateStr, m.optimeDate])'"),
      expected: 'One PRIMARY, all others SECONDARY with nearly the same time.',
      onlyFor: 'mongodb',
    },
  ],
};

const storeMemory: Family = {
  id: 'datastore-memory',
  names: names(`
    (?:${stores})(?:outof(?:system|configured)?(?:maxmemory|memory)|memory\\w*|evictions?
    |evictedkeys|disk(?:watermark\\w*|outofspace|spacelow)
    |highmemory\\w*|maxmemory\\w*)
    |(?:elasticsearch|opensearch)(?:cluster)?disk\\w*`),
  metrics: metrics(`elasticsearch_filesystem_\\w+
    |memcached_(?:current_bytes|items_evicted_total)`),
  meaning: 'The store uses nearly all of the memory or disk that it may use.',
  impact: 'It evicts data, refuses writes or makes indices read-only.',
  causes: [
    {
      id: 'write-burst', cause: 'Much more is written than usual',
      mechanism: 'A bulk load or a new client fills it in minutes.',
      test: twiceBefore('{__name__=~"elasticsearch_indices_indexing_index_total|' +
        `memcached_items_total",${ofTarget}}`),
    },
    {
      id: 'node-lost', cause: 'A node of the cluster is gone',
      mechanism: 'Its share moves to the nodes that are left.',
      // An exporter that answers does not speak for the nodes.
      test: promql('min({__name__=~"up|memcached_up",job="{job}"})',
        { atMost: 0 }),
    },
    {
      id: 'no-expiry', cause: 'Nothing old is deleted',
      mechanism: 'Items without expiry, or indices without a lifecycle policy, only add up.',
      test: promql(
        `(delta(elasticsearch_filesystem_data_available_bytes{${ofTarget}}[1d] offset 1d) < 0)
        / (delta(elasticsearch_filesystem_data_available_bytes{${ofTarget}}[1d]) < 0)`,
        { atLeast: 0.7, notUpTo: 0.2 }),
      note: 'It compares how much was used up yesterday and today.',
    },
  ],
  steps: [
    {
      action: 'Read cluster health and disk use (Elasticsearch).',
      why: 'It names nodes over the watermark and shards without a node.',
      command: shell("curl -gsS -m 10 --url http://{instance.host}:9200'/_cat/allocation?v'"),
      store: 'elasticsearch',
    },
  ],
};

const rowsOfTransaction = (ago: string): string =>
  `(sum(rate(pg_stat_database_tup_returned{${ofTarget}}[5m]${ago})) / ` +
  `sum(rate(pg_stat_database_xact_commit{${ofTarget}}[5m]${ago})))`;
const rowsOfStatement = (ago: string): string =>
  `(sum(rate(mysql_global_status_handlers_total{${ofTarget},handler=~"read_.+"}[5m]${ago})) / ` +
  `sum(rate(mysql_global_status_questions{${ofTarget}}[5m]${ago})))`;
/** A query that reads more rows than before for the same result. */
const changedPlan = {
  cause: 'A query changed its plan, or is new',
  mechanism: 'An index is missing or unused since a release or new statistics.',
};

const slowQueries: Family = {
  id: 'slow-queries',
  names: names(`(?:${stores}){1,3}(?:slowquer\\w*|(?:toomany)?lock\\w*
    |commitratelow
    |longtransactions?|longrunning\\w*|highlatency|querylatency\\w*|innodblogwaits
    |highratestatementtimeouts?
    |acquiredtoomanylocks|highthreadsrunning|(?:read|write)requestsqueueingup
    |slowlog\\w*)|slowquer(?:y|ies)\\w*
    |longrunningtransactions?|backendswaiting`),
  metrics: metrics(`mysql_global_status_(?:slow_queries|innodb_row_lock_\\w+)|pg_locks_count
    |pg_stat_activity_max_tx_duration
    |pg_stat_statements_\\w+|cnpg_backends_(?:max_tx_duration_seconds|waiting_total)`),
  meaning: 'Queries take long or wait for locks.',
  impact: 'Everything that uses the database slows down with it.',
  causes: [
    {
      id: 'idle-transaction', cause: 'A session holds locks in a transaction and does nothing',
      mechanism: 'An application or a person began it and did not commit; what needs the same ' +
        'rows waits.',
      test: idleInTransaction(ofDatabase),
      store: 'postgresql', isDirect: true,
    },
    {
      id: 'lock', cause: 'A transaction holds a lock that others wait for',
      mechanism: 'A migration, a manual session or an idle transaction blocks a table.',
      test: oldTransaction,
    },
    {
      id: 'table-lock', cause: 'Statements wait for the lock of a table',
      mechanism: 'LOCK TABLES, or a change of its definition, waits for an open transaction or ' +
        'keeps others from it.',
      test: promql(`max(sum by (instance) ({
        __name__=~"mysql_info_schema_(processlist_)?threads",
        ${ofTarget},state=~".*table.*lock.*"}))`,
        { atLeast: 1, notUpTo: 0 }),
      isDirect: true,
      store: 'mysql',
    },
    {
      id: 'row-locks', cause: 'Transactions wait for the rows of others',
      mechanism: 'One holds its row locks for long, or many want the same rows.',
      test: promql(`max(mysql_global_status_innodb_row_lock_current_waits{${ofTarget}})`,
        { atLeast: 1, notUpTo: 0 }),
      isDirect: true,
      store: 'mysql',
    },
    {
      id: 'plan', ...changedPlan,
      test: promql(`${rowsOfTransaction('')} / ${rowsOfTransaction(' offset 1d')}`,
        { atLeast: 3, notUpTo: 1.5 }),
      store: 'postgresql',
    },
    {
      id: 'plan-mysql', ...changedPlan,
      test: promql(`${rowsOfStatement('')} / ${rowsOfStatement(' offset 1d')}`,
        { atLeast: 3, notUpTo: 1.5 }),
      store: 'mysql',
    },
    {
      id: 'disk', cause: 'The disk of the database is slow',
      mechanism: 'Reads and commits wait for it.',
      test: busyDisk(onHost),
    },
  ],
  steps: [
    {
      action: 'List the oldest transactions and what they wait for (PostgreSQL).',
      why: 'The head of the chain is the session to talk to.',
      command: shell(`${psql} -x ` +
        "-c 'select pid, pg_blocking_pids(pid), " +
        "now() - xact_start as age, state, query from pg_stat_activity where xact_start is not " +
        "null order by 3 desc limit 10'"),
      store: 'postgresql',
    },
    {
      action: 'List running statements (MySQL).',
      why: 'The longest one, and what it waits for, is in the first lines.',
      command: shell('mysql --host={instance.host} -e "show full processlist"'),
      store: 'mysql',
    },
    {
      action: 'List the operations that have run for long (MongoDB).',
      why: 'waitingForLock and the plan of each tell a lock from a missing index.',
      command: shell("mongosh --host={instance.host} --quiet --eval 'db.currentOp({active: true, " +
        "secs_running: {$gt: 5}}).inprog.map(o => [o.secs_running, o.op, o.ns, o.planSummary, " +
        "o.waitingForLock])'"),
      onlyFor: 'mongodb',
    },
  ],
};

export const dataStoreFamilies: readonly Family[] = [
  replicationLag, connections, slowQueries, storeMemory,
];
