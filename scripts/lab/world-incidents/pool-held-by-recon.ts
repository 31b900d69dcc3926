/** A bank's ledger in Python behind one PgBouncer pool that four applications share. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, exposeProcess, goBounds, LinuxHost, serve } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

interface App {
  readonly name: string;
  readonly count: number;
  /** Requests per second of all, and seconds of a request; none of a worker. */
  readonly rate: number;
  readonly seconds: number;
  /** Connections in use when all is well, of each process. */
  readonly usual: number;
}

const apps: readonly App[] = [
  { name: 'ledger-api', count: 3, rate: 38, seconds: 0.045, usual: 1.1 },
  { name: 'cards-api', count: 2, rate: 22, seconds: 0.06, usual: 0.9 },
  { name: 'statements', count: 2, rate: 3, seconds: 0.3, usual: 0.7 },
  { name: 'recon-worker', count: 2, rate: 0, seconds: 0, usual: 0.5 },
];
const poolSize = 40;
/** Connections that recon-worker-2 has taken and not given back. */
const heldOf = (world: World): number => world.age === null ? 0 : Math.min(36, world.age * 0.9);

function build(world: World): (dt: number) => void {
  const processes = apps.flatMap((app) => Array.from({ length: app.count }, (_, index) => {
    const host = `py-${String(1 + (index + app.name.length) % 3)}.dc1.bank.example`;
    const endpoint = world.place({
      job: app.name, instance: `${host}:${9200 + apps.indexOf(app) * 10 + index}`,
      environment: 'production', process: `${app.name}-${index + 1}`,
    });
    return { app, index, endpoint };
  }));
  const bouncer = world.place({ job: 'pgbouncer', instance: 'pgb-1.dc1.bank.example:9127',
    environment: 'production' });
  const postgres = world.place({ job: 'postgresql', instance: 'pg-ledger-1.dc1.bank.example:9187',
    environment: 'production' });
  const hosts = ['py-1', 'py-2', 'py-3', 'pg-ledger-1'].map((name) => new LinuxHost(world,
    world.place({ job: 'linux', instance: `${name}.dc1.bank.example:9100`,
      environment: 'production' }),
    { cores: 4, memory: 32e9, disks: [
      { device: 'sda1', mountpoint: '/', bytes: 100e9, usedBytes: 38e9 },
    ] }));
  return (dt) => {
    const wave = demand(world, 'customers', 1);
    const held = heldOf(world);
    const free = poolSize - held;
    const wanted = 7.2 * wave;
    const lack = Math.max(0, 1 - free / wanted);
    for (const { app, index, endpoint } of processes) {
      const isNew = app.name === 'cards-api' && world.clock > -110;
      if (app.name === 'cards-api' && world.passes(-110, dt)) endpoint.metrics.clear();
      exposeProcess(world, endpoint, dt, {
        cpu: 0.2, memory: 190e6,
        startedAt: isNew ? world.origin + 86_400 - 110 : world.origin - 5 * 86_400,
      });
      endpoint.metrics.set('python_info', { implementation: 'CPython', version: '3.12.7' }, 1);
      const revision = isNew ? 'c91f0de' : 'aa07b31';
      endpoint.metrics.set('app_revision_info', { revision }, 1);
      const waiting = world.noise.level(`${app.name} ${index}`, 0.1) * lack * 26;
      if (app.rate > 0) serveHttp(world, dt, endpoint.metrics, { app, wave, lack, waiting });
      const leaks = app.name === 'recon-worker' && index === 1;
      const out = leaks ? Math.round(held) : 0;
      endpoint.metrics.set('sqlalchemy_pool_checkedout_connections', { engine: 'ledger' },
        out + world.noise.count(app.usual * wave));
      if (app.name === 'recon-worker') reconcile(world, dt, endpoint.metrics, leaks && held > 0);
      for (const generation of ['0', '1', '2']) {
        endpoint.metrics.add('python_gc_collections_total', { generation },
          dt * 0.4 / 9 ** Number(generation));
      }
    }
    exposeBouncer(world, dt, bouncer.metrics, { wave, held, lack });
    exposePostgres(world, dt, postgres.metrics, { wave, held, lack });
    for (const host of hosts) host.step(dt);
  };
}

