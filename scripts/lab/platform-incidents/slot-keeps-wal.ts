/** A CRM on PostgreSQL with Patroni; Debezium reads its changes through a replication slot. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, LinuxHost, millisecondBounds, serve, type Disk } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

const members = ['pg-crm-a', 'pg-crm-b'];
const walBytes = 96e9;
const usualWal = 31e9;
/** Bytes of WAL per second. An import of contacts has been adding to it for six minutes. */
const written = (world: World, wave: number): number =>
  (world.clock > -360 ? 47e6 : 41e6) * (0.7 + 0.3 * wave);

/** Bytes that the slot of Debezium keeps; they grow while its task has failed. */
function keptOf(world: World, metrics: Metrics, grown: number): number {
  const labels = { slot_name: 'dbz_crm_outbox', slot_type: 'logical', database: 'crm' };
  const before = metrics.value('pg_replication_slots_pg_wal_lsn_diff', labels) ?? 6e7;
  if (world.age !== null) return before + grown;
  return before > 4e8 ? before * 0.96 : 6e7 * world.noise.level('slot', 0.5);
}

function build(world: World): (dt: number) => void {
  const postgres = members.map((name) => world.place({ job: 'postgres', instance: `${name}:9187`,
    cluster: 'crm', stage: 'live' }));
  const volumes: Disk[] = [];
  const hosts = members.map((name) => {
    const wal = { device: 'nvme2n1', mountpoint: '/pgwal', bytes: walBytes, usedBytes: usualWal };
    volumes.push(wal);
    return new LinuxHost(world, world.place({ job: 'node', instance: `${name}:9100`,
      stage: 'live' }), { cores: 16, memory: 128e9, disks: [
      { device: 'nvme0n1p1', mountpoint: '/', bytes: 60e9, usedBytes: 14e9 },
      { device: 'nvme1n1', mountpoint: '/pgdata', bytes: 1.8e12, usedBytes: 9.1e11 }, wal] });
  });
  const connects = [1, 2].map((id) => world.place({ job: 'kafka-connect',
    instance: `connect-${String(id)}:9404`, stage: 'live' }));
  const apis = [1, 2, 3].map((id) => world.place({ job: 'crm-backend',
    instance: `crm-backend-${String(id)}:9090`, stage: 'live' }));
  return (dt) => {
    const wave = demand(world, 'sales', 2);
    const rate = written(world, wave);
    const leader = postgres[0]?.metrics;
    const kept = leader === undefined ? 0 : keptOf(world, leader, rate * dt);
    postgres.forEach(({ metrics }, index) =>
      exposePostgres(world, dt, metrics, { isLeader: index === 0, kept, rate, wave }));
    volumes.forEach((volume, index) => {
      const unrest = 1.6e9 * Math.sin(world.now / 97 + index);
      volume.usedBytes = usualWal + unrest + (index === 0 && kept > 4e8 ? kept : 0);
    });
    hosts.forEach((host, index) => {
      host.busy = index === 0 ? 5.4 * wave : 1.9 * wave;
      host.writes.set('nvme2n1', rate);
      host.writes.set('nvme1n1', 3.8e7 * wave);
      host.ioBusy.set('nvme2n1', 0.16);
      host.step(dt);
    });
    connects.forEach(({ metrics }, index) => exposeConnect(world, dt, metrics, index));
    for (const { metrics, instance } of apis) {
      for (const [resource, share, mean] of [['contacts', 30, 24], ['deals', 22, 31],
        ['activities', 41, 16], ['reports', 1.5, 420]] as const) {
        serve(world, dt, { metrics, name: 'http_request_duration_ms',
          labels: { resource }, status: 'status_class', codes: { '2xx': 1, '4xx': 0.02,
            '5xx': 0.0003 }, rate: share / 3 * wave,
          mean: mean * world.noise.level(`${instance} ${resource}`, 0.07),
          shape: millisecondBounds });
      }
    }
    const importing = world.clock > -360 ? 140 * dt : 0;
    apis[2]?.metrics.add('crm_import_rows_total', { source: 'csv' }, world.noise.count(importing));
  };
}

function exposePostgres(
  world: World,
  dt: number,
  metrics: Metrics,
  { isLeader, kept, rate, wave }: {
    readonly isLeader: boolean; readonly kept: number; readonly rate: number;
    readonly wave: number;
  },
): void {
  const { noise } = world;
  metrics.set('pg_up', {}, 1);
  metrics.set('patroni_primary', { scope: 'crm' }, isLeader ? 1 : 0);
  metrics.set('pg_replication_lag_seconds', {}, isLeader ? 0 : 0.04 * noise.level('lag', 0.4));
  metrics.set('pg_settings_max_slot_wal_keep_size_bytes', {}, -1);
  metrics.add('pg_stat_database_xact_commit', { datname: 'crm' }, isLeader
    ? noise.count(410 * wave * dt) : 0);
  metrics.add('pg_stat_database_tup_inserted', { datname: 'crm' }, isLeader
    ? noise.count((world.clock > -360 ? 980 : 840) * wave * dt) : 0);
  metrics.add('pg_stat_database_deadlocks', { datname: 'crm' }, 0);
  for (const state of ['active', 'idle', 'idle in transaction']) {
    metrics.set('pg_stat_activity_count', { datname: 'crm', state },
      noise.count({ active: 7, idle: 60, 'idle in transaction': 1 }[state] ?? 0));
  }
  if (!isLeader) return;
  metrics.add('pg_wal_written_bytes_total', {}, rate * dt);
  metrics.set('pg_wal_size_bytes', {}, Math.round(usualWal * 0.9 + (kept > 4e8 ? kept : 0)));
  for (const [name, type, bytes, active] of [
    ['pg_crm_b', 'physical', 3e5 * noise.level('standby slot', 0.4), true],
    ['dbz_crm_outbox', 'logical', kept, world.age === null],
    ['airbyte_dwh', 'logical', 9e7 * noise.level('airbyte slot', 0.5), true],
  ] as const) {
    const labels = { slot_name: name, slot_type: type, database: type === 'logical' ? 'crm' : '' };
    metrics.set('pg_replication_slots_pg_wal_lsn_diff', labels, Math.round(bytes));
    metrics.set('pg_replication_slots_active', labels, active ? 1 : 0);
  }
}

