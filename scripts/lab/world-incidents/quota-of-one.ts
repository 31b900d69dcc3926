/** A weather API behind Kong, whose limit is per service, so that customers share it. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, exposeProcess, goBounds, LinuxHost, millisecondBounds,
  serve } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

const consumers: Readonly<Record<string, number>> = {
  'acme-logistics': 4, 'bahnwetter': 6, 'fieldwise': 9, 'gridcast': 3, 'harbourmaster': 5,
  'skiline': 2, 'sunrise-energy': 11, 'tourbase': 4, 'windpark-nord': 7, 'internal-status': 0.5,
};
/** Requests per second that the plug-in lets through to the service forecast. */
const limit = 80;

const demandOf = (world: World, consumer: string): number => {
  const usual = (consumers[consumer] ?? 0) * world.noise.level(consumer, 0.1);
  return consumer === 'acme-logistics' && world.age !== null
    ? Math.min(140, usual + world.age * 12) : usual;
};

function build(world: World): (dt: number) => void {
  const gateways = ['kong-1', 'kong-2'].map((name) =>
    world.place({ job: 'kong', instance: `${name}.edge:8001`, env: 'live' }));
  const backends = [1, 2, 3].map((id) =>
    world.place({ job: 'forecast-svc', instance: `forecast-${String(id)}.app:8000`, env: 'live' }));
  const tiles = world.place({ job: 'tiles-svc', instance: 'tiles-1.app:8000', env: 'live' });
  const hosts = ['kong-1', 'kong-2', 'forecast-1', 'forecast-2', 'forecast-3'].map((name) =>
    new LinuxHost(world, world.place({ job: 'node', instance: `${name}:9100`, env: 'live' }), {
      cores: 4, memory: 16e9, disks: [
        { device: 'sda1', mountpoint: '/', bytes: 50e9, usedBytes: 17e9 },
      ],
    }));
  return (dt) => {
    const wave = demand(world, 'api', 1);
    const all = Object.keys(consumers).map((name) => ({ name, rate: demandOf(world,
      name) * wave }));
    const wanted = all.reduce((sum, { rate }) => sum + rate, 0);
    const refused = Math.max(0, 1 - limit / wanted);
    gateways.forEach(({ metrics }, index) => {
      for (const { name, rate } of all) {
        gate(world, dt, metrics, { consumer: name, rate: rate / 2, refused });
      }
      // The limit is counted anew each second, in a store that both share.
      metrics.set('kong_rate_limiting_usage_ratio', { service: 'forecast', window: 'second' },
        Math.min(1, wanted / limit * world.noise.level(`window ${String(index)}`, 0.04)));
      metrics.set('kong_rate_limiting_usage_ratio', { service: 'tiles', window: 'second' },
        0.22 * world.noise.level(`tiles ${String(index)}`, 0.1));
      for (const state of ['active', 'reading', 'writing', 'waiting']) {
        metrics.set('kong_nginx_connections_total', { state, node_id: `n${String(index)}` },
          Math.round(40 * (wanted / 60) * world.noise.level(`${state} ${String(index)}`, 0.08)));
      }
      metrics.set('kong_datastore_reachable', {}, 1);
      metrics.set('kong_memory_lua_shared_dict_bytes', { shared_dict: 'kong_db_cache' },
        Math.round(2.1e7 * world.noise.level(`dict ${String(index)}`, 0.02)));
    });
    backends.forEach((target, index) => {
      // The model of the morning has just been loaded everywhere.
      const run = world.clock > -50 ? '2026112906' : '2026112900';
      target.metrics.remove('forecast_model_info');
      target.metrics.set('forecast_model_info', { run }, 1);
      serve(world, dt, { metrics: target.metrics, name: 'starlette_request_duration_seconds',
        labels: { path: '/v2/forecast', method: 'GET' }, status: 'status_code',
        codes: { 200: 1, 500: 0.0003 }, rate: Math.min(wanted, limit) / 3,
        mean: 0.033 * world.noise.level(`backend ${String(index)}`, 0.06), shape: goBounds });
      exposeProcess(world, target, dt, { cpu: 0.6 * Math.min(wanted, limit) / 60, memory: 5e8,
        startedAt: world.origin - 8e5 });
    });
    serve(world, dt, { metrics: tiles.metrics, name: 'starlette_request_duration_seconds',
      labels: { path: '/tiles/{z}/{x}/{y}', method: 'GET' }, status: 'status_code',
      codes: { 200: 1, 404: 0.03 }, rate: 44 * wave, mean: 0.012, shape: goBounds });
    hosts.forEach((host, index) => {
      host.busy = index < 2 ? 0.5 + wanted / 160 : 0.9;
      host.step(dt);
    });
  };
}

