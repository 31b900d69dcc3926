/** Hotel bookings in Django: a migration drops an index, so that a query reads the whole table. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, exposeProcess, LinuxHost } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

interface View {
  readonly view: string;
  readonly method: string;
  readonly rate: number;
  readonly seconds: number;
}

const views: readonly View[] = [
  { view: 'bookings:availability', method: 'GET', rate: 44, seconds: 0.062 },
  { view: 'bookings:create', method: 'POST', rate: 5, seconds: 0.11 },
  { view: 'guests:lookup', method: 'GET', rate: 8, seconds: 0.028 },
  { view: 'rates:calendar', method: 'GET', rate: 19, seconds: 0.085 },
  { view: 'healthcheck', method: 'GET', rate: 1, seconds: 0.004 },
];
const shape = { bounds: [0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 25],
  steepness: 4 };
const rowsOfGuests = 3.9e6;
/** The queries of guests:lookup read the table since the migration, 8 s after the beginning. */
const isScanning = (world: World): boolean => world.age !== null && world.age > 8;

interface Table {
  readonly relname: string;
  readonly live: number;
  /** Index scans and sequential scans per second. */
  readonly indexScans: number;
  readonly sequential: number;
}

const tables: readonly Table[] = [
  { relname: 'bookings_booking', live: 8.4e6, indexScans: 160, sequential: 0.002 },
  { relname: 'guests_guest', live: rowsOfGuests, indexScans: 41, sequential: 0.001 },
  { relname: 'rates_rate', live: 1.2e6, indexScans: 230, sequential: 0.004 },
  { relname: 'django_session', live: 3e5, indexScans: 90, sequential: 0 },
  { relname: 'hotels_hotel', live: 410, indexScans: 12, sequential: 31 },
];

function build(world: World): (dt: number) => void {
  const web = [1, 2, 3, 4].map((id) => world.place({ job: 'django', instance:
    `booking-web-${String(id)}.prod:8001`, product: 'innkeeper' }));
  const celery = world.place({ job: 'celery', instance: 'channel-sync-1.prod:9808',
    product: 'innkeeper' });
  const database = world.place({ job: 'postgres-exporter', instance: 'pg-innkeeper.prod:9187',
    product: 'innkeeper' });
  const host = new LinuxHost(world, world.place({ job: 'node', instance: 'pg-innkeeper.prod:9100',
    product: 'innkeeper' }), { cores: 8, memory: 64e9, disks: [
    { device: 'sda2', mountpoint: '/', bytes: 80e9, usedBytes: 20e9 },
    { device: 'sdb', mountpoint: '/var/lib/postgresql', bytes: 1e12, usedBytes: 4.1e11 },
  ] });
  return (dt) => {
    const wave = demand(world, 'guests', 1);
    for (const endpoint of web) {
      const { metrics, instance } = endpoint;
      serveViews(world, dt, metrics, { wave, instance });
      exposeProcess(world, endpoint, dt, { cpu: 0.8 * wave,
        memory: 3.4e8, startedAt: world.origin - 3 * 86_400 });
    }
    web[0]?.metrics.set('django_migrations_applied_total', { connection: 'default' },
      isScanning(world) || world.ageOfAll !== null && world.ageOfAll > 8 ? 412 : 411);
    web[0]?.metrics.set('django_migrations_unapplied_total', { connection: 'default' }, 0);
    syncChannels(world, dt, celery);
    exposeDatabase(world, dt, database.metrics, wave);
    host.busy = isScanning(world) ? 7.4 : 1.9 * wave;
    host.ioBusy.set('sdb', 0.07);
    host.reads.set('sdb', 2.1e6);
    host.writes.set('sdb', 4e6 * wave);
    host.step(dt);
  };
}

