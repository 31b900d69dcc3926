/** Kubernetes of an estate agent: a link checker fills the table of connections of one node. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, exposeContainers, exposeGo, goBounds, LinuxHost, serve,
  type Container } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

const nodes = ['gke-pool-b-1c7d', 'gke-pool-b-4fqz', 'gke-pool-b-9xkt', 'gke-pool-b-w2mp'];
const bad = 'gke-pool-b-9xkt';
const limit = 131_072;
const usualEntries = 21_000;

interface App {
  readonly app: string;
  readonly calls: string;
  readonly rate: number;
  readonly seconds: number;
}

const apps: readonly App[] = [
  { app: 'listing-search', calls: 'geo-index', rate: 52, seconds: 0.07 },
  { app: 'viewing-planner', calls: 'calendar-sync', rate: 9, seconds: 0.12 },
  { app: 'mortgage-calc', calls: 'rates-store', rate: 14, seconds: 0.03 },
  { app: 'agent-inbox', calls: 'mail-store', rate: 11, seconds: 0.09 },
];
/** Nodes of the two pods of each application; all but agent-inbox have one on 9xkt. */
const nodesOf = (index: number): readonly string[] =>
  [nodes[index % 4] ?? '', index < 2 ? bad : nodes[(index + 1) % 4] ?? ''];

/** Entries of the table; what is opened stays for two minutes. */
function entriesOf(world: World, node: string, wave: number): number {
  const usual = usualEntries * (0.6 + 0.4 * wave) * world.noise.level(`${node} ct`, 0.05);
  const opened = node === bad && world.age !== null ? world.age * 5200 : 0;
  return Math.min(limit, usual + opened);
}

function build(world: World): (dt: number) => void {
  const hosts = nodes.map((node) => {
    const endpoint = world.place({ job: 'node-exporter', node, instance: `${node}:9100` });
    return { node, metrics: endpoint.metrics, host: new LinuxHost(world, endpoint, { cores: 4,
      memory: 16e9, disks: [
        { device: 'sda1', mountpoint: '/', bytes: 100e9, usedBytes: 44e9 },
      ] }) };
  });
  const pods = apps.flatMap((app, index) => nodesOf(index).map((node, which) => ({
    app, node, endpoint: world.place({ job: app.app, namespace: 'homes', node,
      pod: `${app.app}-${which === 0 ? '66bd9-m4l7x' : '66bd9-tc8vn'}`,
      instance: `10.60.${String(index)}.${String(which + 10)}:8080` }),
  })));
  const checker = world.place({ job: 'link-checker', namespace: 'seo', node: bad,
    pod: 'link-checker-5d8f9-r5w2d', instance: '10.60.9.77:9900' });
  const cluster = world.place({ job: 'kube-state-metrics', instance: 'ksm:8080' });
  const cadvisor = world.place({ job: 'cadvisor', instance: 'cadvisor:8080' });
  return (dt) => {
    const wave = demand(world, 'visitors', 1);
    const full = new Map<string, boolean>();
    for (const { node, metrics, host } of hosts) {
      const entries = entriesOf(world, node, wave);
      full.set(node, entries >= limit);
      metrics.set('node_nf_conntrack_entries', {}, Math.round(entries));
      metrics.set('node_nf_conntrack_entries_limit', {}, limit);
      metrics.add('node_nf_conntrack_stat_drop', {}, entries >= limit ? 2100 * dt : 0);
      metrics.add('node_nf_conntrack_stat_insert_failed', {}, world.noise.count(0.02 * dt));
      metrics.add('node_netstat_Tcp_ActiveOpens', {}, world.noise.count(
        (60 * wave + (node === bad && world.age !== null ? 5200 : 0)) * dt));
      metrics.set('node_sockstat_TCP_tw', {}, Math.round(900 * wave));
      host.busy = 1.1 * wave + (node === bad && world.age !== null ? 0.9 : 0);
      host.step(dt);
    }
    for (const { app, node, endpoint } of pods) {
      const lost = full.get(node) === true ? 0.38 : 0;
      serveApp(world, dt, endpoint.metrics, { app, rate: app.rate / 2 * wave, lost });
      exposeGo(world, endpoint, 110 + lost * 900);
    }
    check(world, dt, checker.metrics);
    exposeContainers(world, dt, { cadvisor: cadvisor.metrics, kube: cluster.metrics,
      all: containersOf(world, pods, wave) });
    const deployed = world.clock > -160 ? 14 : 13;
    cluster.metrics.set('kube_deployment_status_observed_generation', { namespace: 'homes',
      deployment: 'photo-resizer' }, deployed);
  };
}

function serveApp(
  world: World,
  dt: number,
  metrics: Metrics,
  { app, rate, lost }: { readonly app: App; readonly rate: number; readonly lost: number },
): void {
  serve(world, dt, { metrics, name: 'request_duration_seconds', labels: { service: app.app },
    status: 'status', codes: { 200: 1, 404: 0.01, 504: 0.0003 + lost }, rate,
    mean: app.seconds + lost * 2.9, shape: goBounds });
  const calls = rate * 1.2;
  const failed = world.noise.count(calls * (0.0002 + lost) * dt);
  metrics.add('upstream_calls_total', { upstream: app.calls, result: 'dial_timeout' }, failed);
  metrics.add('upstream_calls_total', { upstream: app.calls, result: 'ok' },
    Math.max(0, world.noise.count(calls * dt) - failed));
}

