/** A warehouse on ClickHouse, where a rollup takes the processors for five minutes each hour. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, exposeProcess, LinuxHost, serve } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

const names = ['dwh-1', 'dwh-2', 'dwh-3'];
const rollupHost = 'dwh-3';
/** When it began in each hour of the past, by the clock; it takes between 270 and 310 s. */
const beginsAt = 60;

/** Seconds since the rollup that runs now began; null if none runs. */
function runningFor(world: World): number | null {
  const age = world.ageOfAll;
  if (world.clock >= -200) return age !== null && age < 295 ? age : null;
  const since = (((world.clock - beginsAt) % 3600) + 3600) % 3600;
  const run = Math.floor((world.clock - beginsAt) / 3600);
  return since < 270 + Math.abs(run * 17) % 40 ? since : null;
}

function build(world: World): (dt: number) => void {
  const clickhouse = names.map((name) =>
    world.place({ job: 'clickhouse', instance: `${name}.bi.lan:9363`, team: 'bi' }));
  const hosts = names.map((name) => ({ name, host: new LinuxHost(world,
    world.place({ job: 'node', instance: `${name}.bi.lan:9100`, team: 'bi' }),
    { cores: 16, memory: 128e9, disks: [
      { device: 'md0', mountpoint: '/', bytes: 4e11, usedBytes: 9e10 },
      { device: 'nvme0n1', mountpoint: '/var/lib/clickhouse', bytes: 7e12, usedBytes: 3.9e12 },
    ] }) }));
  const units = world.place({ job: 'systemd', instance: 'dwh-3.bi.lan:9558', team: 'bi' });
  const superset = world.place({ job: 'superset', instance: 'superset.bi.lan:8088', team: 'bi' });
  const loader = world.place({ job: 'event-loader', instance: 'loader-1.bi.lan:2112', team: 'bi' });
  return (dt) => {
    const wave = demand(world, 'analysts', 1);
    const since = runningFor(world);
    clickhouse.forEach(({ metrics }, index) => {
      exposeClickHouse(world, dt, metrics, {
        name: names[index] ?? '', wave, isRolling: since !== null && names[index] === rollupHost,
      });
    });
    for (const { name, host } of hosts) {
      const isRolling = since !== null && name === rollupHost;
      host.busy = isRolling ? 15 : 3.4 * wave;
      host.reads.set('nvme0n1', isRolling ? 2.4e8 : 3e7 * wave);
      host.writes.set('nvme0n1', isRolling ? 9e7 : 2.2e7);
      host.ioBusy.set('nvme0n1', isRolling ? 0.3 : 0.08);
      host.step(dt);
    }
    exposeUnits(world, dt, units.metrics, since);
    for (const [dashboard, rate, mean] of [['revenue', 0.8, 0.9], ['funnel', 1.3, 0.5],
      ['ops', 2.2, 0.2]] as const) {
      serve(world, dt, { metrics: superset.metrics, name: 'superset_chart_query_seconds',
        labels: { dashboard }, status: 'state', codes: { success: 1, failed: 0.002 },
        rate: rate * wave, mean: mean * world.noise.level(dashboard, 0.08),
        shape: { bounds: [0.1, 0.3, 1, 3, 10, 30], steepness: 4 } });
    }
    // The loader is released just as a rollup begins.
    const age = world.ageOfAll;
    const isNew = age !== null;
    if (age !== null && age <= dt + 0.01) loader.metrics.clear();
    loader.metrics.remove('loader_build_info');
    loader.metrics.set('loader_build_info', { version: isNew ? '0.61.0' : '0.60.4' }, 1);
    loader.metrics.add('loader_rows_total', { table: 'events' },
      world.noise.count(5200 * wave * dt));
    loader.metrics.set('loader_lag_seconds', {}, 4 * world.noise.level('loader lag', 0.25));
    exposeProcess(world, loader, dt, { cpu: 0.7, memory: 4e8,
      startedAt: age === null ? world.origin - 9e5 : Math.round(world.now - age) });
  };
}

