/** Television over the internet in Kotlin: a match begins, and everybody tunes in. No fault. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, exposeProcess, LinuxHost, serve } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

const shape = { bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2], steepness: 4 };
/** Kick-offs of the past day, by the clock, and how many times the usual came for a while. */
const earlier: readonly (readonly [number, number])[] =
  [[-75_600, 2.5], [-68_400, 2.9], [-14_400, 2.2], [-7200, 2.4]];

/** Times the usual number: it rises within a minute and a half, and falls over half an hour. */
function crowd(since: number, times: number): number {
  if (since < 0) return 1;
  return 1 + (times - 1) * (since < 90 ? since / 90 : Math.exp(-(since - 90) / 1100));
}

function factorOf(world: World): number {
  const past = earlier.map(([at, times]) => crowd(world.clock - at, times));
  const { ageOfAll } = world;
  // After the end of the incident the crowd is there already, and logs in no more.
  const now = ageOfAll === null || world.age === null ? 1 : crowd(ageOfAll, 2.8);
  return Math.max(now, ...past);
}

interface Service {
  readonly job: string;
  readonly uri: string;
  readonly rate: number;
  readonly seconds: number;
  readonly count: number;
  /** Cores of one instance with the usual requests. */
  readonly cpu: number;
}

const services: readonly Service[] = [
  { job: 'entitlement', uri: '/v2/entitlements/{asset}', rate: 60, seconds: 0.021, count: 4,
    cpu: 0.55 },
  { job: 'playback-session', uri: '/v1/sessions', rate: 48, seconds: 0.048, count: 4, cpu: 0.7 },
  { job: 'epg', uri: '/channels/{id}/schedule', rate: 95, seconds: 0.012, count: 2, cpu: 0.5 },
];

function build(world: World): (dt: number) => void {
  const targets = services.flatMap((service) => Array.from({ length: service.count },
    (_, index) => ({ service, target: world.place({ job: service.job, region: 'eu-west-1',
      instance: `${service.job}-${String(index)}.tv.internal:8080` }) })));
  const edge = world.place({ job: 'cdn-exporter', instance: 'cdn-exporter:9200',
    region: 'global' });
  const mongo = world.place({ job: 'mongodb', instance: 'sessions-db-0.tv.internal:9216',
    region: 'eu-west-1' });
  const hosts = [1, 2, 3, 4].map((id) => new LinuxHost(world, world.place({ job: 'node',
    instance: `tv-node-${String(id)}:9100`, region: 'eu-west-1' }), { cores: 16, memory: 64e9,
    disks: [{ device: 'nvme0n1p1', mountpoint: '/', bytes: 120e9, usedBytes: 37e9 }] }));
  return (dt) => {
    const wave = 0.8 + 0.2 * demand(world, 'viewers', 1);
    const times = factorOf(world);
    for (const { service, target } of targets) {
      const { metrics } = target;
      // The guide is asked for a little more, by those who look for the channel.
      const own = service.job === 'epg' ? 1 + (times - 1) * 0.3 : times;
      serve(world, dt, { metrics, name: 'ktor_http_server_requests_seconds',
        labels: { route: service.uri, method: service.job === 'playback-session' ? 'POST' : 'GET',
          throwable: 'n/a' }, status: 'status', codes: { 200: 1, 403: 0.02, 500: 0.0003 },
        rate: service.rate / service.count * wave * own,
        mean: service.seconds * world.noise.level(target.instance, 0.05), shape });
      // The guide was released twenty minutes before.
      const isNew = service.job === 'epg' && world.clock > -1200;
      if (service.job === 'epg' && world.passes(-1200, dt)) metrics.clear();
      metrics.set('app_version_info', { version: service.job !== 'epg' ? '118.0.4'
        : isNew ? '64.2.0' : '64.1.3' }, 1);
      exposeRuntime(world, dt, metrics, { instance: target.instance, load: own });
      exposeProcess(world, target, dt, { cpu: service.cpu * wave * (0.3 + 0.7 * own),
        memory: 1.5e9,
        startedAt: isNew ? world.origin + 86_400 - 1200 : world.origin - 6 * 86_400 });
    }
    exposeBusiness(world, dt, edge.metrics, wave * times);
    exposeSessions(world, dt, mongo.metrics, wave * times);
    hosts.forEach((host) => {
      host.busy = 3.2 * wave * (0.3 + 0.7 * times);
      host.step(dt);
    });
  };
}

function exposeRuntime(
  world: World,
  dt: number,
  metrics: Metrics,
  { instance, load }: { readonly instance: string; readonly load: number },
): void {
  const { noise } = world;
  metrics.set('jvm_memory_used_bytes', { area: 'heap', id: 'ZHeap' },
    Math.round(6.2e8 * noise.level(`${instance} heap`, 0.2)));
  metrics.set('jvm_memory_max_bytes', { area: 'heap', id: 'ZHeap' }, 2e9);
  metrics.summarize('jvm_gc_pause_seconds', { action: 'end of GC pause', gc: 'ZGC' },
    noise.count(0.1 * load * dt), 0.0006);
  metrics.set('ktor_http_server_requests_active', {}, noise.count(1.2 * load));
  metrics.set('executor_queued_tasks', { name: 'dispatcher' }, noise.count(0.2));
}

