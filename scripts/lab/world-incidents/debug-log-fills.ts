/** An exchange's order routers in .NET on Windows. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, serve } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

const machines = ['ORDRT-WIN-01', 'ORDRT-WIN-02', 'ORDRT-WIN-03', 'MDGW-WIN-01'];
const bad = 'ORDRT-WIN-02';
const logs = 'D:\\Logs\\OrderRouter';
/** Bytes per second that the router logs. */
const usualBytes = 34_000;
const debugBytes = 46e6;

const isDebug = (world: World, machine: string): boolean => machine === bad && world.age !== null;

function build(world: World): (dt: number) => void {
  const windows = machines.map((machine) => world.place({ job: 'windows_exporter',
    datacenter: 'FR2',
    instance: machine }));
  const routers = machines.slice(0, 3).map((machine) => world.place({ job: 'OrderRouter',
    datacenter: 'FR2', instance: `${machine}:5010` }));
  return (dt) => {
    const orders = 85 * demand(world, 'orders', 1);
    windows.forEach(({ metrics }, index) => {
      exposeWindows(world, dt, metrics, machines[index] ?? '', orders);
    });
    routers.forEach(({ metrics }, index) => {
      const machine = machines[index] ?? '';
      serve(world, dt, {
        metrics, name: 'http_request_duration_seconds',
        labels: { controller: 'Orders', action: 'Submit', method: 'POST' }, status: 'code',
        codes: { 200: 1, 400: 0.01, 500: 0.0002 }, rate: orders / 3,
        mean: 0.006 * world.noise.level(`${machine} submit`, 0.06) * (isDebug(world, machine) ? 1.25
          : 1),
        shape: { bounds: [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.5],
          steepness: 4 },
      });
      const lines = isDebug(world, machine) ? 210_000 : 0;
      for (const [level, rate] of [['Debug', lines], ['Information', orders * 2.2],
        ['Warning', 0.12], ['Error', 0.004]] as const) {
        metrics.add('serilog_events_total', { level }, world.noise.count(rate * dt));
      }
      metrics.set('serilog_minimum_level', { source: 'Default' }, isDebug(world, machine) ? 1 : 2);
      metrics.set('orderrouter_sessions_connected', {}, 41 + index);
      metrics.add('orderrouter_fills_total', { venue: 'XETR' }, world.noise.count(orders / 6 * dt));
      metrics.set('dotnet_total_memory_bytes', {},
        Math.round(3.1e8 * world.noise.level(`${machine} memory`, 0.08)));
      for (const generation of ['0', '1', '2']) {
        metrics.add('dotnet_collection_count_total', { generation },
          world.noise.count(dt * (isDebug(world, machine) ? 1.6 : 0.5) / 7 ** Number(generation)));
      }
      metrics.set('process_start_time_seconds', {}, world.origin - 6 * 86_400 + index * 300);
      metrics.set('process_num_threads', {}, 61 + index);
    });
  };
}

function exposeWindows(
  world: World,
  dt: number,
  metrics: Metrics,
  machine: string,
  orders: number,
): void {
  const { noise } = world;
  const isBad = isDebug(world, machine);
  const isRouter = machine.startsWith('ORDRT');
  const written = isRouter ? (isBad ? debugBytes : usualBytes) : 0;
  const size = { volume: 'D:' };
  const usual = 4.2e10 + machines.indexOf(machine) * 2e9;
  const last = metrics.value('windows_logical_disk_free_bytes', size) ?? usual;
  // Once it is over, the log is deleted.
  const before = !isBad && last < usual - 1e9 ? usual : last;
  // Old logs are taken away at the rate at which they usually come.
  metrics.set('windows_logical_disk_free_bytes', size,
    Math.max(0, before - (written - (isRouter ? usualBytes : 0)) * dt + noise.normal() * 2e5));
  metrics.set('windows_logical_disk_size_bytes', size, 1.28e11);
  // Windows Update has fetched something on all machines.
  const update = world.clock > -240 ? 6e8 : 0;
  metrics.set('windows_logical_disk_free_bytes', { volume: 'C:' },
    5.2e10 - update + Math.round(noise.normal() * 1e6));
  metrics.set('windows_logical_disk_size_bytes', { volume: 'C:' }, 1.07e11);
  for (const [volume, bytes] of [['C:', 60_000], ['D:', written + 30_000]] as const) {
    metrics.add('windows_logical_disk_write_bytes_total', { volume },
      bytes * noise.level(`${machine} ${volume}`, 0.1) * dt);
  }
  const writers = isRouter ? { OrderRouter: written, MsMpEng: 9000 + written * 0.002,
    svchost: 4000 }
    : { MarketDataGateway: 90_000, MsMpEng: 9000, svchost: 4000 };
  for (const [process, bytes] of Object.entries(writers)) {
    metrics.add('windows_process_io_bytes_total', { process, mode: 'write' },
      bytes * noise.level(`${machine} ${process}`, 0.1) * dt);
    metrics.add('windows_process_cpu_time_total', { process, mode: 'user' },
      (process === 'OrderRouter' ? (isBad ? 1.4 : 0.6 * orders / 85) : 0.05) * dt * 10);
  }
  const grown = metrics.value('windows_textfile_directory_bytes', { directory: logs }) ?? 1.9e10;
  const kept = !isBad && grown > 2e10 ? 1.9e10 : grown;
  if (isRouter) {
    metrics.set('windows_textfile_directory_bytes', { directory: logs },
      kept + (written - usualBytes) * dt);
    metrics.set('windows_textfile_directory_bytes', { directory: 'D:\\Data\\Journal' },
      Math.round(4.4e10 + noise.normal() * 1e5));
  }
  for (const [mode, share] of [['user', 0.12], ['privileged', 0.05], ['idle', 0.83]] as const) {
    metrics.add('windows_cpu_time_total', { core: '0,0', mode },
      share * noise.level(`${machine} ${mode}`, 0.1) * dt);
  }
  metrics.set('windows_os_physical_memory_free_bytes', {},
    Math.round(1.1e10 * noise.level(`${machine} free`, 0.05)));
  metrics.set('windows_system_system_up_time', {}, world.origin - 12 * 86_400);
}

