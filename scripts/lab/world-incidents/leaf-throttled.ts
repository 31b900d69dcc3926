/** A search engine on bare metal: brokers ask ten leaves and wait for the slowest. */
import type { HistogramShape } from '../shop/metrics.ts';
import { demand, exposeGo, exposeProcess, LinuxHost, serve } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

const shape: HistogramShape = {
  bounds: [0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.4, 0.8, 1.6], steepness: 4,
};
const leaves = Array.from({ length: 10 }, (_, index) =>
  `leaf-${String(index + 1).padStart(2, '0')}`);
const brokers = ['broker-01', 'broker-02', 'broker-03'];
const bad = 'leaf-07';
const site = 'ams2.idx.example';

/** Share of the ordinary clock that the processor still has: it heats up first. */
function speedOf(world: World, leaf: string): number {
  const { age } = world;
  if (leaf !== bad || age === null || age < 18) return 1;
  return Math.max(0.3, 1 - (age - 18) * 0.05);
}

function build(world: World): (dt: number) => void {
  const leafTargets = leaves.map((leaf, index) =>
    world.place({ job: 'idx-leaf', instance: `${leaf}.${site}:7071`, shard: String(index) }));
  const brokerTargets = brokers.map((name) =>
    world.place({ job: 'idx-broker', instance: `${name}.${site}:7070` }));
  const hosts = [...leaves, ...brokers].map((name, index) => {
    const endpoint = world.place({
      job: 'node', instance: `${name}.${site}:9100`, rack: `r${String(11 + index % 4)}`,
    });
    const disks = [{ device: 'nvme0n1p2', mountpoint: '/', bytes: 480e9, usedBytes: 130e9 },
      { device: 'nvme1n1', mountpoint: '/idx', bytes: 3.8e12, usedBytes: 2.2e12 + index * 4e10 }];
    return { name, endpoint, host: new LinuxHost(world, endpoint, { cores: 8, memory: 256e9,
      disks }) };
  });
  return (dt) => {
    const queries = 120 * demand(world, 'queries', 2);
    const slowest = Math.max(...leaves.map((leaf) => 1 / speedOf(world, leaf)));
    leafTargets.forEach((target, index) => {
      const leaf = leaves[index] ?? '';
      const mean = meanOf(world, leaf);
      serve(world, dt, {
        metrics: target.metrics, name: 'leaf_query_duration_seconds', labels: {}, status: 'result',
        codes: { ok: 1, error: 0.0002 }, rate: queries, mean, shape,
      });
      target.metrics.set('leaf_queries_in_flight', {}, world.noise.count(queries * mean));
      // Segments are merged on some leaf at any time.
      const merging = Math.floor(world.now / 900) % 10 === index;
      target.metrics.set('leaf_index_segments', {}, 34 + (merging ? -6 : 0) + index % 3);
      target.metrics.add('leaf_merge_bytes_total', {}, merging ? 3e7 * dt : 0);
      target.metrics.set('leaf_index_docs', {}, 4.1e7 + index * 31_000);
      exposeGo(world, target, 140);
      exposeProcess(world, target, dt, {
        cpu: 2.4 * queries / 120, memory: 9.6e10, startedAt: world.origin - 19 * 86_400,
      });
    });
    brokerTargets.forEach((target, index) => {
      fanOut(world, dt, target.metrics, { queries: queries / 3, slowest });
      // Rolled 40 minutes ago, to a version that does nothing else.
      const isNew = world.clock > -2400 + index * 60;
      if (world.passes(-2400 + index * 60, dt)) target.metrics.clear();
      target.metrics.set('idx_build_info', { version: isNew ? '24.11.3' : '24.11.2' }, 1);
      exposeGo(world, target, 420);
      exposeProcess(world, target, dt, {
        cpu: 1.1, memory: 2.2e9,
        startedAt: isNew ? world.origin + 86_400 - 2400 + index * 60 : world.origin - 30 * 86_400,
      });
    });
    for (const { name, endpoint, host } of hosts) {
      // Work takes more of a slow core's time.
      const speed = speedOf(world, name);
      host.busy = (name.startsWith('leaf') ? 2.6 : 1.2) * queries / 120 / speed;
      host.memoryShare = name.startsWith('leaf') ? 0.71 : 0.2;
      host.step(dt);
      exposeHardware(world, dt, { name, metrics: endpoint.metrics, speed });
    }
  };
}

function meanOf(world: World, leaf: string): number {
  return 0.021 * world.noise.level(`${leaf} time`, 0.06) * speedOf(world, leaf) ** -2.4;
}

