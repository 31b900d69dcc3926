import {
  ifNone, ifSome, metrics, names, promql, shell, ssh, type Family, type Step,
} from '../family.ts';
import { idleInTransaction, ofTarget, oldTransaction, psql } from '../usual-checks.ts';

const slots: Step = {
  action: 'List the replication slots and what they hold back.',
  why: 'An inactive slot retains WAL, and old rows with it, until its reader comes back.',
  command: shell(`${psql} -x -c 'select slot_name, slot_type, active, xmin, catalog_xmin, ` +
    "pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) as kept_bytes from pg_replication_slots'"),
  expected: 'Every slot is active, and retains little.',
};
const slotUnused = ifNone(`min(pg_replication_slot_slot_is_active{${ofTarget}}
  or pg_replication_slots_active{${ofTarget}})`);

const vacuum: Family = {
  id: 'postgres-vacuum',
  names: names(`(?:postgres(?:ql)?|pg)(?:(?:has)?tables?not(?:auto)?(?:vac+u+m|analy[sz])\\w*
    |(?:has)?(?:toomany|high)deadtup\\w*|deadtup\\w*
    |(?:table|index)?bloat\\w*|(?:auto)?vac+u+m\\w*
    |\\w*(?:wraparound|xidage|freezeage|xid(?:near)?exhaustion)\\w*)`),
  metrics: metrics(`
    pg_stat_user_tables_(?:n_dead_tup|last_(?:auto)?(?:vacuum|analyze)\\w*)|pg_bloat_\\w+
    |pg_database_wraparound_\\w+|pg_stat_activity_autovacuum_\\w+|cnpg_pg_database_xid_age`),
  meaning: 'Vacuum does not remove dead rows, or does not freeze old ones, as fast as they arise.',
  impact: 'Tables grow and queries slow down; near 2 billion transactions no writes are accepted.',
  causes: [
    {
      id: 'long-transaction', cause: 'A long-running transaction holds vacuum back',
      mechanism: 'Rows that it may still see can be neither removed nor frozen.',
      test: promql(`max(pg_stat_activity_max_tx_duration{${ofTarget}}
        or cnpg_backends_max_tx_duration_seconds{${ofTarget}})`, { atLeast: 3600, notUpTo: 300 }),
    },
    {
      id: 'slot', cause: 'A replication slot that nobody reads holds vacuum back',
      mechanism: 'The rows that its reader may still ask for are kept.',
      test: slotUnused,
    },
    {
      id: 'write-burst', cause: 'Far more rows are changed than usual',
      mechanism: 'A bulk update or delete makes dead rows faster than the workers remove them.',
      test: promql(`sum(rate(pg_stat_user_tables_n_tup_upd{${ofTarget}}[1h])
        + rate(pg_stat_user_tables_n_tup_del{${ofTarget}}[1h]))
        / sum(rate(pg_stat_user_tables_n_tup_upd{${ofTarget}}[1h] offset 1d)
        + rate(pg_stat_user_tables_n_tup_del{${ofTarget}}[1h] offset 1d))`,
        { atLeast: 2, notUpTo: 1.2 }),
    },
    {
      id: 'switched-off', cause: 'Autovacuum is switched off',
      mechanism: 'Somebody did so for a bulk load or a benchmark, for the server or for one table.',
      test: ifNone(`min(pg_settings_autovacuum{${ofTarget}})`),
      note: 'A table may have it off although the server has it on.',
    },
  ],
  steps: [
    {
      action: 'Read how old the oldest transaction number of each database is.',
      why: 'It tells how urgent it is: at 2 billion the server refuses writes.',
      command: shell(`${psql} -c 'select datname, age(datfrozenxid) from pg_database ` +
        "order by 2 desc'"),
      expected: 'All near 200 million (autovacuum_freeze_max_age) or below.',
    },
    {
      action: 'List the oldest transactions.',
      why: 'Ending the oldest one often lets vacuum go on.',
      command: shell(`${psql} -x -c 'select pid, usename, state, now() - xact_start as age, ` +
        'backend_xmin, query from pg_stat_activity where xact_start is not null ' +
        "order by xact_start limit 10'"),
      expected: 'None is older than an hour.',
    },
    slots,
    {
      action: 'See whether a vacuum is running, and on which table.',
      why: 'One that is running needs time, not help.',
      command: shell(`${psql} -x -c 'select * from pg_stat_progress_vacuum'`),
      expected: 'A row for the table of the alert, with heap_blks_scanned rising.',
    },
  ],
};