function exposeClickHouse(
  world: World,
  dt: number,
  metrics: Metrics,
  { name, wave, isRolling }: {
    readonly name: string; readonly wave: number; readonly isRolling: boolean;
  },
): void {
  const { noise } = world;
  const queries = noise.count(7 * wave * dt) + (isRolling ? noise.count(0.4 * dt) : 0);
  metrics.add('ClickHouseProfileEvents_SelectQuery', {}, queries);
  metrics.add('ClickHouseProfileEvents_InsertQuery', {}, noise.count(2 * dt));
  metrics.add('ClickHouseProfileEvents_FailedQuery', {}, noise.count(0.006 * dt));
  metrics.add('ClickHouseProfileEvents_InsertedRows', {},
    (5200 * wave + (isRolling ? 61_000 : 0)) / 3 * dt);
  metrics.set('ClickHouseMetrics_Query', {}, noise.count(3 * wave) + (isRolling ? 1 : 0));
  metrics.set('ClickHouseMetrics_MemoryTracking', {},
    Math.round((2.1e10 + (isRolling ? 1.7e10 : 0)) * noise.level(`${name} tracking`, 0.04)));
  metrics.set('ClickHouseMetrics_BackgroundMergesAndMutationsPoolTask', {}, noise.count(4));
  metrics.set('ClickHouseMetrics_ReadonlyReplica', {}, 0);
  metrics.set('ClickHouseAsyncMetrics_MaxPartCountForPartition', {},
    Math.round(41 * noise.level(`${name} parts`, 0.1)));
  metrics.set('ClickHouseAsyncMetrics_ReplicasMaxAbsoluteDelay', {}, noise.count(0.4));
  metrics.set('ClickHouseAsyncMetrics_Uptime', {}, 3_100_000 + Math.round(world.clock));
}

/** Each unit of systemd on the host of the rollup. */
function exposeUnits(world: World, dt: number, metrics: Metrics, since: number | null): void {
  const isRolling = since !== null;
  for (const [name, cores] of [['hourly-rollup.service', isRolling ? 12.2 : 0],
    ['clickhouse-server.service', isRolling ? 3.6 : 3.1], ['ssh.service', 0.002],
    ['vector.service', 0.08]] as const) {
    metrics.add('systemd_unit_cpu_seconds_total', { name }, cores * dt);
    const isActive = name !== 'hourly-rollup.service' || isRolling;
    metrics.set('systemd_unit_state', { name, state: 'active', type: 'simple' }, isActive ? 1 : 0);
  }
  metrics.set('systemd_timer_last_trigger_seconds', { name: 'hourly-rollup.timer' },
    since === null ? metrics.value('systemd_timer_last_trigger_seconds',
      { name: 'hourly-rollup.timer' }) ?? 0 : Math.round(world.now - since));
  metrics.add('rollup_runs_total', { result: 'success' }, isRolling && since <= dt ? 1 : 0);
}

export const incident = inWorld({
  name: 'rollup-each-hour',
  what: 'the hourly rollup takes the processors of dwh-3 for five minutes, as in every hour',
  truth: {
    says: 'Nothing is wrong: dwh-3 is at 94 % CPU for the five minutes of hourly-rollup, as in '
      + 'each '
      + 'hour of the day that is known, 24 times; it ends by itself, and queries of the dashboards '
      + 'are as fast as otherwise. The release of the loader is coincidence. Let the rule wait ten '
      + 'minutes, or leave this host out.',
    alerts: ['HostHighCpuLoad'],
    classifications: ['noisy', 'informational'],
    cause: /(each|every) hour|hourly|rollup|regular|periodic|recurr|\d+ times a day/,
    culprit: null,
    holds: [/rollup/, /hour/, /ordinary|regular/],
    isFalse: [
      /loader|0\.61\.0/, /release|version/, /traffic|more (requests|queries)/, /clickhouse-server/,
      /dwh-[12]/, /memory|leak/, /\bdisk\b|nvme/, /superset|dashboard/, /network/,
    ],
    mayNotBeRuledOut: /rollup|hour|regular|threshold/,
    step: /threshold|rule|for:|wait|rollup|timer|schedule|silence/,
    hasNoOnset: true,
  },
  rules: [
    {
      alert: 'HostHighCpuLoad', for: '30s',
      expr: '100 - (avg by (instance) (rate(node_cpu_seconds_total{mode="idle"}[1m])) * 100) > 80',
      summary: 'Host high CPU load (instance {{ $labels.instance }})',
      annotations: {
        description: 'CPU load is > 80%\n  VALUE = {{ $value }}\n  LABELS = {{ $labels }}',
      },
    },
    {
      alert: 'DashboardsSlow', labels: { team: 'bi' },
      expr: 'histogram_quantile(0.9, sum by (le, dashboard) '
        + '(rate(superset_chart_query_seconds_bucket'
        + '[5m]))) > 5',
    },
  ],
  firesWithinSeconds: 200,
  proofs: [
    '100 - (avg by (instance) (rate(node_cpu_seconds_total{mode="idle",instance=~"dwh-3.*"}[1m])) '
      + '* 100) > 85',
    'count_over_time(((100 - (avg by (instance) (rate(node_cpu_seconds_total{mode="idle",'
      + 'instance=~"dwh-3.*"}[1m])) * 100)) > 80)[6h:1m]) > 18',
    'rate(systemd_unit_cpu_seconds_total{name="hourly-rollup.service"}[1m]) > 10',
    'max(sum(rate(superset_chart_query_seconds_sum[5m])) / '
      + 'sum(rate(superset_chart_query_seconds_count[5m]))) < 0.8',
    'loader_build_info{version="0.61.0"}',
  ],
  build,
});