function serveViews(
  world: World,
  dt: number,
  metrics: Metrics,
  { wave, instance }: { readonly wave: number; readonly instance: string },
): void {
  for (const { view, method, rate, seconds } of views) {
    // Others wait for the processors of the database; the health check asks nothing of it.
    const factor = !isScanning(world) || view === 'healthcheck' ? 1
      : view === 'guests:lookup' ? 70 : 1.9;
    const count = world.noise.count(rate / 4 * wave * dt);
    metrics.observe('django_http_requests_latency_seconds_by_view_method', { view, method }, count,
      seconds * factor * world.noise.level(`${instance} ${view}`, 0.07), shape);
    const failed = world.noise.count(count * 0.0005);
    for (const [status, some] of [['200', count - failed], ['500', failed]] as const) {
      metrics.add('django_http_responses_total_by_status_view_method_total',
        { status, view, method }, some);
    }
    metrics.add('django_db_execute_total', { alias: 'default', vendor: 'postgresql' },
      count * (view === 'healthcheck' ? 0 : 4));
  }
}

/** Released a minute and a half before; it sends prices to other sites. */
function syncChannels(world: World, dt: number, celery: ReturnType<World['place']>): void {
  const { metrics } = celery;
  if (world.passes(-20, dt)) metrics.clear();
  const isNew = world.clock > -20;
  metrics.set('app_info', { release: isNew ? '2026.48.1' : '2026.47.3' }, 1);
  metrics.set('celery_queue_length', { queue_name: 'channel-sync' }, world.noise.count(14));
  metrics.add('celery_task_succeeded_total', { name: 'sync.push_rates' },
    world.noise.count(3.2 * dt));
  metrics.add('celery_task_failed_total', { name: 'sync.push_rates' },
    world.noise.count(0.02 * dt));
  exposeProcess(world, celery, dt, { cpu: 0.5, memory: 2.6e8,
    startedAt: isNew ? world.origin + 86_400 - 20 : world.origin - 6 * 86_400 });
}

function exposeDatabase(world: World, dt: number, metrics: Metrics, wave: number): void {
  const { noise } = world;
  const scanning = isScanning(world);
  for (const { relname, live, indexScans, sequential } of tables) {
    const labels = { datname: 'innkeeper', schemaname: 'public', relname };
    const isHit = scanning && relname === 'guests_guest';
    const scans = sequential + (isHit ? 8 * wave : 0);
    metrics.add('pg_stat_user_tables_seq_scan', labels, noise.count(scans * dt));
    metrics.add('pg_stat_user_tables_seq_tup_read', labels, scans * live * dt);
    metrics.add('pg_stat_user_tables_idx_scan', labels,
      noise.count((indexScans - (isHit ? 8 : 0)) * wave * dt));
    metrics.set('pg_stat_user_tables_n_live_tup', labels, live);
    metrics.set('pg_stat_user_tables_n_dead_tup', labels,
      Math.round(live * 0.03 * noise.level(`dead ${relname}`, 0.2)));
    // The vacuum of another table ends while all this goes on.
    metrics.add('pg_stat_user_tables_autovacuum_count', labels,
      relname === 'rates_rate' && world.age !== null && world.passes(140, dt) ? 1 : 0);
  }
  for (const [queryid, query, rate, seconds] of [
    ['7710394', 'SELECT guests_guest WHERE upper(email) = $1', 8, scanning ? 1.7 : 0.0009],
    ['1904417', 'SELECT bookings_booking WHERE hotel_id = $1', 60, scanning ? 0.021 : 0.009],
    ['5521973', 'SELECT rates_rate WHERE plan_id = $1', 95, scanning ? 0.012 : 0.005],
    ['2280651', 'INSERT INTO bookings_booking', 5, scanning ? 0.009 : 0.004],
  ] as const) {
    const labels = { queryid, query, datname: 'innkeeper' };
    const calls = noise.count(rate * wave * dt);
    metrics.add('pg_stat_statements_calls_total', labels, calls);
    metrics.add('pg_stat_statements_exec_seconds_total', labels, calls * seconds);
  }
  const active = scanning ? 22 : 2.5 * wave;
  metrics.set('pg_stat_activity_count', { datname: 'innkeeper', state: 'active' },
    noise.count(active));
  metrics.set('pg_stat_activity_count', { datname: 'innkeeper', state: 'idle' },
    noise.count(50));
  metrics.set('pg_settings_max_connections', {}, 300);
  metrics.set('pg_indexes_count', { datname: 'innkeeper', relname: 'guests_guest' },
    world.ageOfAll !== null && world.ageOfAll > 8 && world.age !== null ? 4 : 5);
  metrics.add('pg_stat_database_blks_hit', { datname: 'innkeeper' },
    (9000 * wave + (scanning ? 610_000 : 0)) * dt);
  metrics.add('pg_stat_database_blks_read', { datname: 'innkeeper' }, 60 * wave * dt);
}

