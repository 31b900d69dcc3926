/** A marketplace in Python and Node, seen through an OpenTelemetry collector. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, otelBounds, serve } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

const uptime = 6 * 86_400;
/** When basket-api 5.9.1 came, in seconds of the clock. */
const deployed = -170;

interface App {
  readonly job: string;
  readonly instances: readonly string[];
  readonly language: string;
  readonly version: string;
}

const apps: readonly App[] = [
  { job: 'web/storefront-web', instances: ['4f1c', '9b02', 'c7de', 'e310'], language: 'nodejs',
    version: '2026.47.1' },
  { job: 'discovery/recs-api', instances: ['1a77', '5d90', 'b3f4'], language: 'python',
    version: '0.88.0' },
  { job: 'discovery/ranker', instances: ['70aa', '83c1'], language: 'python', version: '3.2.0' },
  { job: 'catalog/catalog-api', instances: ['2e5b', '6c19', 'f00d'], language: 'go',
    version: '1.140.2' },
  { job: 'basket/basket-api', instances: ['0b8e', 'd421'], language: 'go', version: '5.9.0' },
];

function build(world: World): (dt: number) => void {
  const { metrics } = world.place({ job: 'otel-collector', instance: 'otel-gw.obs.svc:8889' });
  const flags = world.place({ job: 'flagd', instance: 'flagd.platform.svc:8014' });
  const instancesOf = ({ job, instances }: App): readonly string[] =>
    job === 'basket/basket-api' && world.clock >= deployed ? ['77b3', 'ae60'] : instances;
  return (dt) => {
    const { age } = world;
    const share = age === null ? 0 : 0.5;
    const views = 46 * demand(world, 'pages', 1);
    // Requests wait for each other the longer the new model is asked.
    const slow = age === null ? 0 : Math.min(2.6, 0.9 + age * 0.02);
    if (world.passes(deployed, dt)) forget(metrics, ['0b8e', 'd421']);
    for (const app of apps) {
      const version = app.job === 'basket/basket-api' && world.clock >= deployed ? '5.9.1'
        : app.version;
      for (const id of instancesOf(app)) exposeRuntime(world, metrics, dt, { app, id, version });
    }
    const at = (job: string, route: string, method: string, rate: number, mean: number,
      errors = 0.0006): void => {
      const app = apps.find((each) => each.job === job);
      if (app === undefined) return;
      const ids = instancesOf(app);
      for (const id of ids) {
        serve(world, dt, {
          metrics, name: 'http_server_request_duration_seconds',
          labels: { exported_job: job, exported_instance: id, http_request_method: method,
            http_route: route },
          status: 'http_response_status_code', codes: { 200: 1, 500: errors },
          rate: rate / ids.length, mean: mean * world.noise.level(`${id} ${route}`, 0.06),
          shape: otelBounds,
        });
      }
    };
    const recs = 0.045 * (1 - share) + (0.06 + slow) * share;
    at('web/storefront-web', '/p/{sku}', 'GET', views, 0.11 + recs);
    at('web/storefront-web', '/c/{category}', 'GET', views * 0.4, 0.14);
    at('web/storefront-web', '/basket', 'POST', views * 0.06, 0.08);
    at('discovery/recs-api', '/v1/recommendations', 'GET', views, recs);
    at('discovery/ranker', '/v2/models/ranker_v2/infer', 'POST', views * (1 - share), 0.022);
    if (share > 0) at('discovery/ranker', '/v2/models/ranker_v3/infer', 'POST', views * share,
      slow);
    at('catalog/catalog-api', '/items/{sku}', 'GET', views * 2.1, 0.012);
    at('basket/basket-api', '/basket/{id}', 'POST', views * 0.06, 0.031);
    for (const id of ['70aa', '83c1']) {
      const labels = { exported_job: 'discovery/ranker', exported_instance: id };
      const busy = share > 0 ? 0.985 : 0.21 * world.noise.level(`${id} gpu`, 0.2);
      metrics.set('ranker_gpu_utilization_ratio', labels, busy);
      metrics.set('ranker_batch_queue_size', labels, world.noise.count(share > 0 ? 18 + slow
        : 0.3));
    }
    evaluate(world, metrics, dt, { views, share });
    const rollout = { ranker_v3: share * 100, free_shipping_banner: world.clock > -1500 ? 100 : 0,
      new_search_box: 100, dark_mode: 25 };
    for (const [flag, percent] of Object.entries(rollout)) {
      flags.metrics.set('flagd_rollout_percent', { flag_key: flag, environment: 'prod' }, percent);
    }
    flags.metrics.set('flagd_sync_last_success_timestamp_seconds', {},
      Math.floor(world.now / 10) * 10);
  };
}

/** Processes that are gone have no series. */
function forget(metrics: Metrics, instances: readonly string[]): void {
  for (const exported_instance of instances) {
    for (const name of new Set([...metrics.samples()].map((sample) => sample.name))) {
      metrics.remove(name, { exported_instance });
    }
  }
}