function serveHttp(
  world: World,
  dt: number,
  metrics: Metrics,
  { app, wave, lack, waiting }: {
    readonly app: App; readonly wave: number; readonly lack: number; readonly waiting: number;
  },
): void {
  const paths: Readonly<Record<string, string>> = {
    'ledger-api': '/v1/postings', 'cards-api': '/v1/authorisations', statements: '/statements/<id>',
  };
  serve(world, dt, {
    metrics, name: 'flask_http_request_duration_seconds',
    labels: { method: app.name === 'statements' ? 'GET' : 'POST', path: paths[app.name] ?? '/' },
    status: 'status', codes: { 200: 1, 500: 0.0004 + lack * 0.8 },
    rate: app.rate / app.count * wave, mean: app.seconds + waiting, shape: goBounds,
  });
  serve(world, dt, {
    metrics, name: 'flask_http_request_duration_seconds',
    labels: { method: 'GET', path: '/healthz' }, status: 'status', codes: { 200: 1 },
    rate: 0.2, mean: 0.003, shape: goBounds,
  });
  const timeouts = world.noise.count(app.rate / app.count * lack * 0.8 * dt);
  metrics.add('app_exceptions_total', { type: 'sqlalchemy.exc.TimeoutError' }, timeouts);
}

/** A file of a partner that cannot be read makes it raise, on a path that closes no session. */
function reconcile(world: World, dt: number, metrics: Metrics, isRaising: boolean): void {
  const runs = world.noise.count(0.95 * dt);
  metrics.add('recon_runs_total', { result: 'ok' }, isRaising ? 0 : runs);
  metrics.add('recon_runs_total', { result: 'error' }, isRaising ? runs : 0);
  metrics.add('app_exceptions_total', { type: 'recon.errors.PartnerFileError' },
    isRaising ? runs : 0);
  metrics.set('recon_files_pending', {}, world.noise.count(isRaising ? 9 : 1.5));
}

function exposeBouncer(
  world: World,
  dt: number,
  metrics: Metrics,
  { wave, held, lack }: { readonly wave: number; readonly held: number; readonly lack: number },
): void {
  for (const [database, size] of [['ledger', poolSize], ['audit', 20]] as const) {
    const labels = { database, user: `${database}_rw` };
    const isLedger = database === 'ledger';
    const used = isLedger ? Math.min(size, held + world.noise.count(7.2 * wave * (1 - lack)))
      : world.noise.count(2 * wave);
    const waiting = isLedger ? Math.round(lack * 60 * wave * Math.min(1, lack * 2)) : 0;
    metrics.set('pgbouncer_databases_pool_size', { name: database, database,
      force_user: labels.user },
      size);
    metrics.set('pgbouncer_pools_server_active_connections', labels, Math.round(used));
    metrics.set('pgbouncer_pools_server_idle_connections', labels, Math.round(size - used));
    metrics.set('pgbouncer_pools_client_active_connections', labels, Math.round(used + 3));
    metrics.set('pgbouncer_pools_client_waiting_connections', labels, waiting);
    metrics.set('pgbouncer_pools_client_maxwait_seconds', labels, waiting > 0 ? 29.6 * lack : 0);
    const queries = isLedger ? 190 * wave * (1 - lack) : 30 * wave;
    metrics.add('pgbouncer_stats_queries_pooled_total', { database }, queries * dt);
    metrics.add('pgbouncer_stats_client_wait_seconds_total', { database },
      (isLedger ? 0.01 + waiting : 0.01) * dt);
  }
  metrics.set('pgbouncer_up', {}, 1);
}

