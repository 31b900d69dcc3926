import { ifSome, metrics, names, promql, shell, ssh, type Family } from '../family.ts';
import { ofTarget, twiceBefore } from '../usual-checks.ts';
import { stores } from './data-stores.ts';

const sqlServer: Family = {
  id: 'sqlserver-waits',
  names: names(`(?:mssql|sqlserver)\\w*(?:deadlocks?|stalltime|blocked\\w*|blocking\\w*|lockwaits?
    |pagelifeexpectancy\\w*|bufferpool\\w*|buffercache\\w*)(?:high|low)?`),
  metrics: metrics(`mssql_(?:deadlocks(?:_total)?|io_stall(?:_total|_seconds_total)?
    |page_life_expectancy(?:_seconds)?|lazy_write_total)`),
  meaning: 'Queries of SQL Server wait for each other, for its disks or for memory.',
  impact: 'Its clients are slow; a deadlock ends one of the queries with error 1205.',
  causes: [
    {
      id: 'deadlocks', cause: 'Transactions lock the same rows in different orders',
      mechanism: 'A release, a missing index or an escalated lock makes them meet.',
      test: ifSome(`max(increase(mssql_deadlocks_total{${ofTarget}}[15m])
        or increase(mssql_deadlocks{${ofTarget}}[15m]))`),
    },
    {
      id: 'disk', cause: 'Its disks are slow',
      mechanism: 'Reads and the log of each commit wait for them.',
      test: promql(`max(rate(mssql_io_stall_seconds_total{${ofTarget}}[5m]))`,
        { atLeast: 0.5, notUpTo: 0.05 }),
    },
    {
      id: 'memory', cause: 'Its memory does not hold the data that is read all the time',
      mechanism: 'A large scan, or too little memory, evicts pages that are needed again.',
      test: promql(`min(mssql_page_life_expectancy_seconds{${ofTarget}}
        or mssql_page_life_expectancy{${ofTarget}})`, { atMost: 300, notFrom: 1000 }),
      note: 'It is for how many seconds a page stays in memory.',
    },
    {
      id: 'load', cause: 'Far more queries arrive',
      mechanism: 'A batch, a report or a retry loop runs beside the usual load.',
      test: twiceBefore(`mssql_batch_requests_total{${ofTarget}}`),
    },
  ],
  steps: [
    {
      action: 'List the requests that wait for another one.',
      why: 'The session at the head of the chain is the one to talk to.',
      command: shell('sqlcmd -S {instance.host} -Q "select session_id, blocking_session_id, ' +
        'wait_type, wait_time, status, command from sys.dm_exec_requests ' +
        'where blocking_session_id <> 0"'),
    },
    {
      action: 'Read how long requests wait for each file.',
      why: 'One file leads to its database; all of them lead to the disk.',
      command: shell('sqlcmd -S {instance.host} -Q "select db_name(database_id) as db, file_id, ' +
        'io_stall_read_ms / (num_of_reads + 1) as read_ms, ' +
        'io_stall_write_ms / (num_of_writes + 1) as write_ms ' +
        'from sys.dm_io_virtual_file_stats(null, null) order by io_stall desc"'),
      expected: 'A few milliseconds each.',
    },
  ],
};

