/** Images for newspapers in Node.js on Kubernetes: its autoscaler may only have six pods. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, removePod, serve } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

const podsBefore = 14;
const podsAfter = 6;
const shape = { bounds: [0.01, 0.03, 0.1, 0.3, 0.7, 1, 1.5, 3, 5, 10, 20], steepness: 4 };
const ids = ['2bqkd', '4hs7n', '5tplw', '6vj2m', '7ncxz', '8rg9f', '9wq4t', 'bk6dl', 'cm8hs',
  'dz5vp', 'f7jnk', 'gx3rw', 'hl9tb', 'jp2qc'];
/** Somebody applies an old manifest; the pods beyond the sixth end within fifteen seconds. */
const isLowered = (world: World): boolean => world.age !== null;
/** Each pod has one core, and needs 0.045 s of it for a picture. */
const secondsOfCore = 0.045;
const demandOfPictures = 175;

function podsOf(world: World): number {
  const { age } = world;
  return age === null ? podsBefore : Math.max(podsAfter, podsBefore - Math.floor(age / 2));
}

function build(world: World): (dt: number) => void {
  const app = world.place({ job: 'kubernetes-pods', instance: 'imgproxy-aggregate',
    cluster: 'eu-news' });
  const kube = world.place({ job: 'kube-state-metrics', instance: 'ksm', cluster: 'eu-news' });
  const kubelet = world.place({ job: 'kubelet', instance: 'kubelet-aggregate',
    cluster: 'eu-news' });
  const ingress = world.place({ job: 'ingress-nginx', instance: 'nginx-0:10254',
    cluster: 'eu-news' });
  return (dt) => {
    const wave = 0.85 + 0.15 * demand(world, 'readers', 1);
    const count = podsOf(world);
    const rate = demandOfPictures * wave;
    const busy = rate * secondsOfCore / count;
    const used = Math.min(1, busy);
    const mean = busy < 0.95 ? 0.07 / (1 - busy * 0.6) : Math.min(9, 0.4 + (busy - 0.95) * 9);
    const lost = busy < 1 ? 0.0004 : 1 - 1 / busy;
    ids.forEach((id, index) => {
      const pod = `picture-scaler-79c6b8-${id}`;
      if (index < count) {
        exposePod(world, dt, { metrics: app.metrics, cadvisor: kubelet.metrics, pod,
          rate: rate / count, used, mean, lost });
        kube.metrics.set('kube_pod_info', { namespace: 'media', pod }, 1);
        kube.metrics.set('kube_pod_container_status_restarts_total', { namespace: 'media', pod,
          container: 'scaler' }, 0);
        kube.metrics.set('kube_pod_container_resource_limits', { namespace: 'media', pod,
          container: 'scaler', resource: 'cpu', unit: 'core' }, 1);
      } else {
        for (const { metrics } of [app, kube, kubelet]) removePod(metrics, pod);
      }
    });
    exposeAutoscalers(world, kube.metrics, { count, used });
    for (const [host, own, seconds, failing] of [['img.news.example', rate, mean + 0.004, lost],
      ['www.news.example', 90 * wave, 0.05, 0.0003], ['api.news.example', 41 * wave, 0.03, 0.0004],
    ] as const) {
      serve(world, dt, { metrics: ingress.metrics,
        name: 'nginx_ingress_controller_request_duration_seconds',
        labels: { host, ingress: host.split('.')[0] ?? '' }, status: 'status',
        codes: { 200: 1, 404: 0.006, 504: failing }, rate: own, mean: seconds, shape });
    }
    // The comments are rolled out a minute or two before.
    ingress.metrics.set('nginx_ingress_controller_nginx_process_connections',
      { state: 'active' }, Math.round(900 * wave * (1 + lost)));
    kube.metrics.set('kube_deployment_status_observed_generation', { namespace: 'community',
      deployment: 'comments' }, world.clock > -45 ? 88 : 87);
    kube.metrics.set('kube_deployment_status_observed_generation', { namespace: 'media',
      deployment: 'picture-scaler' }, 203);
  };
}

