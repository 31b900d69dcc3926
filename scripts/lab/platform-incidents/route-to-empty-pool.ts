/** Flights behind Envoy: the control plane pushes a route to a cluster that has no endpoint. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, exposeGo, exposeProcess, LinuxHost, millisecondBounds,
  serve } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

interface Pool {
  readonly cluster: string;
  readonly rate: number;
  readonly milliseconds: number;
  readonly members: number;
}

const pools: readonly Pool[] = [
  { cluster: 'fares_v1', rate: 38, milliseconds: 95, members: 6 },
  { cluster: 'seatmaps', rate: 17, milliseconds: 60, members: 4 },
  { cluster: 'pnr', rate: 12, milliseconds: 140, members: 5 },
  { cluster: 'ancillaries', rate: 21, milliseconds: 45, members: 4 },
];
const dead = 'fares_v2';
const edges = ['edge-arn-1', 'edge-arn-2', 'edge-dub-1', 'edge-dub-2'];
const oldConfig = 5_120_331_874;
const newConfig = 8_844_107_216;
/** Each proxy takes the new configuration a few seconds after the one before. */
const isMoved = (world: World, index: number): boolean =>
  world.age !== null && world.age > 2 + index * 2;

function build(world: World): (dt: number) => void {
  const proxies = edges.map((name) => world.place({ job: 'envoy', instance: `${name}:9901`,
    envoy_zone: name.slice(5, 8) }));
  const fares = [1, 2, 3].map((id) => world.place({ job: 'fares', instance:
    `fares-v1-${String(id)}:2112`, version: 'v1' }));
  const control = world.place({ job: 'control-plane', instance: 'xds-0:8090' });
  const site = world.place({ job: 'booking-bff', instance: 'booking-bff:3000' });
  const hosts = edges.map((name) => new LinuxHost(world, world.place({ job: 'node',
    instance: `${name}:9100` }), { cores: 8, memory: 16e9, disks: [
    { device: 'nvme0n1p1', mountpoint: '/', bytes: 50e9, usedBytes: 12e9 },
  ] }));
  return (dt) => {
    const wave = demand(world, 'travellers', 1);
    const moved = edges.filter((_, index) => isMoved(world, index)).length / edges.length;
    proxies.forEach(({ metrics, instance }, index) => {
      exposeProxy(world, dt, metrics, { index, wave });
      metrics.set('envoy_server_memory_allocated', {},
        Math.round(9.1e7 * world.noise.level(`${instance} memory`, 0.05)));
      metrics.set('envoy_server_live', {}, 1);
      metrics.set('envoy_server_uptime', {}, 1_900_000 + Math.round(world.clock));
    });
    for (const target of fares) {
      serve(world, dt, { metrics: target.metrics, name: 'grpc_server_handling_seconds',
        labels: { grpc_service: 'fares.Fares', grpc_method: 'Quote' }, status: 'grpc_code',
        codes: { OK: 1, NotFound: 0.02, Internal: 0.0002 }, rate: 38 / 3 * wave * (1 - moved),
        mean: 0.088, shape: { bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
          steepness: 4 } });
      exposeGo(world, target, 160);
      exposeProcess(world, target, dt, { cpu: 0.2 + 0.5 * wave * (1 - moved), memory: 2.1e8,
        startedAt: world.origin - 7e5 });
    }
    exposeControl(world, dt, control);
    const searches = world.noise.count(12 * wave * dt);
    const failed = Math.min(searches, world.noise.count(searches * (0.001 + moved * 0.95)));
    site.metrics.add('flight_searches_total', { outcome: 'priced' }, searches - failed);
    site.metrics.add('flight_searches_total', { outcome: 'no_price' }, failed);
    site.metrics.add('bookings_confirmed_total', {},
      world.noise.count(0.7 * wave * (1 - 0.8 * moved) * dt));
    // A campaign for winter has been running for a quarter of an hour.
    site.metrics.add('campaign_landings_total', { campaign: 'winter-sun' },
      world.noise.count((world.clock > -900 ? 3 : 0.2) * dt));
    hosts.forEach((host) => {
      host.busy = 1.5 * wave;
      host.step(dt);
    });
  };
}

function exposeProxy(
  world: World,
  dt: number,
  metrics: Metrics,
  { index, wave }: { readonly index: number; readonly wave: number },
): void {
  const { noise } = world;
  const moved = isMoved(world, index);
  const share = wave / edges.length;
  for (const { cluster, rate, milliseconds, members } of pools) {
    const labels = { envoy_cluster_name: cluster };
    const own = cluster === 'fares_v1' && moved ? 0 : rate * share;
    serve(world, dt, { metrics, name: 'envoy_cluster_upstream_rq_time',
      labels, status: 'envoy_response_code_class', codes: { 2: 1, 4: 0.02, 5: 0.0004 },
      rate: own, mean: milliseconds * noise.level(`${cluster} ${String(index)}`, 0.06),
      shape: millisecondBounds });
    metrics.set('envoy_cluster_membership_total', labels, members);
    metrics.set('envoy_cluster_membership_healthy', labels, members);
    metrics.add('envoy_cluster_upstream_cx_none_healthy', labels, 0);
    metrics.set('envoy_cluster_upstream_cx_active', labels,
      noise.count(own === 0 ? 0 : 8 + own * 0.6));
    metrics.add('envoy_cluster_upstream_cx_connect_fail', labels, noise.count(0.003 * dt));
  }
  const labels = { envoy_cluster_name: dead };
  // The cluster has been there for weeks, for a test; nothing was sent to it.
  metrics.set('envoy_cluster_membership_total', labels, 0);
  metrics.set('envoy_cluster_membership_healthy', labels, 0);
  metrics.set('envoy_cluster_upstream_cx_active', labels, 0);
  const refused = moved ? noise.count(38 * share * dt) : 0;
  metrics.add('envoy_cluster_upstream_cx_none_healthy', labels, refused);
  const others = noise.count(50 * share * dt) + (moved ? 0 : noise.count(38 * share * dt));
  const unwell = noise.count(others * 0.0004);
  for (const [code, count] of [['2', others - unwell], ['5', refused + unwell],
    ['4', noise.count(1.6 * share * dt)]] as const) {
    metrics.add('envoy_http_downstream_rq_xx', { envoy_http_conn_manager_prefix: 'ingress_https',
      envoy_response_code_class: code }, count);
  }
  metrics.add('envoy_http_no_route', { envoy_http_conn_manager_prefix: 'ingress_https' },
    noise.count(0.01 * dt));
  metrics.set('envoy_http_rds_version', { envoy_rds_route_config: 'ingress' },
    moved ? newConfig : oldConfig);
  const since = world.age === null ? Infinity : world.age - 2 - index * 2;
  metrics.add('envoy_http_rds_update_success', { envoy_rds_route_config: 'ingress' },
    since > 0 && since <= dt ? 1 : 0);
  metrics.add('envoy_http_rds_update_rejected', { envoy_rds_route_config: 'ingress' }, 0);
  metrics.set('envoy_control_plane_connected_state', {}, 1);
}

