/** Live scores in Go on a Redis Cluster of six shards: one key is asked for all the time. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, exposeGo, exposeProcess, goBounds, LinuxHost, serve } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

const shards = ['0', '1', '2', '3', '4', '5'];
const hot = '3';
/** Commands per second that one process of Redis can answer, which has one thread for them. */
const capacity = 92_000;
const usualOfShard = 11_000;
/** Kinds of keys, and the shares of the commands that ask for them. */
const kinds: Readonly<Record<string, number>> = {
  'match:state': 0.42, 'match:lineup': 0.16, 'league:table': 0.17, 'user:prefs': 0.21, odds: 0.04,
};

/** Commands per second for the one key: clients without a copy of their own ask again and again. */
const extraOf = (world: World): number =>
  world.age === null ? 0 : Math.min(128_000, world.age * 9000);
/** 1 while there is room; above it clients wait. */
const pressure = (world: World, wave: number): number =>
  (usualOfShard * wave + extraOf(world)) / capacity;
const secondsOf = (load: number): number => 0.0006 + (load < 0.7 ? 0 : (load - 0.7) * 0.75);

function build(world: World): (dt: number) => void {
  const apis = [1, 2, 3, 4].map((id) => world.place({ job: 'scores-api',
    instance: `10.90.2.${String(20 + id)}:8081`, app: 'scores-api', datacenter: 'fra' }));
  const pushers = [1, 2].map((id) => world.place({ job: 'push-gateway-ws',
    instance: `10.90.2.${String(40 + id)}:8081`, app: 'push-ws', datacenter: 'fra' }));
  const redis = shards.map((shard) => world.place({ job: 'redis-cluster',
    instance: `10.90.7.1${shard}:9121`, shard, role: 'master', datacenter: 'fra' }));
  const hosts = shards.map((shard) => new LinuxHost(world, world.place({ job: 'nodes',
    instance: `10.90.7.1${shard}:9100`, datacenter: 'fra' }), { cores: 4, memory: 32e9, disks: [
    { device: 'vda1', mountpoint: '/', bytes: 40e9, usedBytes: 9e9 },
  ] }));
  return (dt) => {
    const wave = demand(world, 'fans', 1);
    const load = pressure(world, wave);
    for (const target of apis) serveScores(world, dt, target, { wave, load });
    for (const target of pushers) {
      // A promotion has been opening more sockets for ten minutes; they read nothing of Redis.
      const sockets = (world.clock > -600 ? 23_000 : 19_000) * wave;
      target.metrics.set('ws_open_sockets', {},
        Math.round(sockets * world.noise.level(`${target.instance} ws`, 0.02)));
      target.metrics.add('ws_messages_sent_total', {}, world.noise.count(sockets * 0.02 * dt));
      exposeGo(world, target, sockets * 2);
      exposeProcess(world, target, dt, { cpu: 0.9 * wave, memory: 1.4e9,
        startedAt: world.origin - 4e5 });
    }
    redis.forEach(({ metrics }, index) =>
      exposeShard(world, dt, metrics, { shard: shards[index] ?? '', wave }));
    hosts.forEach((host, index) => {
      const own = shards[index] === hot ? Math.min(1, load) : usualOfShard * wave / capacity;
      host.busy = 0.3 + own * 1.4;
      host.step(dt);
      host.metrics.add('node_network_transmit_bytes_total', { device: 'ens5' },
        own * capacity * 1100 * dt);
    });
  };
}

function serveScores(
  world: World,
  dt: number,
  target: ReturnType<World['place']>,
  { wave, load }: { readonly wave: number; readonly load: number },
): void {
  const { metrics } = target;
  const slow = secondsOf(load);
  const lost = load > 1.1 ? Math.min(0.4, (load - 1.1) * 0.7) : 0;
  for (const [handler, rate, own, share] of [
    ['/v4/match/{id}', 230, 0.006, 1], ['/v4/league/{id}/table', 70, 0.008, 0.14],
    ['/v4/me/prefs', 90, 0.005, 0.16], ['/v4/lineup/{id}', 66, 0.007, 0.17],
  ] as const) {
    const isMatch = handler === '/v4/match/{id}';
    serve(world, dt, { metrics, name: 'http_handler_seconds', labels: { handler }, status: 'code',
      codes: { 200: 1, 304: 0.2, 504: isMatch ? 0.0001 + lost : lost * share * 0.4 },
      rate: rate * wave, mean: own + 3 * slow * share, shape: goBounds });
  }
  for (const shard of shards) {
    const own = shard === hot ? load : usualOfShard * wave / capacity;
    const commands = (usualOfShard * wave + (shard === hot ? extraOf(world) : 0)) / 4;
    metrics.summarize('redis_client_command_seconds', { shard },
      world.noise.count(Math.min(commands, capacity / 4) * dt), secondsOf(own));
    metrics.add('redis_client_timeouts_total', { shard },
      world.noise.count((shard === hot ? lost * 300 : 0.01) * dt));
  }
  for (const [kind, share] of Object.entries(kinds)) {
    const usual = usualOfShard * 6 * wave * share / 4;
    const more = kind === 'match:state' ? Math.min(extraOf(world), capacity) / 4 : 0;
    metrics.add('cache_gets_total', { kind }, world.noise.count((usual + more) * dt));
  }
  // The library counts the ten keys that are asked for most.
  metrics.set('cache_hottest_key_share', { kind: 'match:state' },
    extraOf(world) === 0 ? 0.018 * world.noise.level('hottest', 0.3)
      : extraOf(world) / (extraOf(world) + usualOfShard * 6 * wave));
  exposeGo(world, target, 300 + lost * 4000);
  exposeProcess(world, target, dt, { cpu: 1.3 * wave, memory: 5e8,
    startedAt: world.origin - 2.2e5 });
}