function gate(
  world: World,
  dt: number,
  metrics: Metrics,
  { consumer, rate, refused }: {
    readonly consumer: string; readonly rate: number; readonly refused: number;
  },
): void {
  const count = world.noise.count(rate * dt);
  const limited = Math.min(count, world.noise.count(count * refused));
  const labels = { service: 'forecast', route: 'forecast-v2', consumer };
  const wrong = Math.min(count - limited, world.noise.count(count * 0.006));
  for (const [code, source, some] of [['200', 'service', count - limited - wrong],
    ['429', 'kong', limited], ['404', 'service', wrong]] as const) {
    metrics.add('kong_http_requests_total', { ...labels, code, source }, some);
  }
  const passed = count - limited;
  metrics.observe('kong_upstream_latency_ms', { service: 'forecast', route: 'forecast-v2' }, passed,
    36, millisecondBounds);
  metrics.observe('kong_kong_latency_ms', { service: 'forecast', route: 'forecast-v2' }, count, 2,
    millisecondBounds);
  metrics.add('kong_bandwidth_bytes', { ...labels, direction: 'egress', type: 'http' },
    passed * 5200 + limited * 90);
}

export const incident = inWorld({
  name: 'quota-of-one',
  what: 'one customer, acme-logistics, sends 35 times its requests; the shared limit refuses '
    + 'everybody',
  truth: {
    says: 'More than half of the requests for forecast end in 429 since T, of all customers, '
      + 'because '
      + 'acme-logistics asks for some 160 a second where it asked for 5, and the limit of 80 a '
      + 'second is that of the service, shared by all. forecast itself gets no more than the '
      + 'limit and answers in 33 ms as ever. The new model run has nothing to do with it. Limit '
      + 'acme-logistics by itself, and ask it.',
    alerts: ['ApiClientsGet4xx', 'RateLimitSaturated'],
    cause: /acme|consumer|429|rate.?limit|quota|tenant|customer/,
    culprit: /acme-logistics/,
    holds: [/requests|traffic/, /connections/, /bandwidth/],
    isFalse: [
      /bahnwetter|fieldwise|gridcast|harbourmaster|skiline|sunrise|tourbase|windpark/,
      /tiles/, /model|2026112906/, /release|version|deploy/, /forecast-[123]|forecast-svc/,
      /slow|latency/, /memory|leak|\bcpu\b/, /datastore/,
    ],
    mayNotBeRuledOut: /acme|traffic|consumer|tenant|limit|requests/,
    step: /acme|consumer|limit|429|kong/,
  },
  rules: [
    {
      alert: 'ApiClientsGet4xx', for: '30s', severity: 'critical', labels: { team: 'api-platform' },
      expr: 'sum by (service, env) (rate(kong_http_requests_total{code=~"4.."}[1m])) '
        + '/ sum by (service, env) (rate(kong_http_requests_total[1m])) * 100 > 15',
      annotations: { summary: '{{ $value | printf "%.0f" }}% of {{ $labels.service }} is 4xx' },
    },
    {
      alert: 'RateLimitSaturated', for: '1m', labels: { team: 'api-platform' },
      expr: 'min_over_time(kong_rate_limiting_usage_ratio[1m]) > 0.98',
    },
    {
      alert: 'UpstreamSlow', labels: { team: 'api-platform' },
      expr: 'histogram_quantile(0.95, sum by (le, service) (rate(kong_upstream_latency_ms_bucket'
        + '[2m]))) > 400',
    },
  ],
  proofs: [
    'sum(rate(kong_http_requests_total{consumer="acme-logistics"}[1m])) > 100',
    'sum(rate(kong_http_requests_total{consumer="acme-logistics"}[1m] offset 5m)) < 8',
    'count(sum by (consumer) (rate(kong_http_requests_total{code="429"}[2m])) > 0) >= 9',
    'abs(sum(rate(kong_http_requests_total{consumer!="acme-logistics"}[1m])) / '
      + 'sum(rate(kong_http_requests_total{consumer!="acme-logistics"}[1m] offset 5m)) - 1) < 0.15',
    'sum(rate(starlette_request_duration_seconds_count{path="/v2/forecast"}[1m])) < 90',
    'sum(rate(kong_upstream_latency_ms_sum[1m])) / sum(rate(kong_upstream_latency_ms_count[1m])) '
      + '< 40',
  ],
  build,
});