export const incident = inWorld({
  name: 'debug-log-fills',
  what: 'somebody sets one order router to Debug: its log fills D: within a quarter of an hour',
  truth: {
    says: 'D: of ORDRT-WIN-02 will be full within about a quarter of an hour: OrderRouter there '
      + 'writes 46 MB/s into D:\\Logs\\OrderRouter since T, as its log level went from Information '
      + 'to Debug (210 000 Debug lines a second, none before), without a restart. The other two '
      + 'routers and the orders are as before; Windows Update took 0.6 GB of C: everywhere. Set '
      + 'the '
      + 'level back, delete the log.',
    alerts: ['DiskWillFillIn4Hours'],
    cause: /log|debug|serilog|OrderRouter|writ/,
    culprit: /ORDRT-WIN-02/,
    holds: [/D:/, /collection/, /MsMpEng/],
    isFalse: [
      /WIN-01|WIN-03/, /Windows Update/, /C:/, /Journal/, /release|version/, /restart/,
      /traffic|more (requests|orders)/, /memory (leak|grows)/,
    ],
    mayNotBeRuledOut: /log|writ|OrderRouter|disk/,
    step: /Logs|log|D:|ORDRT-WIN-02|OrderRouter|serilog/,
  },
  rules: [
    {
      alert: 'DiskWillFillIn4Hours', for: '30s', severity: 'critical',
      labels: { team: 'windows-ops' },
      expr: 'predict_linear(windows_logical_disk_free_bytes{volume!~"HarddiskVolume.+"}[10m], '
        + '4 * 3600) < 0',
      annotations: {
        summary: 'Volume {{ $labels.volume }} on {{ $labels.instance }} fills up',
        description: 'At this rate nothing is left in four hours.',
      },
    },
    {
      alert: 'DiskAlmostFull', severity: 'critical', labels: { team: 'windows-ops' },
      expr: '100 * windows_logical_disk_free_bytes / windows_logical_disk_size_bytes < 5',
    },
    {
      alert: 'OrderErrors', labels: { team: 'trading' },
      expr: 'sum by (instance) (rate(http_request_duration_seconds_count{code=~"5.."}[2m])) '
        + '/ sum by (instance) (rate(http_request_duration_seconds_count[2m])) > 0.01',
    },
  ],
  proofs: [
    'serilog_minimum_level{instance="ORDRT-WIN-02:5010"} == 1',
    'count(serilog_minimum_level == 2) == 2',
    'rate(serilog_events_total{level="Debug",instance="ORDRT-WIN-02:5010"}[1m]) > 1e5',
    'rate(windows_process_io_bytes_total{process="OrderRouter",instance="ORDRT-WIN-02"}[1m]) > 3e7',
    'deriv(windows_textfile_directory_bytes{directory=~".*OrderRouter",'
      + 'instance="ORDRT-WIN-02"}[1m]) > 3e7',
    'windows_logical_disk_free_bytes{volume="D:",instance="ORDRT-WIN-02"} > 1e10',
    'max(abs(deriv(windows_logical_disk_free_bytes{volume="D:",instance!="ORDRT-WIN-02"}[2m]))) < '
      + '5e5',
    'changes(process_start_time_seconds{instance="ORDRT-WIN-02:5010"}[1h]) == 0',
  ],
  build,
});