export const incident = inWorld({
  name: 'index-dropped',
  what: 'a migration drops an index of guests_guest; each guest lookup reads 3.9 million rows',
  truth: {
    says: 'The database pg-innkeeper has its eight cores full since T because every query of '
      + 'guests:lookup (upper(email)) reads all 3.9 million rows of guests_guest: sequential scans '
      + 'of this table went from none to 8 a second, index scans fell, since the migration 412, '
      + 'which dropped an index (4 where there were 5). No more requests. channel-sync 2026.48.1 '
      + 'shortly before is coincidence. Create the index again, concurrently.',
    alerts: ['DjangoViewSlow', 'PostgresHostCpuHigh'],
    cause: /guests_guest|seq(uential|_)|full.?(table )?scan|\bindex|migration|query plan|7710394/,
    culprit: /guests_guest|guests:lookup|7710394|migration/,
    holds: [/database|postgres|pg-innkeeper|quer(y|ies)/, /\bcpu\b|load|busy/, /guests/,
      /blks_hit|buffer/],
    isFalse: [
      /channel-sync|celery|2026\.48\.1/, /autovacuum/,
      /traffic (rose|grew)|more (requests|traffic)/, /memory|leak/, /\bdisk\b|\bsdb\b/,
      /\block(s|ed)?\b/, /connection (pool|limit|leak)/,
    ],
    mayNotBeRuledOut: /guests|seq\w*.?scan|\bindex|migration|slow quer/,
    step: /guests|seq_|scan|index|migration|quer(y|ies)|pg_stat|explain/,
  },
  rules: [
    {
      alert: 'DjangoViewSlow', for: '30s', severity: 'critical', labels: { team: 'innkeeper' },
      expr: 'histogram_quantile(0.95, sum by (le, view) (rate('
        + 'django_http_requests_latency_seconds_by_view_method_bucket[1m]))) > 1',
      summary: 'p95 of {{ $labels.view }} is {{ $value | humanizeDuration }}',
    },
    {
      alert: 'PostgresHostCpuHigh', for: '1m', labels: { team: 'dba' },
      expr: '1 - avg by (instance) (rate(node_cpu_seconds_total{mode="idle"}[1m])) > 0.85',
    },
    {
      alert: 'PostgresActiveSessionsHigh', for: '5m', labels: { team: 'dba' },
      expr: 'pg_stat_activity_count{state="active"} > 60',
    },
  ],
  proofs: [
    'rate(pg_stat_user_tables_seq_tup_read{relname="guests_guest"}[1m]) > 1e7',
    'max(rate(pg_stat_user_tables_seq_tup_read{relname!="guests_guest"}[1m])) < 1e6',
    'rate(pg_stat_statements_exec_seconds_total{queryid="7710394"}[1m]) > 5',
    'django_migrations_applied_total == 412', 'pg_indexes_count == 4',
    'histogram_quantile(0.5, sum by (le) (rate(django_http_requests_latency_seconds_by_view_method'
      + '_bucket{view="guests:lookup"}[1m]))) > 1',
    'app_info{release="2026.48.1"}',
  ],
  build,
});