function exposePod(
  world: World,
  dt: number,
  { metrics, cadvisor, pod, rate, used, mean, lost }: {
    readonly metrics: Metrics; readonly cadvisor: Metrics; readonly pod: string;
    readonly rate: number; readonly used: number; readonly mean: number; readonly lost: number;
  },
): void {
  const { noise } = world;
  const labels = { namespace: 'media', pod, container: 'scaler' };
  serve(world, dt, { metrics, name: 'fastify_http_request_duration_seconds',
    labels: { namespace: 'media', pod, route: '/r/:size/:picture', method: 'GET' },
    status: 'status_code', codes: { 200: 1, 404: 0.006, 503: lost * 0.1 },
    rate: rate * (1 - lost * 0.9), mean: mean * noise.level(`${pod} mean`, 0.05), shape });
  metrics.set('nodejs_eventloop_lag_p99_seconds', { namespace: 'media', pod },
    (used > 0.97 ? 0.31 : 0.012) * noise.level(`${pod} lag`, 0.15));
  metrics.set('nodejs_heap_size_used_bytes', { namespace: 'media', pod },
    Math.round(9.5e7 * noise.level(`${pod} heap`, 0.12)));
  metrics.set('nodejs_active_requests', { namespace: 'media', pod }, noise.count(rate * mean));
  metrics.set('nodejs_version_info', { namespace: 'media', pod, version: 'v22.11.0' }, 1);
  const level = Math.min(1, used * noise.level(`${pod} cpu`, 0.05));
  cadvisor.add('container_cpu_usage_seconds_total', labels, level * dt);
  cadvisor.add('container_cpu_cfs_periods_total', labels, 10 * dt);
  cadvisor.add('container_cpu_cfs_throttled_periods_total', labels,
    (used > 0.97 ? 8.4 : 0.2) * dt);
  cadvisor.set('container_memory_working_set_bytes', labels,
    Math.round(2.4e8 * noise.level(`${pod} memory`, 0.04)));
}

function exposeAutoscalers(
  world: World,
  metrics: Metrics,
  { count, used }: { readonly count: number; readonly used: number },
): void {
  const target = { namespace: 'media', horizontalpodautoscaler: 'picture-scaler' };
  metrics.set('kube_horizontalpodautoscaler_spec_max_replicas', target,
    isLowered(world) ? podsAfter : 24);
  metrics.set('kube_horizontalpodautoscaler_spec_min_replicas', target, 4);
  metrics.set('kube_horizontalpodautoscaler_status_current_replicas', target, count);
  metrics.set('kube_horizontalpodautoscaler_status_desired_replicas', target,
    isLowered(world) ? podsAfter : podsBefore);
  metrics.set('kube_horizontalpodautoscaler_status_target_metric', { ...target,
    metric_name: 'cpu', metric_target_type: 'utilization' }, Math.round(used * 100));
  metrics.set('kube_horizontalpodautoscaler_status_condition', { ...target,
    condition: 'ScalingLimited', status: 'true' }, isLowered(world) ? 1 : 0);
  metrics.set('kube_deployment_status_replicas_available', { namespace: 'media',
    deployment: 'picture-scaler' }, count);
  metrics.set('kube_deployment_spec_replicas', { namespace: 'media',
    deployment: 'picture-scaler' }, isLowered(world) ? podsAfter : podsBefore);
  const other = { namespace: 'community', horizontalpodautoscaler: 'comments' };
  metrics.set('kube_horizontalpodautoscaler_spec_max_replicas', other, 8);
  metrics.set('kube_horizontalpodautoscaler_spec_min_replicas', other, 2);
  metrics.set('kube_horizontalpodautoscaler_status_current_replicas', other, 3);
  metrics.set('kube_horizontalpodautoscaler_status_desired_replicas', other, 3);
}