const deadlocks: Family = {
  id: 'deadlocks',
  names: names(`
    (?:${stores}){1,3}(?:has)?(?:high|toomany)?(?:rate)?(?:of)?deadlock(?:s|conflicts|rate)?
    (?:high|rate)?`),
  metrics: metrics(`
    (?:cnpg_)?pg_stat_database_deadlocks(?:_total)?|mysql_global_status_innodb_deadlocks
    |mysql_info_schema_innodb_metrics_lock_lock_deadlocks_total`),
  meaning: 'Transactions wait for each other, and the server ends one of them each time.',
  impact: 'What is rolled back fails for its caller, unless that tries again.',
  unit: 'count',
  causes: [
    {
      id: 'order', cause: 'Transactions lock the same rows in different orders',
      mechanism: 'Each holds what the other needs.',
      test: ssh('sudo grep -rhA4 "deadlock detected" /var/log/postgresql | tail -n 40'),
      confirms: 'The log shows the same two statements each time.',
    },
    {
      id: 'burst', cause: 'Far more transactions run at once',
      mechanism: 'A batch or a burst makes them meet on the same rows.',
      test: twiceBefore(`pg_stat_database_xact_commit{${ofTarget}}`),
    },
    {
      id: 'release', cause: 'A release or a new job changed what is locked',
      mechanism: 'New statements take locks in another order, or hold them for longer.',
      test: promql('count(time() - kube_pod_start_time{namespace="{namespace}"} < 3600)',
        { atLeast: 1 }),
    },
  ],
  steps: [
    {
      action: 'Read the deadlocks in its log (PostgreSQL).',
      why: 'DETAIL and CONTEXT name both statements and the rows.',
      command: ssh('sudo grep -rhA4 "deadlock detected" /var/log/postgresql | tail -n 40'),
      store: 'postgresql',
    },
    {
      action: 'Read the latest deadlock (MySQL).',
      why: 'LATEST DETECTED DEADLOCK quotes both statements and what they wait for.',
      command: shell('mysql --host={instance.host} -e "show engine innodb status\\G"'),
      store: 'mysql',
    },
    {
      action: 'Count them by database (PostgreSQL).',
      why: 'The database leads to the application.',
      command: promql(`sum by (datname) (increase(pg_stat_database_deadlocks{${ofTarget}}[1h]))`),
      store: 'postgresql',
    },
  ],
};

const rds = 'dbinstance_identifier="{dbinstance_identifier}"';

const managedStorage: Family = {
  id: 'managed-database-storage',
  names: names(`(?:aws)?(?:rds|aurora|cloudsql)(?:mysql|postgres(?:ql)?)?(?:instance|db|database)?
    (?:low|high|outof)?(?:free|disk|storage)\\w*`),
  metrics: metrics(`aws_rds_free_(?:local_)?storage\\w*
    |stackdriver_cloudsql_database_\\w*disk_(?:utilization|bytes_used)\\w*
    |azure_dbfor\\w+_storage_percent\\w*`),
  meaning: 'The storage of a managed database is nearly full.',
  impact: 'When it is full, the provider stops the database or makes it read-only.',
  causes: [
    {
      id: 'slot', cause: 'A replication slot holds the write-ahead log',
      mechanism: 'A replica or a consumer is gone or behind, and PostgreSQL keeps its log for it.',
      test: promql(`max(aws_rds_oldest_replication_slot_lag_average{${rds}})`,
        { atLeast: 1e9, notUpTo: 1e8 }),
      isDirect: true,
    },
    {
      id: 'writes', cause: 'Much more is written than usual',
      mechanism: 'A load, a migration or temporary files of a large query.',
      test: promql(`sum(aws_rds_write_throughput_average{${rds}})
        / sum(aws_rds_write_throughput_average{${rds}} offset 1d)`, { atLeast: 2, notUpTo: 1.2 }),
    },
    {
      id: 'growth', cause: 'The data grows as it always has',
      mechanism: 'Nothing is wrong; the storage has become too small.',
      test: promql(`(delta(aws_rds_free_storage_space_average{${rds}}[1d] offset 1d) < 0)
        / (delta(aws_rds_free_storage_space_average{${rds}}[1d]) < 0)`,
        { atLeast: 0.7, notUpTo: 0.2 }),
      note: 'It compares how much was used up yesterday and today.',
    },
  ],
  steps: [
    {
      action: 'Read how much storage it has, and whether it grows by itself (RDS).',
      why: 'Without MaxAllocatedStorage it does not grow.',
      command: shell('aws rds describe-db-instances ' +
        '--db-instance-identifier={dbinstance_identifier} ' +
        "--query 'DBInstances[0].[AllocatedStorage,MaxAllocatedStorage,DBInstanceStatus]'"),
      expected: 'A limit above what it has, and the status available.',
    },
    {
      action: 'Read how much transaction and binary logs take (RDS).',
      why: 'They are kept for a replica, for recovery or for as long as is set.',
      command: promql(`max(aws_rds_transaction_logs_disk_usage_average{${rds}}
        or aws_rds_bin_log_disk_usage_average{${rds}})`),
    },
    {
      action: 'Enlarge its storage before it is full.',
      why: 'It stays in use meanwhile, which it does not once it is full.',
      expected: 'The free storage rises.',
      risk: 'medium: it cannot be made smaller again, nor be changed again for some hours',
    },
  ],
};

export const dataStoreServerFamilies: readonly Family[] = [
  sqlServer, deadlocks, managedStorage,
];