const log: Family = {
  id: 'postgres-wal',
  names: names(`
    postgres(?:ql)?(?:has)?(?:unused|inactive)?replicationslots?(?:used|unused|inactive)?
    |(?:postgres(?:ql)?|pg|cnpg)(?:wal)?archiv\\w*(?:fail\\w*|error\\w*|lag\\w*|down)
    |lastfailedarchivetime|walarchiv\\w*(?:fail\\w*|stalled|stuck|error\\w*)`),
  metrics: metrics(`pg_replication_slots?_\\w+
    |(?:cnpg_)?pg_stat_archiver_\\w+|cnpg_collector_pg_wal_archive_status`),
  meaning: 'The server retains WAL because a slot or the archive does not consume it.',
  impact: 'The disk fills up until the server stops; backups end at the last archived file.',
  causes: [
    {
      id: 'slot-unused', cause: 'The reader of a replication slot is gone',
      mechanism: 'A replica or a consumer was removed, or is down, and left its slot behind.',
      test: slotUnused,
    },
    {
      id: 'archive-fails', cause: 'The archive command fails',
      mechanism: 'Its storage is full, its key has expired, or the network is broken.',
      test: ifSome(`max(increase(pg_stat_archiver_failed_count{${ofTarget}}[15m])
        or increase(cnpg_pg_stat_archiver_failed_count{${ofTarget}}[15m]))`),
    },
    {
      id: 'reader-slow', cause: 'A reader is connected but does not keep up',
      mechanism: 'A consumer of logical replication waits for something else.',
      test: promql(`max(pg_replication_slot_slot_current_wal_lsn{${ofTarget},slot_type="logical"}
        - pg_replication_slot_slot_confirmed_flush_lsn{${ofTarget},slot_type="logical"})`,
        { atLeast: 1e9, notUpTo: 1e8 }),
      note: 'It is in bytes.',
    },
  ],
  steps: [
    slots,
    {
      action: 'Read the state of the archiver.',
      why: 'It names the file that fails and since when; the log of the server says why.',
      command: shell(`${psql} -x -c 'select * from pg_stat_archiver'`),
      expected: 'last_archived_time is newer than last_failed_time.',
    },
    {
      action: 'Drop a slot only when its reader will never come back.',
      why: 'The WAL that it holds is released at the next checkpoint.',
      expected: 'The WAL directory shrinks.',
      risk: 'high: a reader that comes back has to be rebuilt',
    },
  ],
};