function exposeRuntime(
  world: World,
  metrics: Metrics,
  dt: number,
  { app, id, version }: { readonly app: App; readonly id: string; readonly version: string },
): void {
  const labels = { exported_job: app.job, exported_instance: id };
  metrics.set('target_info', {
    ...labels, service_version: version, telemetry_sdk_language: app.language,
  }, 1);
  const used = 0.3 * world.noise.level(`${id} cpu`, 0.2);
  metrics.add('process_cpu_time_seconds_total', { ...labels, state: 'user' }, used * dt);
  const memory = 240e6 * world.noise.level(`${id} memory`, 0.04);
  metrics.set('process_memory_usage_bytes', labels, Math.round(memory));
  metrics.set('process_uptime_seconds', labels, Math.round(world.clock
    - (version === '5.9.1' ? deployed : -uptime)));
}

/** As the hook of OpenFeature counts them. */
function evaluate(
  world: World,
  metrics: Metrics,
  dt: number,
  { views, share }: { readonly views: number; readonly share: number },
): void {
  for (const id of ['1a77', '5d90', 'b3f4']) {
    const labels = { exported_job: 'discovery/recs-api', exported_instance: id };
    const count = world.noise.count(views / 3 * dt);
    for (const [variant, part] of [['on', share], ['off', 1 - share]] as const) {
      metrics.add('feature_flag_evaluation_success_total', {
        ...labels, feature_flag_key: 'ranker_v3', feature_flag_variant: variant,
      }, count * part);
    }
  }
}

export const incident = inWorld({
  name: 'ranker-flag',
  what: 'the flag ranker_v3 goes to 50 %: recommendations wait for a slow model; nothing restarts',
  truth: {
    says: 'Product pages are slow since T because recs-api waits for the ranker: at T the flag '
      + 'ranker_v3 went from 0 to 50 % without any restart, half of the inferences go to the model '
      + 'ranker_v3, which takes 1 to 3 s where ranker_v2 takes 22 ms, with the GPUs at 98 %. '
      + 'basket-api 5.9.1 minutes before and the banner flag have nothing to do with it. Set the '
      + 'flag back.',
    alerts: ['ProductPageLatencySLO', 'RecommendationsSlow'],
    cause: /ranker|flag|rollout/,
    culprit: /ranker/,
    holds: [/recs-api|recommendations/, /gpu/],
    isFalse: [
      /basket/, /5\.9\.1/, /catalog/, /banner|free_shipping/, /traffic|more requests/,
      /restart/, /memory|leak/,
    ],
    mayNotBeRuledOut: /flag|ranker|recs|configuration/,
    step: /ranker|flag|recs-api|recommendations/,
  },
  rules: [
    {
      alert: 'ProductPageLatencySLO', for: '30s', severity: 'critical',
      labels: { team: 'web', slo: 'pdp-latency' },
      expr: 'histogram_quantile(0.95, sum by (le, exported_job) (rate('
        + 'http_server_request_duration_seconds_bucket{exported_job="web/storefront-web",'
        + 'http_route="/p/{sku}"}[2m]))) > 0.8',
      annotations: {
        description: 'p95 of the product page is {{ $value | humanizeDuration }} (objective 800ms)',
        runbook_url: 'https://wiki.marketplace.example/runbooks/pdp-latency',
      },
    },
    {
      alert: 'RecommendationsSlow', for: '1m', labels: { team: 'discovery' },
      expr: 'sum by (exported_job) (rate(http_server_request_duration_seconds_sum{'
        + 'exported_job="discovery/recs-api"}[2m])) / sum by (exported_job) (rate('
        + 'http_server_request_duration_seconds_count{exported_job="discovery/recs-api"}[2m]))'
        + ' > 0.4',
    },
    {
      alert: 'HttpServerErrors', labels: { team: 'platform' },
      expr: 'sum by (exported_job) (rate(http_server_request_duration_seconds_count{'
        + 'http_response_status_code=~"5.."}[5m])) / sum by (exported_job) (rate('
        + 'http_server_request_duration_seconds_count[5m])) > 0.02',
    },
  ],
  proofs: [
    'flagd_rollout_percent{flag_key="ranker_v3"} == 50',
    'changes(flagd_rollout_percent{flag_key="ranker_v3"}[10m]) == 1',
    'changes(flagd_rollout_percent{flag_key="free_shipping_banner"}[10m]) == 0',
    'sum(rate(http_server_request_duration_seconds_sum{http_route=~".*ranker_v3.*"}[1m]))'
      + ' / sum(rate(http_server_request_duration_seconds_count{'
      + 'http_route=~".*ranker_v3.*"}[1m])) > 0.8',
    'sum(rate(http_server_request_duration_seconds_sum{http_route=~".*ranker_v2.*"}[1m]))'
      + ' / sum(rate(http_server_request_duration_seconds_count{'
      + 'http_route=~".*ranker_v2.*"}[1m])) < 0.03',
    'min(process_uptime_seconds{exported_job!="basket/basket-api"}) > 86400',
    'count(target_info{exported_job="basket/basket-api",service_version="5.9.1"}) == 2',
  ],
  build,
});
