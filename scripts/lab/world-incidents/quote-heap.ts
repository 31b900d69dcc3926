/** An insurer's quotes in Spring Boot, tagged by application as Micrometer does it. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, goBounds, serve } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

const pods = ['quote-engine-66f5c-2bqn7', 'quote-engine-66f5c-h8xkd', 'quote-engine-66f5c-zt4mc'];
const rating = ['rating-5dd9-7plsw', 'rating-5dd9-kk2vj'];
const heapMax = 4.29e9;
/** When quote-engine 7.31.0 came, in seconds of the clock: five hours and twenty minutes ago. */
const released = -19_200;
/** When document-store came, which has nothing to do with it. */
const otherReleased = -420;

/** What a full collection leaves, as a share of the heap. */
function liveShare(world: World): number {
  const grown = Math.max(0, world.clock - released) / -released;
  return world.clock < released ? 0.31 : Math.min(0.94, 0.31 + 0.6 * grown);
}

function build(world: World): (dt: number) => void {
  const engines = pods.map((pod, index) => world.place({ job: 'kubernetes-pods',
    application: 'quote-engine', namespace: 'underwriting', pod,
      instance: `172.20.8.${String(31 + index)}:8080` }));
  const raters = rating.map((pod, index) => world.place({ job: 'kubernetes-pods',
    application: 'rating', namespace: 'underwriting', pod,
      instance: `172.20.9.${String(31 + index)}:8080` }));
  const documents = world.place({ job: 'kubernetes-pods', application: 'document-store',
    namespace: 'documents', pod: 'document-store-0', instance: '172.20.11.4:8080' });
  const portal = world.place({ job: 'kubernetes-pods', application: 'portal-bff',
    namespace: 'portal', pod: 'portal-bff-f8d-w2x', instance: '172.20.7.9:3000' });
  return (dt) => {
    const quotes = 24 * demand(world, 'quotes', 1);
    const isThrashing = world.age !== null;
    engines.forEach((target, index) => {
      if (world.passes(released + index * 45, dt)) target.metrics.clear();
      runEngine(world, dt, target.metrics, { index, quotes: quotes / 3, isThrashing });
    });
    raters.forEach(({ metrics }, index) => {
      exposeJvm(world, dt, metrics, { key: `rating ${String(index)}`, live: 0.28, thrash: 0,
        size: 2e9 });
      metrics.set('process_uptime_seconds', {}, Math.round(700_000 + world.clock));
      request(world, dt, metrics, { uri: '/rate', rate: quotes / 2, mean: 0.035, failed: 0.0003 });
    });
    if (world.passes(otherReleased, dt)) documents.metrics.clear();
    exposeJvm(world, dt, documents.metrics, { key: 'documents', live: 0.35, thrash: 0, size: 2e9 });
    documents.metrics.set('process_uptime_seconds', {}, Math.round(world.clock >= otherReleased
      ? world.clock - otherReleased : 500_000 + world.clock));
    documents.metrics.set('application_build_info', { version: world.clock >= otherReleased
      ? '12.4.1' : '12.4.0' }, 1);
    request(world, dt, documents.metrics, { uri: '/documents/{id}', rate: quotes * 0.3, mean: 0.09,
      failed: 0.0005 });
    request(world, dt, portal.metrics, { uri: '/bff/quote', rate: quotes,
      mean: isThrashing ? 1.9 : 0.21, failed: isThrashing ? 0.05 : 0.001 });
    request(world, dt, portal.metrics, { uri: '/bff/login', rate: quotes * 0.5, mean: 0.08,
      failed: 0.001 });
    portal.metrics.set('nodejs_eventloop_lag_seconds', {}, 0.004 * world.noise.level('lag', 0.3));
  };
}

function runEngine(
  world: World,
  dt: number,
  metrics: Metrics,
  { index, quotes, isThrashing }: {
    readonly index: number; readonly quotes: number; readonly isThrashing: boolean;
  },
): void {
  const came = released + index * 45;
  const isNew = world.clock >= came;
  const live = liveShare(world);
  const key = `engine ${String(index)}`;
  exposeJvm(world, dt, metrics, { key, live, thrash: isThrashing ? 0.46 : 0, size: heapMax });
  metrics.set('application_build_info', { version: isNew ? '7.31.0' : '7.30.2' }, 1);
  metrics.set('process_uptime_seconds', {},
    Math.round(isNew ? world.clock - came : 900_000 + world.clock));
  // Each quote leaves its draft behind, since 7.31.0.
  const drafts = 1200 + (isNew ? Math.max(0, live - 0.31) * 700_000 : 0);
  metrics.set('cache_size', { cache: 'quoteDrafts', cache_manager: 'caffeine' },
    Math.round(drafts * world.noise.level(`${key} drafts`, 0.01)));
  metrics.set('cache_size', { cache: 'tariffs', cache_manager: 'caffeine' }, 8400);
  request(world, dt, metrics, {
    uri: '/quotes', rate: quotes, mean: isThrashing ? 1.7 : 0.14, failed: isThrashing ? 0.05
      : 0.0005,
  });
  metrics.set('tomcat_threads_busy_threads', { name: 'http-nio-8080' },
    world.noise.count(quotes * (isThrashing ? 1.7 : 0.14)));
  metrics.set('hikaricp_connections_active', { pool: 'HikariPool-1' },
    world.noise.count(quotes * 0.02));
  metrics.set('hikaricp_connections_pending', { pool: 'HikariPool-1' }, 0);
  metrics.summarize('http_client_requests_seconds', { client_name: 'rating', uri: '/rate' },
    world.noise.count(quotes * dt), 0.037);
}