/** Two workers, each with one connector; the task of the first one fails. */
function exposeConnect(world: World, dt: number, metrics: Metrics, index: number): void {
  const { noise } = world;
  const connector = ['crm-outbox-source', 'crm-search-sink'][index] ?? '';
  const failed = index === 0 && world.age !== null;
  for (const status of ['running', 'failed', 'paused']) {
    const is = status === (failed ? 'failed' : 'running');
    metrics.set('kafka_connect_connector_task_status', { connector, task: '0', status },
      is ? 1 : 0);
  }
  metrics.add('kafka_connect_task_error_total_record_failures', { connector, task: '0' }, 0);
  metrics.set('jvm_memory_bytes_used', { area: 'heap' },
    Math.round(6.1e8 * noise.level(`connect ${String(index)}`, 0.18)));
  if (index === 1) {
    // A search index is rebuilt at the same time: it takes what has been sent before.
    metrics.add('kafka_connect_sink_task_sink_record_send_total', { connector },
      noise.count((world.age === null ? 60 : 95) * dt));
    return;
  }
  metrics.add('debezium_metrics_TotalNumberOfEventsSeen', { context: 'streaming', name: 'crm' },
    failed ? 0 : noise.count(88 * dt));
  metrics.set('debezium_metrics_Connected', { context: 'streaming', name: 'crm' },
    failed ? 0 : 1);
  metrics.set('debezium_metrics_MilliSecondsSinceLastEvent', { context: 'streaming',
    name: 'crm' }, Math.round(failed ? (world.age ?? 0) * 1000 : 60 * noise.level('since', 0.6)));
}

export const incident = inWorld({
  name: 'slot-keeps-wal',
  what: 'the Debezium task of a CRM fails; its replication slot keeps the WAL of the primary',
  truth: {
    says: '/pgwal of pg-crm-a will be full within half an hour: since T nobody reads the logical '
      + 'slot dbz_crm_outbox, which keeps some 50 MB of WAL a second, as the task of the connector '
      + 'crm-outbox-source failed at T. As much WAL is written as in the minutes before; the '
      + 'import of contacts has been running for six minutes and adds little; standby and the '
      + 'other slots are up to date. Restart the task, or drop the slot before the disk is full.',
    alerts: ['PgWalVolumeFullSoon', 'PgReplicationSlotBehind'],
    cause: /slot|debezium|dbz|crm-outbox|connect(or)?.{0,30}(task|fail)|task.{0,20}fail|\bcdc\b/,
    culprit: /dbz_crm_outbox|crm-outbox-source|debezium|connect-1/,
    holds: [/\bwal\b|pgwal|nvme2n1/, /replication/, /\bfills?\b|full|avail|space|grow/],
    isFalse: [
      /airbyte|pg_crm_b\b/, /^(?!.*(slot|dbz|outbox)).*(import|insert|contacts)/,
      /crm-search-sink|search index/, /standby|pg-crm-b\b/, /release|deploy|version/,
      /traffic (rose|grew)|more requests/, /memory|heap|\bcpu\b/, /backup/, /vacuum/,
    ],
    mayNotBeRuledOut: /slot|debezium|kafka.?connect|connector|\bwal\b/,
    step: /slot|debezium|dbz|connect|outbox|\bwal\b|pgwal|pg_replication_slots/,
  },
  rules: [
    {
      alert: 'PgWalVolumeFullSoon', for: '30s', severity: 'critical', labels: { team: 'dba' },
      expr: 'predict_linear(node_filesystem_avail_bytes{mountpoint="/pgwal"}[3m], 2400) < 0',
      summary: '{{ $labels.mountpoint }} on {{ $labels.instance }} is full in less than 40 min',
    },
    {
      alert: 'PgReplicationSlotBehind', for: '1m', labels: { team: 'dba' },
      expr: 'pg_replication_slots_pg_wal_lsn_diff > 6 * 1024 ^ 3',
      summary: 'Slot {{ $labels.slot_name }} keeps {{ $value | humanize1024 }}B of WAL',
    },
    {
      alert: 'PgStandbyLag', for: '1m', labels: { team: 'dba' },
      expr: 'pg_replication_lag_seconds > 20',
    },
  ],
  firesWithinSeconds: 300,
  proofs: [
    'pg_replication_slots_active{slot_name="dbz_crm_outbox"} == 0',
    'pg_replication_slots_pg_wal_lsn_diff{slot_name="dbz_crm_outbox"} > 3e9',
    'max(pg_replication_slots_pg_wal_lsn_diff{slot_name!="dbz_crm_outbox"}) < 4e8',
    'kafka_connect_connector_task_status{connector="crm-outbox-source",status="failed"} == 1',
    'deriv(node_filesystem_avail_bytes{mountpoint="/pgwal",instance="pg-crm-a:9100"}[1m]) < -3e7',
    'rate(pg_wal_written_bytes_total[1m]) < 1.15 * rate(pg_wal_written_bytes_total[1m] offset 3m)',
    'rate(crm_import_rows_total[5m] offset 4m) > 10',
  ],
  build,
});