const failover: Family = {
  id: 'failover',
  names: names(`(?:postgres(?:ql)?|patroni|redis|valkey|mysql|mongodb)(?:splitbrain|promotednode
    |(?:toomany|multiple)(?:masters|primaries)|replicationrolechanged|failover\\w*)`),
  metrics: /(?<!\w)(?:changes|count)\w*\(\s*pg_replication_is_replica(?![\w:])/u,
  meaning: 'The primary role moved to another node, or more than one node holds it.',
  impact: 'Connections break; with two primaries, the writes to one of them are lost.',
  causes: [
    {
      id: 'primary-failed', cause: 'The former primary failed, and a replica took over',
      mechanism: 'That is how it should be; what remains is to find out why it failed.',
      // By now it may be back, as a replica.
      test: promql('min({__name__=~"(pg|redis|mysql|mongodb)_up",job="{job}"})', { atMost: 0 }),
    },
    {
      id: 'planned', cause: 'A person or an operator moved it',
      mechanism: 'An upgrade or a drain restarts one node after the other.',
      test: promql('count(time() - kube_pod_start_time{namespace="{namespace}"} < 3600)',
        { atLeast: 1 }),
    },
  ],
  steps: [
    {
      action: 'Ask a node whether it is a replica (PostgreSQL).',
      why: 'Two nodes of one cluster that answer f are two primaries.',
      command: shell(`${psql} -c 'select pg_is_in_recovery()'`),
      expected: 'f on one node, t on all others.',
      store: 'postgresql',
    },
    {
      action: 'Ask a node for its role and its replicas (Redis).',
      why: 'Two masters of one set mean a split brain.',
      command: shell('redis-cli -u redis://{instance.address} info replication'),
      expected: 'role is master on one node only.',
      store: 'redis',
    },
    {
      action: 'With two primaries, stop the writers of the wrong one first.',
      why: 'Every write there is lost or has to be merged by hand.',
      expected: 'Only one primary takes writes.',
      risk: 'high: stopping the wrong one loses its writes',
      undo: 'Let the writers continue.',
    },
  ],
};

const errorsInLog = ssh('sudo grep -rhoE "(ERROR|FATAL): .*" /var/log/postgresql | ' +
  'sort | uniq -c | sort -rn | head -n 20');

const ofDatabase = `${ofTarget},datname="{datname}"`;

const rollbacks: Family = {
  id: 'postgres-rollbacks',
  names: names('(?:postgres(?:ql)?|pg)(?:has)?(?:high|toomany)rollback\\w*'),
  metrics: metrics('(?:cnpg_)?pg_stat_database_xact_rollback(?:_total)?'),
  meaning: 'Many transactions are rolled back instead of committed.',
  impact: 'What they should have written is missing, unless their callers try again.',
  unit: 'ratio',
  causes: [
    {
      id: 'statement-fails', cause: 'A statement of an application fails',
      mechanism: 'A missing column, a constraint or a wrong value ends its transaction.',
      test: errorsInLog,
      confirms: 'One error repeats, and began with the alert.',
    },
    {
      id: 'deadlock', cause: 'Transactions deadlock',
      mechanism: 'The server ends one of each pair.',
      test: promql(`sum(increase(pg_stat_database_deadlocks{${ofDatabase}}[5m]))
        / sum(increase(pg_stat_database_xact_rollback{${ofDatabase}}[5m]))`,
        { atLeast: 0.5, notUpTo: 0.1 }),
    },
    {
      id: 'timeout', cause: 'Statements or their clients run into time limits',
      mechanism: 'They wait for a lock or a slow disk, and are cancelled.',
      test: oldTransaction,
    },
  ],
  steps: [
    {
      action: 'Count the errors in its log.',
      why: 'The error that repeats names the statement and with it the application.',
      command: errorsInLog,
    },
    {
      action: 'Compare the databases of the server.',
      why: 'The database leads to the application.',
      command: promql(`sum by (datname) (rate(pg_stat_database_xact_rollback{${ofTarget}}[5m]))`),
    },
  ],
};

const ofPool = `${ofTarget},database="{database}",user="{user}"`;
const inPool = (state: string): string => `sum(pgbouncer_pools_${state}_connections{${ofPool}})`;
const clients = (ago: string): string =>
  `sum(pgbouncer_pools_client_active_connections{${ofPool}}${ago}` +
  ` + pgbouncer_pools_client_waiting_connections{${ofPool}}${ago})`;
const console = 'psql -h {instance.host} -p 6432 -d pgbouncer';

const pool: Family = {
  id: 'pgbouncer-pool',
  names: names('pgbouncer\\w*(?:connections?|wait\\w*|pool\\w*|saturat\\w*)\\w*'),
  metrics: metrics('pgbouncer_(?:pools|config_max|databases)_\\w+'),
  meaning: 'Clients wait for a connection of PgBouncer to the database, or it is near its limits.',
  impact: 'Queries wait before they begin; past query_wait_timeout their clients are disconnected.',
  causes: [
    {
      id: 'not-connected', cause: 'PgBouncer has no connection to the database',
      mechanism: 'The database is down, refuses logins or has no connection left.',
      test: ifNone(`${inPool('server_active')} + ${inPool('server_idle')}
        + ${inPool('server_used')}`),
      isDirect: true,
    },
    {
      id: 'idle-transaction', cause: 'A session holds locks in a transaction and does nothing',
      mechanism: 'What waits for its rows keeps the connections of the pool.',
      test: idleInTransaction('datname="{database}"'), isDirect: true,
    },
    {
      id: 'more-clients', cause: 'Far more clients use the pool',
      mechanism: 'More replicas, a batch or retries need more connections than it has.',
      test: promql(`${clients('')} / ${clients(' offset 1d')}`, { atLeast: 2, notUpTo: 1.2 }),
    },
    {
      id: 'all-used', cause: 'All connections of the pool are in use',
      mechanism: 'It is too small for the load, or transactions keep its connections for too long.',
      // One that is idle for a moment is on its way to the next client.
      test: promql(inPool('server_idle'), { atMost: 0 }),
    },
  ],
  steps: [
    {
      action: 'Read the state of the pools.',
      why: 'cl_waiting beside sv_active and sv_idle tells a full pool from a lost database.',
      command: shell(`${console} -c 'show pools' -c 'show databases'`),
      expected: 'sv_active has reached pool_size, or there are no server connections.',
    },
    {
      action: 'See what the server connections do.',
      why: 'request_time tells since when each is held; remote_pid names it in the database.',
      command: shell(`${console} -c 'show servers'`),
    },
    {
      action: 'Raise pool_size only when the database has connections and processor time left.',
      why: 'What waits for locks or disks waits there as well.',
      expected: 'maxwait falls to 0.',
      risk: 'medium: more queries at once can slow all of them down',
      undo: 'Set it back and reload.',
    },
  ],
};

export const postgresFamilies: readonly Family[] = [vacuum, log, failover, rollbacks, pool];
