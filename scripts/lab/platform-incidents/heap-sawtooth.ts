/** A document archive in Tomcat: its heap fills and is collected, twice an hour. No fault. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, LinuxHost, serve } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

const heapMax = 8 * 1024 ** 3;
const floorShare = 0.31;
const collectedAt = 0.885;
const shape = { bounds: [0.01, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10], steepness: 4 };
const nodes = ['archive-app1', 'archive-app2', 'archive-app3'];
/** When each was last collected before the incident, by the clock. */
const lastCollected = [-1400, -310, -820];
/** Share of the heap that is taken in a second. */
const growth = (0.779 - floorShare) / 1400;

/** Old objects after a step; how full the heap is after a collection does not grow. */
function nextOld(
  world: World,
  { index, before, dt }: { readonly index: number; readonly before: number; readonly dt: number },
): number {
  const collected = lastCollected[index] ?? 0;
  const after = floorShare * world.noise.level(`floor ${nodes[index] ?? ''}`, 0.03);
  if (world.passes(collected, dt)) return floorShare;
  const isPlanned = world.clock > collected && world.clock < 1500;
  // It is quiet for a moment before the incident.
  const pace = world.clock > 0 && world.ageOfAll === null ? 0.1 : 1;
  const unrest = isPlanned ? 1 : world.noise.level(`growth ${nodes[index] ?? ''}`, 0.35);
  const next = before + growth * pace * unrest * dt;
  return next > collectedAt ? after : next;
}

function build(world: World): (dt: number) => void {
  const tomcats = nodes.map((name) => world.place({ job: 'tomcat', instance: `${name}:9404`,
    application: 'archive', datacenter: 'muc' }));
  const workflow = world.place({ job: 'tomcat', instance: 'workflow-app1:9404',
    application: 'workflow', datacenter: 'muc' });
  const oracle = world.place({ job: 'oracledb', instance: 'ora-archive:9161', datacenter: 'muc' });
  const hosts = nodes.map((name) => new LinuxHost(world, world.place({ job: 'node',
    instance: `${name}:9100`, datacenter: 'muc' }), { cores: 8, memory: 24e9, disks: [
    { device: 'dm-0', mountpoint: '/', bytes: 60e9, usedBytes: 22e9 },
    { device: 'dm-2', mountpoint: '/var/archive', bytes: 2e12, usedBytes: 1.2e12 },
  ] }));
  return (dt) => {
    const wave = demand(world, 'clerks', 1);
    // Scans of the morning's post arrive; a little more is asked for.
    const more = world.clock > -90 && world.clock < 900 ? 1.14 : 1;
    tomcats.forEach(({ metrics, instance }, index) => {
      const old = { pool: 'PS Old Gen' };
      const before = (metrics.value('jvm_memory_pool_bytes_used', old) ?? 0.4 * heapMax
        + index * 0.1 * heapMax) / heapMax;
      const next = nextOld(world, { index, before, dt });
      exposeHeap(world, dt, metrics, { instance, old: next, isCollected: next < before - 0.05 });
      serveArchive(world, dt, metrics, { instance, rate: 7 * wave * more });
    });
    exposeHeap(world, dt, workflow.metrics, { instance: 'workflow-app1',
      old: 0.22 * world.noise.level('workflow old', 0.05), isCollected: false });
    serveArchive(world, dt, workflow.metrics, { instance: 'workflow-app1', rate: 3 * wave });
    const deployed = world.clock > -240 ? '8.31' : '8.30';
    workflow.metrics.remove('tomcat_webapp_info');
    workflow.metrics.set('tomcat_webapp_info', { context: '/workflow', version: deployed }, 1);
    exposeOracle(world, dt, oracle.metrics, wave);
    hosts.forEach((host) => {
      host.busy = 1.7 * wave;
      host.memoryShare = 0.52;
      host.step(dt);
    });
  };
}

/** As the JMX exporter names it. */
function exposeHeap(
  world: World,
  dt: number,
  metrics: Metrics,
  { instance, old, isCollected }: {
    readonly instance: string; readonly old: number; readonly isCollected: boolean;
  },
): void {
  const { noise } = world;
  const eden = 0.024 * noise.level(`${instance} eden`, 0.12);
  metrics.set('jvm_memory_pool_bytes_used', { pool: 'PS Old Gen' }, Math.round(old * heapMax));
  metrics.set('jvm_memory_pool_bytes_used', { pool: 'PS Eden Space' },
    Math.round(eden * heapMax));
  metrics.set('jvm_memory_bytes_used', { area: 'heap' }, Math.round((old + eden) * heapMax));
  metrics.set('jvm_memory_bytes_used', { area: 'nonheap' },
    Math.round(2.9e8 * noise.level(`${instance} nonheap`, 0.01)));
  metrics.set('jvm_memory_bytes_max', { area: 'heap' }, heapMax);
  metrics.set('jvm_memory_bytes_max', { area: 'nonheap' }, -1);
  metrics.summarize('jvm_gc_collection_seconds', { gc: 'PS Scavenge' },
    noise.count(0.15 * dt), 0.021);
  metrics.summarize('jvm_gc_collection_seconds', { gc: 'PS MarkSweep' },
    isCollected ? 1 : 0, 0.9);
  metrics.set('jvm_threads_current', {}, Math.round(118 * noise.level(`${instance} th`, 0.03)));
  metrics.set('jvm_classes_loaded', {}, 24_118);
  metrics.set('process_start_time_seconds', {}, world.origin - 13 * 86_400);
}