function exposeBusiness(world: World, dt: number, metrics: Metrics, load: number): void {
  for (const [channel, share] of [['sport-1', load - 0.7], ['news', 0.18], ['films', 0.21],
    ['kids', 0.12]] as const) {
    metrics.add('stream_starts_total', { channel },
      world.noise.count(42 * Math.max(0.1, share) * dt));
    metrics.add('stream_start_failures_total', { channel },
      world.noise.count(42 * Math.max(0.1, share) * 0.002 * dt));
  }
  metrics.add('cdn_egress_bytes_total', { cdn: 'north' }, 8.1e9 * load * dt);
  metrics.add('cdn_egress_bytes_total', { cdn: 'south' }, 3.3e9 * load * dt);
  metrics.set('cdn_cache_hit_ratio', { cdn: 'north' },
    Math.min(0.999, 0.982 * world.noise.level('hit', 0.003)));
  metrics.set('player_rebuffer_ratio', {}, 0.0031 * world.noise.level('rebuffer', 0.12));
  metrics.set('player_start_seconds', { quantile: '0.9' },
    1.3 * world.noise.level('player start', 0.05));
}

function exposeSessions(world: World, dt: number, metrics: Metrics, load: number): void {
  const { noise } = world;
  for (const [type, rate] of [['insert', 48], ['query', 62], ['update', 130]] as const) {
    metrics.add('mongodb_op_counters_total', { type }, noise.count(rate * load * dt));
  }
  metrics.add('mongodb_mongod_op_latencies_latency_total', { type: 'write' },
    178 * load * 900 * dt);
  metrics.add('mongodb_mongod_op_latencies_ops_total', { type: 'write' },
    noise.count(178 * load * dt));
  metrics.set('mongodb_connections', { state: 'current' },
    Math.round(160 * noise.level('mongo connections', 0.03)));
  metrics.set('mongodb_connections', { state: 'available' }, 50_000);
}

export const incident = inWorld({
  name: 'kickoff-peak',
  what: 'a match begins: 2.8 times the sessions, all served as fast as ever, as at other kick-offs',
  truth: {
    says: 'Nothing is wrong: 2.8 times as many viewers start to watch since T, nearly all on '
      + 'sport-1, as at four other times in the past day (2.2 to 2.9 times). entitlement and '
      + 'playback-session answer as fast and as well as before; players start in 1.3 s and do not '
      + 'stall; processors and database have room. epg 64.2.0 is twenty minutes old and has '
      + 'nothing to do with it. The rule should compare with the calendar, or watch failures.',
    alerts: ['RequestRateAnomaly'],
    classifications: ['informational', 'noisy'],
    cause: /traffic|requests|load|demand|viewers|stream_starts|peak|crowd|sport|recur|regular/,
    culprit: null,
    holds: [/\bcpu\b|busy|egress|op_counters|session|entitlement|active|sport-1|start/,
      /times (in|a|of) the/],
    isFalse: [
      /epg.*(64|release|version|deploy)|64\.2\.0/, /release|deploy/,
      /(?<!(not|no) )slow|latency (is|rose|grew)|errors? (rose|grew)/,
      /fails|failing|failures? (rose|grew)/,
      /leak|out of memory/, /retr(y|ies)|loop/, /attack|\bbots?\b|\bddos\b/, /one client|tenant/,
      /\bdisk\b|network/, /cache (miss|hit ratio)/, /restart|crash/, /database (is|was) /,
    ],
    mayNotBeRuledOut: /(?<!retry )traffic|more requests|demand|peak/,
    step: /threshold|rule|traffic|requests|demand|viewers|starts|calendar|capacity|sport|wait/,
  },
  rules: [
    {
      alert: 'RequestRateAnomaly', for: '15s', labels: { team: 'streaming' },
      expr: 'sum by (job) (rate(ktor_http_server_requests_seconds_count[1m])) '
        + '/ sum by (job) (rate(ktor_http_server_requests_seconds_count[5m] offset 10m)) > 1.8',
      summary: 'Request rate of {{ $labels.job }} deviates: '
        + '{{ $value | humanize }} times the usual',
    },
    {
      alert: 'PlaybackErrors', for: '30s', severity: 'critical', labels: { team: 'streaming' },
      expr: 'sum(rate(stream_start_failures_total[2m])) '
        + '/ sum(rate(stream_starts_total[2m])) > 0.03',
    },
    {
      alert: 'KtorLatencyHigh', for: '1m', labels: { team: 'streaming' },
      expr: 'histogram_quantile(0.95, sum by (le, job) '
        + '(rate(ktor_http_server_requests_seconds_bucket[2m]))) > 0.4',
    },
  ],
  proofs: [
    'sum by (job) (rate(ktor_http_server_requests_seconds_count{job="playback-session"}[1m])) / '
      + 'sum by (job) (rate(ktor_http_server_requests_seconds_count{job="playback-session"}[5m] '
      + 'offset 10m)) > 2',
    'histogram_quantile(0.95, sum by (le) (rate(ktor_http_server_requests_seconds_bucket'
      + '{job="playback-session"}[1m]))) < 0.15',
    'sum(rate(ktor_http_server_requests_seconds_count{status="500"}[2m])) / '
      + 'sum(rate(ktor_http_server_requests_seconds_count[2m])) < 0.002',
    'max(rate(process_cpu_seconds_total[1m])) < 2.2',
    'topk(1, sum by (channel) (rate(stream_starts_total[1m]))) > 50',
    'max_over_time((sum(rate(ktor_http_server_requests_seconds_count{job="playback-session"}[5m])))'
      + '[23h:5m] offset 30m) > 90',
  ],
  build,
});