/** A run starts as the incident begins, over all links that there are, with 4000 at a time. */
function check(world: World, dt: number, metrics: Metrics): void {
  const isRunning = world.age !== null;
  metrics.add('linkcheck_connections_opened_total', {}, isRunning ? 5200 * dt : 0);
  metrics.add('linkcheck_links_checked_total', { outcome: 'ok' },
    world.noise.count((isRunning ? 4700 : 0) * dt));
  metrics.set('linkcheck_links_queued', {}, isRunning ? 2_400_000 : 0);
  metrics.set('linkcheck_concurrency', {}, isRunning ? 4000 : 0);
  metrics.set('linkcheck_run_active', {}, isRunning ? 1 : 0);
}

function containersOf(
  world: World,
  pods: readonly { readonly app: App; readonly node: string;
    readonly endpoint: ReturnType<World['place']>; }[],
  wave: number,
): readonly Container[] {
  const own = pods.map(({ app, node, endpoint }) => ({
    namespace: 'homes', pod: endpoint.labels()['pod'] ?? '', container: app.app, node,
    cpu: 0.3 * wave, memory: 2.2e8,
  }));
  return [...own,
    { namespace: 'seo', pod: 'link-checker-5d8f9-r5w2d', container: 'checker', node: bad,
      cpu: world.age === null ? 0.002 : 0.9, memory: world.age === null ? 9e7 : 3.1e8 },
    { namespace: 'homes', pod: 'photo-resizer-7f4c-9dkz2', container: 'resizer',
      node: nodes[0] ?? '', cpu: 0.7 * wave, memory: 6e8 },
  ];
}

export const incident = inWorld({
  name: 'conntrack-full',
  what: 'link-checker opens 5200 connections a second; the conntrack table of its node is full',
  truth: {
    says: 'listing-search, viewing-planner and mortgage-calc time out in their pods on '
      + 'gke-pool-b-9xkt only, as they cannot open connections: the conntrack table of '
      + 'the node is full, 131 072 entries, and drops packets. The pod '
      + 'link-checker-5d8f9-r5w2d of seo, which began a run there at T, opens 5200 connections a '
      + 'second. The other three nodes have 21 000 entries, and the pods there are '
      + 'well. No more requests. The rollout of photo-resizer is coincidence. Stop link-checker.',
    alerts: ['RequestTimeouts', 'UpstreamDialTimeouts'],
    cause: /conntrack|link-?check|connection (tracking|table)|nf_conn|seo\b/,
    culprit: /link-?check|9xkt/,
    holds: [/dial_timeout|upstream|connect/, /\b504\b|timeout|time out/, /ActiveOpens/,
      /goroutines/, /listing-search|viewing-planner|mortgage|geo-index|calendar-sync|rates-store/],
    isFalse: [
      /photo-resizer/, /^(?!.*9xkt).*(1c7d|4fqz|w2mp)/, /agent-inbox|mail-store/,
      /traffic (rose|grew)|more (requests|traffic) /, /^(?!.*link-?check).*memory|leak/,
      /\bdisk\b|\bsda1\b/,
      /\bdns\b/, /release|version|deploy/, /restart|crash/,
      /^(?!.*(9xkt|conntrack|connect|dial|link)).*(geo-index|calendar-sync) (is|was|down)/,
    ],
    mayNotBeRuledOut: /conntrack|link-?check/,
    step: /conntrack|link-?check|9xkt|\bnode\b/,
  },
  rules: [
    {
      alert: 'RequestTimeouts', for: '30s', severity: 'critical', labels: { team: 'homes' },
      expr: 'sum by (service) (rate(request_duration_seconds_count{status="504"}[1m])) '
        + '/ sum by (service) (rate(request_duration_seconds_count[1m])) > 0.05',
      summary: '{{ $labels.service }}: {{ $value | humanizePercentage }} of requests time out',
    },
    {
      alert: 'UpstreamDialTimeouts', for: '1m', labels: { team: 'homes' },
      expr: 'sum by (job, upstream) (rate(upstream_calls_total{result="dial_timeout"}[1m])) > 1',
    },
    {
      alert: 'NodeMemoryPressure', for: '2m', labels: { team: 'platform' },
      expr: 'node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes < 0.08',
    },
  ],
  proofs: [
    'node_nf_conntrack_entries{node="gke-pool-b-9xkt"} == node_nf_conntrack_entries_limit',
    'max(node_nf_conntrack_entries{node!="gke-pool-b-9xkt"}) < 40000',
    'rate(node_nf_conntrack_stat_drop{node="gke-pool-b-9xkt"}[1m]) > 500',
    'rate(linkcheck_connections_opened_total[1m]) > 4000',
    'count(sum by (pod) (rate(upstream_calls_total{result="dial_timeout"}[1m])) > 0.5) == 3',
    'sum by (node) (rate(request_duration_seconds_count{status="504",node!="gke-pool-b-9xkt"}[2m]'
      + ')) < 0.5',
    'kube_deployment_status_observed_generation{deployment="photo-resizer"} == 14',
  ],
  build,
});