function exposeShard(
  world: World,
  dt: number,
  metrics: Metrics,
  { shard, wave }: { readonly shard: string; readonly wave: number },
): void {
  const { noise } = world;
  const unrest = noise.level(`shard ${shard}`, 0.05);
  const wanted = usualOfShard * wave * unrest + (shard === hot ? extraOf(world) : 0);
  const done = Math.min(capacity, wanted);
  metrics.add('redis_commands_total', { cmd: 'get' }, noise.count(done * 0.93 * dt));
  metrics.add('redis_commands_total', { cmd: 'set' }, noise.count(usualOfShard * 0.07 * wave * dt));
  metrics.add('redis_cpu_user_seconds_total', {}, done / capacity * 0.8 * dt);
  metrics.add('redis_cpu_sys_seconds_total', {}, done / capacity * 0.19 * dt);
  metrics.add('redis_net_output_bytes_total', {}, done * 1100 * dt);
  metrics.set('redis_connected_clients', {}, Math.round(128 * noise.level(`cl ${shard}`, 0.02)));
  metrics.set('redis_memory_used_bytes', {}, Math.round(6.2e9 * noise.level(`me ${shard}`, 0.01)));
  metrics.set('redis_memory_max_bytes', {}, 16e9);
  metrics.set('redis_db_keys', { db: 'db0' }, 2_100_000 + Number(shard) * 9000);
  metrics.add('redis_evicted_keys_total', {}, 0);
  metrics.set('redis_cluster_state', {}, 1);
  metrics.set('redis_cluster_slots_assigned', {}, 16_384);
  metrics.add('redis_keyspace_hits_total', {}, noise.count(done * 0.92 * dt));
  metrics.add('redis_keyspace_misses_total', {}, noise.count(usualOfShard * 0.01 * wave * dt));
  metrics.set('redis_slowlog_length', {}, 128);
}

export const incident = inWorld({
  name: 'hot-key-shard',
  what: 'all fans follow one match: its key makes one of six Redis shards use its only core fully',
  truth: {
    says: 'Match pages are slow and time out since T because one shard of the six of Redis, shard '
      + '3 (10.90.7.13), has its one core full: it gets eight times its commands, all of them gets '
      + 'of one key of the kind match:state, which has 60 % of all commands now; the other shards '
      + 'are as before. It is one match that all follow. The requests of users and the sockets of '
      + 'the promotion are not more than before. Keep the key in the processes for a second, or '
      + 'copy it to several.',
    alerts: ['ScoresApiTimeouts', 'ScoresApiLatency'],
    cause: /shard|hot|10\.90\.7\.13|match:state|\bkey\b|redis_commands|one (of|core)|skew/,
    culprit: /shard\W{0,4}3|10\.90\.7\.13|match:state/,
    holds: [/redis/, /cache_gets|commands|\bgets?\b/, /goroutines/, /net_output/, /match/],
    isFalse: [
      /^(?!.*(shard\W{0,4}3|7\.13)).*(shard\W{0,4}[01245]\b|10\.90\.7\.1[01245]\b)/,
      /promotion|\bws_|sockets|push/,
      /evict|memory|leak/, /release|version|deploy/, /restart/, /packet|\bnic\b/, /\bdisk\b/,
      /user:prefs/, /miss(es)? (rose|grew)/,
    ],
    mayNotBeRuledOut: /shard\W{0,4}3|10\.90\.7\.13|match:state|hot key/,
    step: /shard|redis|10\.90\.7\.13|\bkey\b|cache|match/,
  },
  rules: [
    {
      alert: 'ScoresApiTimeouts', for: '30s', severity: 'critical', labels: { squad: 'live' },
      expr: 'sum by (app) (rate(http_handler_seconds_count{code="504"}[1m])) '
        + '/ sum by (app) (rate(http_handler_seconds_count[1m])) > 0.03',
      annotations: { description: '{{ $labels.app }}: {{ $value | humanizePercentage }} time out' },
    },
    {
      alert: 'ScoresApiLatency', for: '30s', labels: { squad: 'live' },
      expr: 'histogram_quantile(0.99, sum by (le, handler) (rate(http_handler_seconds_bucket[1m])))'
        + ' > 1',
    },
    {
      alert: 'RedisClusterDown', severity: 'critical', expr: 'redis_cluster_state == 0',
    },
    {
      alert: 'RedisMemory', for: '5m',
      expr: 'redis_memory_used_bytes / redis_memory_max_bytes > 0.85',
    },
  ],
  proofs: [
    'sum by (shard) (rate(redis_commands_total{shard="3"}[1m])) > 70000',
    'max(sum by (shard) (rate(redis_commands_total{shard!="3"}[1m]))) < 30000',
    'rate(redis_cpu_user_seconds_total{shard="3"}[1m]) + '
      + 'rate(redis_cpu_sys_seconds_total{shard="3"}[1m]) > 0.9',
    'sum by (kind) (rate(cache_gets_total{kind="match:state"}[1m])) > 2 * '
      + 'sum by (kind) (rate(cache_gets_total{kind="match:state"}[1m] offset 5m))',
    'max(cache_hottest_key_share) > 0.4',
    'sum(rate(http_handler_seconds_count[1m])) < 1.2 * '
      + 'sum(rate(http_handler_seconds_count[1m] offset 5m))',
    'topk(1, sum by (shard) (rate(redis_client_timeouts_total[1m]))) > 10',
  ],
  build,
});