function serveArchive(
  world: World,
  dt: number,
  metrics: Metrics,
  { instance, rate }: { readonly instance: string; readonly rate: number },
): void {
  for (const [servlet, share, mean] of [['DocumentServlet', 0.6, 0.11], ['SearchServlet', 0.3,
    0.24], ['IngestServlet', 0.1, 0.4]] as const) {
    serve(world, dt, { metrics, name: 'tomcat_servlet_request_seconds',
      labels: { servlet, context: instance.startsWith('workflow') ? '/workflow' : '/archive' },
      status: 'status', codes: { 200: 1, 404: 0.01, 500: 0.0004 }, rate: rate * share,
      mean: mean * world.noise.level(`${instance} ${servlet}`, 0.07), shape });
  }
  metrics.set('tomcat_threads_busy', { name: 'http-nio-8080' }, world.noise.count(rate * 0.2));
  metrics.set('tomcat_threads_config_max', { name: 'http-nio-8080' }, 200);
}

function exposeOracle(world: World, dt: number, metrics: Metrics, wave: number): void {
  metrics.set('oracledb_up', {}, 1);
  metrics.set('oracledb_sessions_value', { status: 'ACTIVE', type: 'USER' },
    world.noise.count(6 * wave));
  metrics.add('oracledb_activity_execute_count', {}, world.noise.count(340 * wave * dt));
  metrics.set('oracledb_tablespace_used_percent', { tablespace: 'ARCHIVE_DATA' },
    71.2 * world.noise.level('tablespace', 0.001));
}

export const incident = inWorld({
  name: 'heap-sawtooth',
  what: 'the heap of archive-app1 is over 80 % until it is collected, as twice in every hour',
  truth: {
    says: 'Nothing is wrong: the heap of archive-app1 fills within half an hour and a bit and is '
      + 'collected at 88 %, down to 31 % each time, as all day on all three nodes; the level after '
      + 'a collection has not grown, a collection takes 0.9 s, requests are as fast as ever. '
      + 'workflow 8.31 and the scans are coincidence. The threshold of 80 % of the whole heap says '
      + 'nothing: watch what is left after a collection, or the time spent in it.',
    alerts: ['JvmMemoryFillingUp'],
    classifications: ['noisy', 'informational'],
    cause: /usual|ordinar|normal|always|regular|recur|periodic|saw.?tooth|collect|\bgc\b|\d times/,
    culprit: null,
    holds: [/heap|old gen|memory/, /every|each|threshold|range|same (level|height)/],
    isFalse: [
      /(?<!no |not a |without a |nor a |no sign of a )\bleak/, /workflow|8\.31/,
      /release|deploy|version/, /(more|rising|growing) (requests|traffic|load)|traffic (rose|grew)/,
      /restart|crash|out of memory|\boom/, /\bdisk\b|network|\bcpu\b/, /oracle|database/,
      /(?<!(not|no) )slow(er)?\b|latency (rose|grew)/,
    ],
    mayNotBeRuledOut: /threshold|regular|usual|ordinary/,
    step: /threshold|rule|\bfor:|collect|\bgc\b|after.*collection|wait|silence|heap/,
    hasNoOnset: true,
  },
  rules: [
    {
      alert: 'JvmMemoryFillingUp', for: '1m',
      expr: '(sum by (instance) (jvm_memory_bytes_used{area="heap"}) '
        + '/ sum by (instance) (jvm_memory_bytes_max{area="heap"})) * 100 > 80',
      summary: 'JVM memory filling up (instance {{ $labels.instance }})',
      annotations: {
        description: 'JVM memory is filling up (> 80%)\n  VALUE = {{ $value }}\n  LABELS = '
          + '{{ $labels }}',
      },
    },
    {
      alert: 'TomcatThreadsBusy', for: '1m', severity: 'critical',
      expr: 'tomcat_threads_busy / tomcat_threads_config_max > 0.9',
    },
  ],
  firesWithinSeconds: 240,
  proofs: [
    'max by (instance) (jvm_memory_bytes_used{area="heap",instance="archive-app1:9404"}) > '
      + '0.8 * 8589934592',
    'sum(count_over_time((jvm_memory_bytes_used{area="heap",application="archive"} > '
      + '0.8 * 8589934592)[23h:1m])) > 300',
    'increase(jvm_gc_collection_seconds_count{gc="PS MarkSweep",instance="archive-app1:9404"}'
      + '[6h]) > 7',
    'min_over_time(jvm_memory_bytes_used{area="heap",instance="archive-app1:9404"}[1h]) < '
      + '1.1 * min_over_time(jvm_memory_bytes_used{area="heap",instance="archive-app1:9404"}[1h] '
      + 'offset 20h)',
    'histogram_quantile(0.9, sum by (le) (rate(tomcat_servlet_request_seconds_bucket[2m]))) < 1',
  ],
  build,
});