/** Its own version is from two hours before; somebody merges a change of the routes at T. */
function exposeControl(world: World, dt: number, target: ReturnType<World['place']>): void {
  const { metrics } = target;
  metrics.add('xds_pushes_total', { type: 'rds' }, world.age !== null && world.age <= dt + 0.01
    ? edges.length : 0);
  metrics.add('xds_pushes_total', { type: 'eds' }, world.noise.count(0.05 * dt));
  metrics.add('xds_push_errors_total', {}, 0);
  metrics.set('xds_connected_proxies', {}, edges.length);
  exposeGo(world, target, 90);
  exposeProcess(world, target, dt, { cpu: 0.1, memory: 1.2e8, startedAt: world.origin - 9e5 });
}

export const incident = inWorld({
  name: 'route-to-empty-pool',
  what: 'a pushed route sends fares to the Envoy cluster fares_v2, which has no endpoints',
  truth: {
    says: 'Four of ten requests at the edge end in 503 since T because all four Envoys send what '
      + 'is for fares to the cluster fares_v2, which has no members (none_healthy), instead of '
      + 'fares_v1, which gets nothing any more and is well. The proxies took a new route '
      + 'configuration at T (rds version and pushes of the control plane); nothing restarted. The '
      + 'campaign is coincidence. Push the old routes again.',
    alerts: ['EdgeErrorBudgetBurn', 'SearchesWithoutPrice'],
    cause: /fares_v2|none_healthy|no (healthy|member|endpoint|host)|\brds|route|config|xds|push/,
    culprit: /fares_v2|\brds|xds|route|control.plane|config/,
    holds: [/fares/, /\b5(xx|03)\b|downstream|response_code_class/, /no_price|bookings|searches/,
      /envoy/],
    isFalse: [
      /seatmaps|pnr|ancillaries/, /campaign|winter/, /more (requests|traffic)|traffic (rose|grew)/,
      /memory|leak|\bdisk\b/, /restart|crash/, /edge-(arn|dub)-\d[^,]*(alone|only)/,
      /fares[_-]v1.*(crash|overload|slow|(is|are) down|unhealthy)/, /certificate|\btls\b|\bdns\b/,
      /retr(y|ies)/,
    ],
    mayNotBeRuledOut: /fares_v2|none_healthy|route|config|\brds|xds|push/,
    step: /fares|route|config|rds|xds|push|control.plane|none_healthy|membership|cluster/,
  },
  rules: [
    {
      alert: 'EdgeErrorBudgetBurn', for: '30s', severity: 'critical', labels: { team: 'edge' },
      expr: 'sum(rate(envoy_http_downstream_rq_xx{envoy_response_code_class="5"}[1m])) '
        + '/ sum(rate(envoy_http_downstream_rq_xx[1m])) > 14.4 * 0.002',
      annotations: { summary: 'The edge burns its budget: {{ $value | humanizePercentage }}' },
    },
    {
      alert: 'SearchesWithoutPrice', for: '30s', severity: 'critical',
      labels: { team: 'commerce' },
      expr: 'sum(rate(flight_searches_total{outcome="no_price"}[1m])) '
        + '/ sum(rate(flight_searches_total[1m])) > 0.2',
    },
    {
      alert: 'XdsRejected', for: '1m', labels: { team: 'edge' },
      expr: 'increase(envoy_http_rds_update_rejected[5m]) > 0',
    },
  ],
  proofs: [
    'sum by (envoy_cluster_name) (rate(envoy_cluster_upstream_cx_none_healthy[1m])) > 5',
    'envoy_cluster_membership_healthy{envoy_cluster_name="fares_v2"} == 0',
    'envoy_cluster_membership_healthy{envoy_cluster_name="fares_v1"} == 6',
    'changes(envoy_http_rds_version[5m]) > 0',
    'sum(rate(envoy_cluster_upstream_rq_time_count{envoy_cluster_name="fares_v1"}[30s])) == 0',
    'sum(increase(xds_pushes_total{type="rds"}[5m])) > 2',
    'sum(rate(envoy_cluster_upstream_rq_time_count{envoy_cluster_name!="fares_v1",'
      + 'envoy_response_code_class="5"}[2m])) < 0.3',
  ],
  build,
});