function exposePostgres(
  world: World,
  dt: number,
  metrics: Metrics,
  { wave, held, lack }: { readonly wave: number; readonly held: number; readonly lack: number },
): void {
  const states = {
    active: world.noise.count(4 * wave * (1 - lack)), idle: Math.round(28 - Math.min(20, held)),
    'idle in transaction': Math.round(held) + world.noise.count(0.8),
  };
  for (const [state, count] of Object.entries(states)) {
    metrics.set('pg_stat_activity_count', { datname: 'ledger', usename: 'ledger_rw', state },
      count);
  }
  metrics.set('pg_stat_activity_max_tx_duration', { datname: 'ledger',
    state: 'idle in transaction' },
    world.age === null ? world.noise.count(0.5) : world.age);
  metrics.set('pg_settings_max_connections', {}, 200);
  metrics.add('pg_stat_database_xact_commit', { datname: 'ledger' }, 120 * wave * (1 - lack) * dt);
  metrics.add('pg_stat_database_xact_rollback', { datname: 'ledger' }, 0.2 * dt);
  metrics.set('pg_locks_count', { datname: 'ledger', mode: 'rowexclusivelock' },
    world.noise.count(3));
  metrics.set('pg_up', {}, 1);
}

export const incident = inWorld({
  name: 'pool-held-by-recon',
  what: 'recon-worker-2 raises on a partner file and keeps a connection each time; the pool is '
    + 'empty',
  truth: {
    says: 'Clients of the PgBouncer pool ledger wait since its 40 server connections are in use. '
      + 'recon-worker-2 holds 36 of them, idle in transaction: since T each of its runs fails with '
      + 'a PartnerFileError and keeps its connection. ledger-api, cards-api and statements only '
      + 'wait, with no more requests than before; PostgreSQL has nothing to do. The release of '
      + 'cards-api two minutes before is innocent. Restart recon-worker-2.',
    alerts: ['PgBouncerClientsWaiting', 'ApiErrorBudgetBurn'],
    cause: /recon|PartnerFile|idle in transaction|checked.?out|\bh[eo]ld\b|leak|returned/,
    culprit: /recon/,
    holds: [/pool|connection|idle in transaction|max_tx_duration/, /ledger/],
    isFalse: [
      /cards-api/, /c91f0de/, /release|revision/, /traffic|more requests/, /\bcpu\b|\bhost\b|disk/,
      /memory/, /network/, /audit/, /slow quer/,
    ],
    mayNotBeRuledOut: /recon|connection|pool|leak/,
    step: /recon|pgbouncer|idle in transaction|pg_stat_activity|SHOW (CLIENTS|POOLS|SERVERS)|pool/,
  },
  rules: [
    {
      alert: 'PgBouncerClientsWaiting', for: '30s', severity: 'critical',
      labels: { team: 'database-reliability' },
      expr: 'pgbouncer_pools_client_waiting_connections > 5',
      annotations: { message: '{{ $value }} clients wait for {{ $labels.database }}' },
    },
    {
      alert: 'ApiErrorBudgetBurn', for: '30s', labels: { team: 'ledger' },
      expr: 'sum by (job) (rate(flask_http_request_duration_seconds_count{status=~"5.."}[2m])) '
        + '/ sum by (job) (rate(flask_http_request_duration_seconds_count[2m])) > 14.4 * 0.005',
    },
    {
      alert: 'PostgresTooManyConnections', labels: { team: 'database-reliability' },
      expr: 'sum by (instance) (pg_stat_activity_count) > 0.8 * '
        + 'sum by (instance) (pg_settings_max_connections)',
    },
  ],
  proofs: [
    'sqlalchemy_pool_checkedout_connections{process="recon-worker-2"} > 30',
    'max(sqlalchemy_pool_checkedout_connections{process!="recon-worker-2"}) < 9',
    'pgbouncer_pools_client_waiting_connections{database="ledger"} > 5',
    'pgbouncer_pools_server_active_connections{database="ledger"} >= 36',
    'pg_stat_activity_count{state="idle in transaction"} > 30',
    'rate(recon_runs_total{process="recon-worker-2",result="error"}[1m]) > 0.5',
    'sum(rate(pg_stat_database_xact_commit[1m])) < 0.8 * '
      + 'sum(rate(pg_stat_database_xact_commit[1m] offset 5m))',
  ],
  build,
});