/** `thrash` is the share of time in full collections. */
function exposeJvm(
  world: World,
  dt: number,
  metrics: Metrics,
  { key, live, thrash, size }: {
    readonly key: string; readonly live: number; readonly thrash: number; readonly size: number;
  },
): void {
  const { noise } = world;
  // Fills until a collection: a saw of some two minutes above what is live.
  const saw = ((world.now + key.length * 31) % 130) / 130;
  const old = Math.min(0.985, live + (thrash > 0 ? 0.03 : 0.03 * saw)) * size;
  metrics.set('jvm_memory_used_bytes', { area: 'heap', id: 'G1 Old Gen' },
    Math.round(old * noise.level(`${key} old`, 0.003)));
  metrics.set('jvm_memory_used_bytes', { area: 'heap', id: 'G1 Eden Space' },
    Math.round((size - old) * 0.6 * saw));
  metrics.set('jvm_memory_max_bytes', { area: 'heap', id: 'G1 Old Gen' }, size);
  metrics.set('jvm_memory_max_bytes', { area: 'heap', id: 'G1 Eden Space' }, -1);
  metrics.set('jvm_memory_used_bytes', { area: 'nonheap', id: 'Metaspace' },
    Math.round(1.4e8 * noise.level(`${key} meta`, 0.01)));
  metrics.set('jvm_gc_live_data_size_bytes', {}, Math.round(live * size));
  const minor = { action: 'end of minor GC', cause: 'G1 Evacuation Pause' };
  metrics.summarize('jvm_gc_pause_seconds', minor, noise.count((thrash > 0 ? 0.5 : 0.2) * dt),
    0.016);
  const major = { action: 'end of major GC', cause: 'G1 Compaction Pause' };
  metrics.summarize('jvm_gc_pause_seconds', major, noise.count(thrash / 1.6 * dt), 1.6);
  metrics.set('jvm_threads_live_threads', {}, Math.round(64 * noise.level(`${key} threads`, 0.03)));
  metrics.set('process_cpu_usage', {}, thrash > 0 ? 0.93 : 0.2 * noise.level(`${key} cpu`, 0.2));
}

function request(
  world: World,
  dt: number,
  metrics: Metrics,
  { uri, rate, mean, failed }: {
    readonly uri: string; readonly rate: number; readonly mean: number; readonly failed: number;
  },
): void {
  serve(world, dt, {
    metrics, name: 'http_server_requests_seconds', labels: { method: 'POST', uri },
      status: 'status',
    codes: { 200: 1, 503: failed }, rate, mean, shape: goBounds,
  });
}

export const incident = inWorld({
  name: 'quote-heap',
  what: 'quote-engine keeps a draft of each quote since 7.31.0; five hours later only GC runs',
  truth: {
    says: 'quote-engine collects garbage for half of its time: the heap of all three pods is full. '
      + 'What is live has grown from 31 to 91 % in a straight line since 7.31.0 was rolled out, '
      + 'five '
      + 'hours and twenty minutes before; the cache quoteDrafts grew with it, from '
      + '1200 to 420 000. A leak of that release. rating and the requests are as before; '
      + 'document-store 12.4.1 is coincidence. Restart the pods one by one, and roll back.',
    alerts: ['JvmGcOverhead', 'QuoteLatencyHigh', 'JvmHeapAlmostFull'],
    cause: /heap|old gen|live_data|memory|leak|drafts|7\.31\.0/,
    culprit: /quote-engine|quoteDrafts|7\.31\.0/,
    holds: [/\bgc\b|garbage|pause/, /latency|slow/, /7\.31\.0/],
    isFalse: [
      /document-store|12\.4\.1/, /rating\b.*(slow|fail)/, /traffic|more requests/,
        /hikari|database/,
      /metaspace/, /tariffs/, /network/,
    ],
    // With the live data of five hours before, the heap was more than large enough.
    mayNotBeRuledOut: /holds on|leak|garbage|\bgc\b|quote-engine/,
    step: /heap|jmap|dump|quote-engine|restart|memory|jvm_/,
    hasNoOnset: true,
  },
  rules: [
    {
      alert: 'JvmGcOverhead', for: '30s', severity: 'critical', labels: { team: 'underwriting' },
      expr: 'sum by (application, namespace, pod) (rate(jvm_gc_pause_seconds_sum[1m])) > 0.25',
      annotations: {
        summary: '{{ $labels.pod }} spends {{ $value | humanizePercentage }} of its time in GC',
      },
    },
    {
      alert: 'QuoteLatencyHigh', for: '30s', labels: { team: 'portal' },
      expr: 'histogram_quantile(0.95, sum by (application, uri, le) (rate('
        + 'http_server_requests_seconds_bucket{application="portal-bff"}[2m]))) > 1.5',
    },
    {
      alert: 'JvmHeapAlmostFull', for: '1m', labels: { team: 'underwriting' },
      expr: 'jvm_memory_used_bytes{area="heap",id=~".*Old Gen"} / '
        + '(jvm_memory_max_bytes{area="heap",id=~".*Old Gen"} > 0) > 0.935',
    },
  ],
  proofs: [
    'count(jvm_gc_live_data_size_bytes{application="quote-engine"} / 4.29e9 > 0.85) == 3',
    'count(jvm_gc_live_data_size_bytes{application="quote-engine"} offset 4h / 4.29e9 < 0.5) == 3',
    'sum by (pod) (rate(jvm_gc_pause_seconds_sum{application="rating"}[2m])) < 0.02',
    'count(cache_size{cache="quoteDrafts"} > 300000) == 3',
    'count(application_build_info{application="quote-engine",version="7.31.0"}) == 3',
    'abs(sum(rate(http_server_requests_seconds_count{uri="/quotes"}[2m])) / '
      + 'sum(rate(http_server_requests_seconds_count{uri="/quotes"}[2m] offset 6m)) - 1) < 0.2',
  ],
  build,
});