/** What is not answered in 400 ms is left out: a partial result. */
function fanOut(
  world: World,
  dt: number,
  metrics: ReturnType<World['place']>['metrics'],
  { queries, slowest }: { readonly queries: number; readonly slowest: number },
): void {
  const waits = Math.min(0.4, 0.038 * slowest ** 2.4);
  const lost = slowest < 2 ? 0.0004 : Math.min(0.45, (slowest - 1.9) * 0.35);
  serve(world, dt, {
    metrics, name: 'broker_search_duration_seconds', labels: { index: 'products' },
    status: 'outcome', codes: { complete: 1, partial: lost, error: 0.0001 },
    rate: queries, mean: waits, shape,
  });
  serve(world, dt, {
    metrics, name: 'broker_search_duration_seconds', labels: { index: 'suggest' },
    status: 'outcome', codes: { complete: 1 }, rate: queries * 0.4, mean: 0.009, shape,
  });
  for (const leaf of leaves) {
    const share = leaf === bad ? lost : 0.0001;
    metrics.add('broker_leaf_timeouts_total', { leaf }, world.noise.count(queries * share * dt));
    const seconds = leaf === bad ? 0.021 * slowest ** 2.4 : 0.021;
    metrics.summarize('broker_leaf_rpc_seconds', { leaf }, world.noise.count(queries * dt),
      seconds);
  }
}

function exposeHardware(
  world: World,
  dt: number,
  { name, metrics, speed }: {
    readonly name: string; readonly metrics: ReturnType<World['place']>['metrics'];
    readonly speed: number;
  },
): void {
  const age = name === bad ? world.age : null;
  const hot = age === null ? 0 : Math.min(39, age * 1.9);
  const { noise } = world;
  for (const sensor of ['temp1', 'temp2']) {
    const labels = { chip: 'platform_coretemp_0', sensor };
    metrics.set('node_hwmon_temp_celsius', labels, 58 * noise.level(`${name} ${sensor}`, 0.04)
      + hot);
  }
  for (const sensor of ['fan1', 'fan2', 'fan3']) {
    const hasStopped = age !== null && sensor === 'fan2';
    const turns = hasStopped ? 0 : 8800 * noise.level(`${name} ${sensor}`, 0.01);
    metrics.set('node_hwmon_fan_rpm', { chip: 'nct6779', sensor }, Math.round(turns));
  }
  for (let cpu = 0; cpu < 8; cpu += 1) {
    const labels = { cpu: String(cpu) };
    const hertz = 3.4e9 * speed * noise.level(`${name} clock ${cpu}`, 0.005);
    metrics.set('node_cpu_scaling_frequency_hertz', labels, Math.round(hertz));
    metrics.add('node_cpu_core_throttles_total', { core: String(cpu), package: '0' },
      speed < 1 ? 14 * dt : 0);
  }
}

export const incident = inWorld({
  name: 'leaf-throttled',
  what: 'a fan of one of ten search leaves stops: its processor throttles, all searches wait for '
    + 'it',
  truth: {
    says: 'Searches are incomplete since T because one leaf of ten, leaf-07, answers too late; the '
      + 'other nine are as fast as ever. Its host runs at 1 GHz instead of 3.4: fan2 stands still '
      + 'since T and the processor is at 97 degrees. The brokers were rolled 40 minutes earlier '
      + 'without harm. Take leaf-07 out, have the fan replaced.',
    alerts: ['SearchResultsIncomplete', 'SearchSlow'],
    cause: /leaf-07|throttl|frequency|hertz|temp|\bfan\b|fan2|fan_rpm/,
    culprit: /leaf-07/,
    holds: [/timeouts?/, /broker/, /partial/],
    isFalse: [
      /leaf-(0[1-6]|08|09|10)/, /24\.11\.3/, /release|version/,
        /traffic|more requests|more queries/,
      /merge|segments/, /disk|nvme/, /memory|heap|leak/, /broker-0\d.*restart/,
    ],
    mayNotBeRuledOut: /leaf-07|leaf\b|throttl|temperature|host/,
    step: /leaf-07|leaf/,
  },
  rules: [
    {
      alert: 'SearchResultsIncomplete', for: '30s', severity: 'critical',
      labels: { owner: 'search-infra' },
      expr: 'sum(rate(broker_search_duration_seconds_count{outcome="partial"}[1m])) '
        + '/ sum(rate(broker_search_duration_seconds_count[1m])) > 0.05',
      summary: '{{ $value | humanizePercentage }} of searches miss a shard',
    },
    {
      alert: 'SearchSlow', for: '30s', labels: { owner: 'search-infra' },
      expr: 'histogram_quantile(0.9, sum by (le, index) '
        + '(rate(broker_search_duration_seconds_bucket[2m]))) > 0.3',
    },
    {
      alert: 'LeafMissing', severity: 'critical', for: '1m',
      expr: 'count(up{job="idx-leaf"} == 1) < 10',
    },
  ],
  proofs: [
    'node_hwmon_fan_rpm{instance=~"leaf-07.*",sensor="fan2"} == 0',
    'count(node_hwmon_fan_rpm == 0) == 1',
    'max by (instance) (node_hwmon_temp_celsius) > 90',
    'avg by (instance) (node_cpu_scaling_frequency_hertz{instance=~"leaf-07.*"}) < 1.5e9',
    'topk(1, sum by (leaf) (rate(broker_leaf_timeouts_total[1m]))) > 5',
    'count(sum by (instance) (rate(leaf_query_duration_seconds_sum[1m])) / sum by (instance) '
      + '(rate(leaf_query_duration_seconds_count[1m])) < 0.04) == 9',
    'count(sum by (instance) (rate(leaf_query_duration_seconds_sum[1m])) / sum by (instance) '
      + '(rate(leaf_query_duration_seconds_count[1m])) > 0.2) == 1',
  ],
  build,
});
