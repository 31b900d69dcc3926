import { metrics, names, promql, shell, type Cause, type Family } from '../family.ts';
import { ofTarget, psql } from '../usual-checks.ts';

const at = 'job="{job}",instance="{instance}",datname="{datname}"';

/** Rows inserted, updated and deleted per second. */
const written = (over: string): string => `sum(rate(pg_stat_database_tup_inserted{${at}}[${over}])
  + rate(pg_stat_database_tup_updated{${at}}[${over}])
  + rate(pg_stat_database_tup_deleted{${at}}[${over}]))`;

const moreWrites: Cause = {
  id: 'writes', cause: 'Far more rows are written than in the hour before',
  mechanism: 'An import, a migration or a batch fills the log between two timed checkpoints.',
  test: promql(`${written('5m')} / ${written('1h')}`, { atLeast: 2, notUpTo: 1.2 }),
};

const cache: Family = {
  id: 'postgres-cache',
  names: names('(?:postgres(?:ql)?|pg)\\w*(?:cache|buffer)\\w*(?:hit|miss|ratio|low)\\w*'),
  metrics: metrics('(?:cnpg_)?pg_stat_database_blks_(?:hit|read)(?:_total)?'),
  meaning: 'PostgreSQL finds less of what it reads in its buffers, and asks the system for it.',
  impact: 'Queries wait for the disk, unless the system still has the blocks in memory.',
  unit: 'ratio',
  causes: [
    {
      id: 'scan', cause: 'Whole tables are read',
      mechanism: 'A report, an export or a missing index reads blocks that nobody else needs.',
      test: promql(`sum(rate(pg_stat_database_tup_returned{${at}}[5m]))
        / sum(rate(pg_stat_database_tup_fetched{${at}}[5m]))`, { atLeast: 20, notUpTo: 2 }),
    },
    {
      id: 'restarted', cause: 'The server has just started',
      mechanism: 'Its buffers are empty until queries have filled them.',
      test: promql(`min(time() - pg_postmaster_start_time_seconds{${ofTarget}})`,
        { atMost: 900, notFrom: 7200 }),
    },
    {
      id: 'smaller', cause: 'It has fewer buffers than before',
      mechanism: 'shared_buffers was lowered, with the restart that this takes.',
      test: promql(`min(pg_settings_shared_buffers_bytes{${ofTarget}}
        / max_over_time(pg_settings_shared_buffers_bytes{${ofTarget}}[1d]))`,
        { atMost: 0.9, notFrom: 1 }),
      isDirect: true,
    },
  ],
  steps: [
    {
      action: 'See which tables are read past the buffers.',
      why: 'The one that leads, and whether it is scanned, lead to the query.',
      command: promql(`topk(5, sum by (relname) (
        rate(pg_statio_user_tables_heap_blks_read{${at}}[5m])))`),
    },
    {
      action: 'List what runs now, the longest first.',
      why: 'An export or a report shows with its application and its statement.',
      command: shell(`${psql} -x -c 'select pid, usename, application_name, ` +
        "now() - query_start as runs, wait_event_type, query from pg_stat_activity " +
        "where state <> $$idle$$ and backend_type = $$client backend$$ " +
        "order by query_start limit 10'"),
    },
  ],
};

const checkpoints: Family = {
  id: 'postgres-checkpoints',
  names: names('(?:postgres(?:ql)?|pg)\\w*checkpoint\\w*'),
  metrics: metrics(`(?:cnpg_)?pg_stat_(?:bgwriter|checkpointer)_\\w*
    (?:checkpoint|_req|_timed)\\w*`),
  meaning: 'Checkpoints are made because the log is full rather than because it is time.',
  impact: 'Each writes all changed blocks at once; commits slow down, and the log grows further.',
  causes: [
    {
      id: 'limit', cause: 'max_wal_size was lowered',
      mechanism: 'The same writes fill a smaller log sooner.',
      test: promql(`min(pg_settings_max_wal_size_bytes{${ofTarget}}
        / max_over_time(pg_settings_max_wal_size_bytes{${ofTarget}}[1h]))`,
        { atMost: 0.9, notFrom: 1 }),
      isDirect: true,
    },
    moreWrites,
  ],
  steps: [
    {
      action: 'Read the limit and the interval of checkpoints.',
      why: 'max_wal_size should hold what is written within checkpoint_timeout.',
      command: shell(`${psql} -c 'select name, setting, unit, source from pg_settings where name ` +
        "in ($$max_wal_size$$, $$checkpoint_timeout$$, $$checkpoint_completion_target$$)'"),
      expected: 'A limit above what is written in that time.',
    },
    {
      action: 'See which tables change most.',
      why: 'The table leads to the import or the batch.',
      command: promql(`topk(5, sum by (relname) (rate(pg_stat_user_tables_n_tup_ins{${at}}[5m])
        + rate(pg_stat_user_tables_n_tup_upd{${at}}[5m])
        + rate(pg_stat_user_tables_n_tup_del{${at}}[5m])))`),
    },
    {
      action: 'Raise max_wal_size when the writes are wanted; a reload is enough.',
      why: 'The log may then grow until the next timed checkpoint.',
      expected: 'checkpoints_req stops rising.',
      risk: 'low: the log takes more disk, and recovery after a crash more time',
      undo: 'Set it back and reload.',
    },
  ],
};

export const postgresIoFamilies: readonly Family[] = [cache, checkpoints];
