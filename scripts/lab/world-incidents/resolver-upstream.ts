/** A logistics platform on Kubernetes, whose CoreDNS asks two resolvers for names outside. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, exposeGo, exposeProcess, goBounds, LinuxHost, serve } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

const upstreams = ['10.20.0.2:53', '10.20.0.3:53'];
const bad = upstreams[0] ?? '';

interface Proxy {
  readonly app: string;
  readonly namespace: string;
  readonly route: string;
  readonly rate: number;
  readonly seconds: number;
  /** Names outside that it looks up per request; none for what stays inside. */
  readonly lookups: number;
}

const proxies: readonly Proxy[] = [
  { app: 'webhook-out', namespace: 'integrations', route: 'deliver', rate: 16, seconds: 0.21,
    lookups: 1 },
  { app: 'geocode-proxy', namespace: 'routing', route: '/geocode', rate: 22, seconds: 0.13,
    lookups: 0.7 },
  { app: 'customs-gw', namespace: 'integrations', route: '/declarations', rate: 5, seconds: 0.6,
    lookups: 1 },
  { app: 'dispatch', namespace: 'routing', route: '/jobs', rate: 40, seconds: 0.03, lookups: 0 },
  { app: 'inventory', namespace: 'warehouse', route: '/stock', rate: 55, seconds: 0.018,
    lookups: 0 },
];

function build(world: World): (dt: number) => void {
  const dns = ['coredns-5fd8-h7k2p', 'coredns-5fd8-vw9xn'].map((pod, index) =>
    world.place({ job: 'coredns', namespace: 'kube-system', pod,
      instance: `10.36.0.${String(7 + index)}:9153` }));
  const pods = proxies.flatMap((proxy) => [0, 1].map((index) => ({
    proxy, index, endpoint: world.place({ job: proxy.app, namespace: proxy.namespace,
      pod: `${proxy.app}-${['x7d', 'm2k'][index] ?? ''}`,
      instance: `10.36.${String(4 + index)}.${String(40 + proxies.indexOf(proxy))}:9000` }),
  })));
  const blackbox = world.place({ job: 'blackbox-icmp', instance: '10.20.0.1' });
  const hosts = ['k8s-w1', 'k8s-w2', 'k8s-w3'].map((name) => new LinuxHost(world,
    world.place({ job: 'node-exporter', instance: `${name}:9100` }), { cores: 8, memory: 32e9,
      disks: [
      { device: 'vda1', mountpoint: '/', bytes: 80e9, usedBytes: 33e9 },
    ] }));
  return (dt) => {
    const wave = demand(world, 'orders', 2);
    const isOut = world.age !== null;
    dns.forEach(({ metrics }, index) => {
      resolve(world, dt, metrics, { index, wave, isOut });
    });
    for (const { proxy, index, endpoint } of pods) {
      const isRolled = proxy.app === 'dispatch' && world.clock > -140 + index * 30;
      if (proxy.app === 'dispatch' && world.passes(-140 + index * 30, dt)) endpoint.metrics.clear();
      // What the bad resolver is asked waits, and half of it fails in the end.
      const hit = isOut ? 0.5 * proxy.lookups : 0;
      const { rate, seconds, route } = proxy;
      const mean = seconds * world.noise.level(`${proxy.app} ${String(index)}`, 0.06);
      const failed = 0.0008 + hit * 0.55;
      const one = { metrics: endpoint.metrics, status: 'code', rate: rate / 2 * wave,
        shape: goBounds };
      if (proxy.app === 'webhook-out') {
        serve(world, dt, { ...one, name: 'webhook_delivery_seconds', labels: { route },
          codes: { ok: 1, 'dial_error': failed, http_5xx: 0.004 }, mean: mean + hit * 3.4 });
      } else {
        serve(world, dt, { ...one, name: 'http_server_requests_duration_seconds',
          labels: { handler: route, method: 'POST' }, codes: { 200: 1, 502: failed },
          mean: mean + hit * 3.4 });
      }
      endpoint.metrics.set('build_info', { revision: isRolled ? '8e1f0aa' : '3c7d921',
        branch: 'main' }, 1);
      exposeGo(world, endpoint, 60 + rate / 2 * (mean + hit * 3.4) * 3);
      exposeProcess(world, endpoint, dt, { cpu: 0.2, memory: 9e7,
        startedAt: isRolled ? world.origin + 86_400 - 140 + index * 30 : world.origin - 3e5 });
    }
    blackbox.metrics.set('probe_success', {}, 1);
    blackbox.metrics.set('probe_icmp_duration_seconds', { phase: 'rtt' },
      0.0011 * world.noise.level('rtt', 0.2));
    for (const host of hosts) host.step(dt);
  };
}