export const incident = inWorld({
  name: 'maximum-lowered',
  what: 'the maximum of an autoscaler falls from 24 to 6 pods, where 14 were needed',
  truth: {
    says: 'Pictures are slow and fail at img.news.example since T because picture-scaler has six '
      + 'pods instead of 14, all at their CPU limit and throttled: the maximum of its autoscaler '
      + 'went from 24 to 6 at T (ScalingLimited), and eight pods were ended. As many pictures are '
      + 'asked for as before; no pod restarts; the rollout of comments is coincidence. Set the '
      + 'maximum back to 24.',
    alerts: ['IngressSlow', 'IngressErrors', 'KubeHpaMaxedOut', 'CPUThrottlingHigh'],
    cause: /max(imum|_replicas)?\b|autoscal|\bhpa\b|replicas|fewer pods|\b(6|8|six|eight) pods/,
    culprit: /picture-scaler|horizontalpodautoscaler/,
    holds: [/\bcpu\b|throttl|cfs|event.?loop|saturat/, /img\b|picture/,
      /active_requests|connections/],
    isFalse: [
      /comments|community/, /traffic (rose|grew)|more (requests|traffic|pictures)/,
      /memory|leak|heap/, /release|version|rollout/, /crash|\boom|killed by/, /\bdisk\b|\bdns\b/,
      /\bwww\.|api\.news/,
    ],
    mayNotBeRuledOut: /replicas|autoscal|\bhpa\b|\bcpu\b|capacity|maximum/,
    step: /replica|autoscal|\bhpa\b|maximum|scale|picture-scaler|capacity/,
  },
  rules: [
    {
      alert: 'IngressSlow', for: '30s', labels: { team: 'media' },
      expr: 'histogram_quantile(0.95, sum by (le, host) '
        + '(rate(nginx_ingress_controller_request_duration_seconds_bucket[1m]))) > 1.5',
      summary: 'p95 of {{ $labels.host }} is {{ $value | humanizeDuration }}',
    },
    {
      alert: 'IngressErrors', for: '1m', severity: 'critical', labels: { team: 'media' },
      expr: 'sum by (host) (rate(nginx_ingress_controller_request_duration_seconds_count'
        + '{status=~"5.."}[1m])) / sum by (host) '
        + '(rate(nginx_ingress_controller_request_duration_seconds_count[1m])) > 0.05',
    },
    {
      alert: 'KubeHpaMaxedOut', for: '2m',
      expr: 'kube_horizontalpodautoscaler_status_current_replicas{} == '
        + 'kube_horizontalpodautoscaler_spec_max_replicas{}',
      annotations: {
        summary: 'HPA is running at max replicas',
        description: 'HPA {{ $labels.namespace }}/{{ $labels.horizontalpodautoscaler }} has been '
          + 'running at max replicas for longer than 2 minutes.',
      },
    },
    {
      alert: 'CPUThrottlingHigh', for: '1m', labels: { severity: 'info' },
      expr: 'sum by (namespace, container) '
        + '(increase(container_cpu_cfs_throttled_periods_total[2m])) / '
        + 'sum by (namespace, container) (increase(container_cpu_cfs_periods_total[2m])) > 0.25',
    },
  ],
  proofs: [
    'kube_horizontalpodautoscaler_spec_max_replicas{horizontalpodautoscaler="picture-scaler"} == 6',
    'kube_horizontalpodautoscaler_spec_max_replicas{horizontalpodautoscaler="picture-scaler"} '
      + 'offset 5m == 24',
    'kube_deployment_status_replicas_available{deployment="picture-scaler"} == 6',
    'count(rate(container_cpu_usage_seconds_total{namespace="media"}[1m]) > 0.9) == 6',
    'sum(rate(nginx_ingress_controller_request_duration_seconds_count{host="img.news.example"}'
      + '[1m])) < 1.2 * sum(rate(nginx_ingress_controller_request_duration_seconds_count'
      + '{host="img.news.example"}[1m] offset 4m))',
    'sum(kube_pod_container_status_restarts_total) == 0',
  ],
  build,
});