/** One pod of CoreDNS: names of the cluster it knows, others it asks for. */
function resolve(
  world: World,
  dt: number,
  metrics: Metrics,
  { index, wave, isOut }: {
    readonly index: number; readonly wave: number; readonly isOut: boolean;
  },
): void {
  const { noise } = world;
  const inside = noise.count(140 * wave * dt);
  // Clients try again what is not answered.
  const outside = noise.count(11 * wave * (isOut ? 1.8 : 1) * dt);
  metrics.add('coredns_dns_requests_total', { server: 'dns://:53', zone: 'cluster.local.',
    type: 'A' },
    inside);
  metrics.add('coredns_dns_requests_total', { server: 'dns://:53', zone: '.', type: 'A' }, outside);
  const lost = isOut ? noise.count(outside * 0.36) : 0;
  metrics.add('coredns_dns_responses_total', { zone: 'cluster.local.', rcode: 'NOERROR' },
    inside * 0.4);
  metrics.add('coredns_dns_responses_total', { zone: 'cluster.local.', rcode: 'NXDOMAIN' },
    inside * 0.6);
  metrics.add('coredns_dns_responses_total', { zone: '.', rcode: 'SERVFAIL' }, Math.min(outside,
    lost));
  metrics.add('coredns_dns_responses_total', { zone: '.', rcode: 'NOERROR' },
    Math.max(0, outside - lost));
  const forwarded = outside * 0.55;
  for (const to of upstreams) {
    const isBad = isOut && to === bad;
    const seconds = 0.009 * noise.level(`${to} ${String(index)}`, 0.12);
    for (const rcode of ['NOERROR', 'SERVFAIL']) {
      const isAnswer = isBad === (rcode === 'SERVFAIL');
      metrics.observe('coredns_proxy_request_duration_seconds', { proxy_name: 'forward', to,
        rcode },
        isAnswer ? forwarded / 2 : 0, isBad ? 3.4 : seconds, goBounds);
    }
    metrics.add('coredns_proxy_healthcheck_failures_total', { proxy_name: 'forward', to }, 0);
    metrics.add('coredns_proxy_conn_cache_hits_total', { proxy_name: 'forward', to, proto: 'udp' },
      forwarded / 2);
  }
  metrics.add('coredns_cache_hits_total', { type: 'success', zones: '.' }, outside * 0.45);
  metrics.add('coredns_cache_misses_total', { zones: '.' }, forwarded);
  metrics.set('coredns_cache_entries', { type: 'success' },
    Math.round(820 * noise.level(`entries ${String(index)}`, 0.05)));
  metrics.add('coredns_forward_healthcheck_broken_total', {}, 0);
  metrics.add('coredns_panics_total', {}, 0);
  metrics.set('coredns_build_info', { version: '1.11.3' }, 1);
  metrics.set('process_start_time_seconds', {}, world.origin - 5e6);
}

export const incident = inWorld({
  name: 'resolver-upstream',
  what: 'one of the two resolvers that CoreDNS asks for names outside answers SERVFAIL, after 3.4 '
    + 's',
  truth: {
    says: 'webhook-out, geocode-proxy and customs-gw fail at once since T because names outside of '
      + 'the cluster are often not resolved: CoreDNS ends a third of them in SERVFAIL, as '
      + '10.20.0.2 answers so after 3.4 s, while 10.20.0.3 answers well in 9 ms. '
      + 'Names of the cluster are resolved, so dispatch and inventory are well. The release of '
      + 'dispatch is coincidence. Repair the resolver, or take it out of the forward.',
    alerts: ['ServiceErrorRatioHigh', 'WebhookDeliveryFailing'],
    cause: /\bdns\b|coredns|resol|SERVFAIL|10\.20\.0\.2|lookup/,
    culprit: /10\.20\.0\.2|coredns|resolver/,
    holds: [/dial_error/, /webhook-out|geocode-proxy|customs-gw/, /goroutines/],
    isFalse: [
      /10\.20\.0\.3/, /dispatch|8e1f0aa/, /release|revision|version/, /inventory/,
      /traffic|more requests from/, /k8s-w/, /memory|leak/, /cluster\.local/,
    ],
    mayNotBeRuledOut: /\bdns\b|coredns|network|external|depend|resol/,
    step: /coredns|\bdns\b|10\.20\.0\.2|\bdig\b|nslookup|resol/,
  },
  rules: [
    {
      alert: 'ServiceErrorRatioHigh', for: '30s', severity: 'critical', labels: { tier: '1' },
      expr: 'sum by (job, namespace) (rate(http_server_requests_duration_seconds_count{code=~"5.."}'
        + '[1m])) / sum by (job, namespace) (rate(http_server_requests_duration_seconds_count[1m]))'
        + ' > 0.05',
      annotations: {
        summary: '{{ $labels.namespace }}/{{ $labels.job }}: {{ $value | humanizePercentage }} '
          + 'errors',
      },
    },
    {
      alert: 'WebhookDeliveryFailing', for: '30s', severity: 'critical', labels: { tier: '2' },
      expr: '1 - sum(rate(webhook_delivery_seconds_count{code="ok"}[1m])) '
        + '/ sum(rate(webhook_delivery_seconds_count[1m])) > 0.1',
    },
    {
      alert: 'CoreDNSDown', severity: 'critical', for: '1m', expr: 'absent(up{job="coredns"} == 1)',
    },
  ],
  proofs: [
    'sum(rate(coredns_dns_responses_total{rcode="SERVFAIL"}[1m])) / '
      + 'sum(rate(coredns_dns_responses_total{zone="."}[1m])) > 0.25',
    'sum(rate(coredns_proxy_request_duration_seconds_count{'
      + 'to="10.20.0.2:53",rcode="SERVFAIL"}[1m])) > 2',
    'sum(rate(coredns_proxy_request_duration_seconds_count{'
      + 'to="10.20.0.2:53",rcode="NOERROR"}[30s])) == 0',
    'sum(rate(coredns_proxy_request_duration_seconds_count{'
      + 'to="10.20.0.3:53",rcode="NOERROR"}[1m])) > 2',
    'sum(rate(coredns_proxy_request_duration_seconds_count{'
      + 'to="10.20.0.3:53",rcode="SERVFAIL"}[1m])) == 0',
    'sum(rate(http_server_requests_duration_seconds_count{job=~"dispatch|inventory",'
      + 'code="502"}[1m])) < 0.5',
    'count(changes(process_start_time_seconds{job="dispatch"}[10m]) > 0) == 2',
  ],
  build,
});
