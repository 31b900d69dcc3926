/** Labels for parcels, in .NET with OpenTelemetry names: one of four carriers refuses our key. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, LinuxHost, otelBounds, serve } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

interface Carrier {
  readonly address: string;
  readonly carrier: string;
  readonly rate: number;
  readonly seconds: number;
}

const carriers: readonly Carrier[] = [
  { address: 'api.postlink.example', carrier: 'postlink', rate: 9, seconds: 0.21 },
  { address: 'gw.veloexpress.example', carrier: 'veloexpress', rate: 6, seconds: 0.34 },
  { address: 'shipping.norrland.example', carrier: 'norrland', rate: 2.5, seconds: 0.16 },
  { address: 'rest.kestrel-freight.example', carrier: 'kestrel', rate: 1.2, seconds: 0.5 },
];
const refusing = 'veloexpress';
/** The old key was revoked three minutes after a new one was made, which nobody took over. */
const isRefused = (world: World, carrier: string): boolean =>
  world.age !== null && carrier === refusing;

function build(world: World): (dt: number) => void {
  const pods = ['7d9c5b8f4-2kq8w', '7d9c5b8f4-h6xtn', '7d9c5b8f4-zp4vd'].map((id) =>
    world.place({ job: 'label-service', instance: `label-service-${id}`,
      service_namespace: 'fulfillment', deployment_environment: 'prod' }));
  const rates = [1, 2].map((id) =>
    world.place({ job: 'rate-quotes', instance: `rate-quotes-6f5d-${String(id)}`,
      service_namespace: 'fulfillment', deployment_environment: 'prod' }));
  const business = world.place({ job: 'parcel-desk', instance: 'parcel-desk-0',
    service_namespace: 'fulfillment', deployment_environment: 'prod' });
  const hosts = ['aks-np1-0', 'aks-np1-1', 'aks-np1-2'].map((name) =>
    new LinuxHost(world, world.place({ job: 'node-exporter', instance: name }), {
      cores: 8, memory: 32e9, disks: [
        { device: 'sdb1', mountpoint: '/', bytes: 128e9, usedBytes: 51e9 },
      ] }));
  return (dt) => {
    const wave = demand(world, 'parcels', 1);
    const failedShare = world.age === null ? 0 : 6 / 18.7;
    for (const { metrics, instance } of pods) {
      callCarriers(world, dt, metrics, wave / pods.length);
      serve(world, dt, { metrics, name: 'http_server_request_duration_seconds',
        labels: { http_request_method: 'POST', http_route: '/v3/labels' },
        status: 'http_response_status_code',
        codes: { 201: 1, 422: 0.012, 502: 0.0006 + failedShare },
        // What is refused comes back at once.
        rate: 18.7 / 3 * wave, mean: world.age === null ? 0.29 : 0.24, shape: otelBounds });
      serve(world, dt, { metrics, name: 'http_server_request_duration_seconds',
        labels: { http_request_method: 'GET', http_route: '/v3/labels/{id}/pdf' },
        status: 'http_response_status_code', codes: { 200: 1, 404: 0.004 },
        rate: 11 / 3 * wave, mean: 0.021, shape: otelBounds });
      runtime(world, dt, metrics, instance);
    }
    rates.forEach(({ metrics, instance }, index) => {
      // Released seven minutes before, in turn; it calls no carrier.
      const at = -430 + index * 40;
      if (world.passes(at, dt)) metrics.clear();
      metrics.set('target_info', { service_name: 'rate-quotes',
        service_version: world.clock > at ? '5.2.0' : '5.1.7' }, 1);
      serve(world, dt, { metrics, name: 'http_server_request_duration_seconds',
        labels: { http_request_method: 'POST', http_route: '/v1/quotes' },
        status: 'http_response_status_code', codes: { 200: 1, 500: 0.0004 },
        rate: 26 / 2 * wave, mean: 0.034 * world.noise.level(`${instance} quotes`, 0.08),
        shape: otelBounds });
      runtime(world, dt, metrics, instance);
    });
    const labelled = 18.7 * wave * (1 - failedShare);
    business.metrics.add('parcels_labelled_total', {}, world.noise.count(labelled * dt));
    business.metrics.set('parcels_without_label', {}, Math.round((business.metrics.value(
      'parcels_without_label', {}) ?? 40) * (world.age === null ? 1 - dt / 90 : 1)
      + (world.age === null ? world.noise.count(dt / 2.2) : 6 * wave * dt)));
    for (const { carrier } of carriers) {
      const days = carrier === refusing && world.clock > -180 ? 365 : 210;
      business.metrics.set('carrier_contract_days_left', { carrier }, days);
    }
    hosts.forEach((host, index) => {
      host.busy = 2.2 * wave + index * 0.2;
      host.step(dt);
    });
  };
}

function callCarriers(world: World, dt: number, metrics: Metrics, wave: number): void {
  for (const { address, carrier, rate, seconds } of carriers) {
    const refused = isRefused(world, carrier);
    serve(world, dt, { metrics, name: 'http_client_request_duration_seconds',
      labels: { server_address: address, http_request_method: 'POST' },
      status: 'http_response_status_code',
      codes: refused ? { 401: 1 } : { 200: 1, 400: 0.006, 401: 0.0004, 503: 0.0008 },
      rate: rate * wave, mean: (refused ? 0.06 : seconds) * world.noise.level(carrier, 0.09),
      shape: otelBounds });
    metrics.set('http_client_open_connections', { server_address: address, state: 'idle' },
      Math.round(6 * world.noise.level(`${carrier} idle`, 0.2)));
  }
}

function runtime(world: World, dt: number, metrics: Metrics, name: string): void {
  const heap = 2.4e8 * world.noise.level(`${name} heap`, 0.15);
  metrics.set('process_memory_usage_bytes', {}, Math.round(heap * 1.9));
  metrics.set('dotnet_gc_last_collection_heap_size_bytes', { gc_heap_generation: 'gen2' },
    Math.round(heap));
  for (const generation of ['gen0', 'gen1', 'gen2']) {
    metrics.add('dotnet_gc_collections_total', { gc_heap_generation: generation },
      world.noise.count({ gen0: 0.5, gen1: 0.1, gen2: 0.01 }[generation] ?? 0) * dt);
  }
  metrics.set('dotnet_thread_pool_queue_length', {}, world.noise.count(0.3));
  metrics.set('dotnet_thread_pool_thread_count', {},
    Math.round(22 * world.noise.level(`${name} threads`, 0.07)));
  metrics.add('dotnet_exceptions_total', { error_type: 'System.TimeoutException' },
    world.noise.count(0.01 * dt));
}

export const incident = inWorld({
  name: 'carrier-token-rotated',
  what: 'the carrier veloexpress revokes our API key: it answers every call with 401 at once',
  truth: {
    says: 'A third of the labels fail with 502 since T because gw.veloexpress.example answers '
      + 'every call of label-service with 401, in 60 ms: our key is no longer accepted (rotated, '
      + 'revoked or expired). The three other carriers answer as ever; label-service has not been '
      + 'changed; rate-quotes 5.2.0 seven minutes before is innocent. Put in the new key.',
    alerts: ['LabelApiErrorRate', 'ParcelsWithoutLabel'],
    cause: /veloexpress|\b401\b|unauthori[sz]ed|credential|api.?key|\btoken\b|authenticat/,
    culprit: /veloexpress/,
    holds: [/carrier|dependency|third|external|outgoing|client (call|request)/, /\b502\b/,
      /label/],
    isFalse: [
      /postlink|norrland|kestrel/, /rate-quotes|5\.2\.0|5\.1\.7/,
      /traffic (rose|grew|increase)|more (requests|traffic|parcels)/, /memory|garbage|heap|leak/,
      /aks-np1|\bcpu\b|\bdisk\b/, /thread pool/,
    ],
    mayNotBeRuledOut: /veloexpress|\b401\b/,
    step: /veloexpress|carrier|401|credential|\bkey\b|token|http_client_request|server_address/,
  },
  rules: [
    {
      alert: 'LabelApiErrorRate', for: '30s', severity: 'critical',
      labels: { team: 'fulfillment' },
      expr: 'sum by (job, http_route) (rate(http_server_request_duration_seconds_count'
        + '{http_response_status_code=~"5.."}[1m])) / sum by (job, http_route) '
        + '(rate(http_server_request_duration_seconds_count[1m])) > 0.05',
      summary: '{{ $labels.job }} {{ $labels.http_route }}: '
        + '{{ $value | humanizePercentage }} of requests fail',
      annotations: { runbook_url: 'https://wiki.parcels.example/runbooks/label-errors' },
    },
    {
      alert: 'ParcelsWithoutLabel', for: '0s', labels: { team: 'fulfillment' },
      expr: 'parcels_without_label > 900',
      summary: '{{ $value }} parcels wait on the belt without a label',
    },
    {
      alert: 'DotnetThreadPoolStarved', for: '1m', labels: { team: 'platform' },
      expr: 'dotnet_thread_pool_queue_length > 50',
    },
  ],
  proofs: [
    'sum(rate(http_client_request_duration_seconds_count{server_address="gw.veloexpress.example",'
      + 'http_response_status_code="401"}[1m])) / sum(rate(http_client_request_duration_seconds_'
      + 'count{server_address="gw.veloexpress.example"}[1m])) > 0.9',
    'max(sum by (server_address) (rate(http_client_request_duration_seconds_count{server_address'
      + '!="gw.veloexpress.example",http_response_status_code=~"401|5.."}[2m])) / sum by '
      + '(server_address) (rate(http_client_request_duration_seconds_count{server_address!='
      + '"gw.veloexpress.example"}[2m]))) < 0.05',
    'sum(rate(http_client_request_duration_seconds_sum{server_address="gw.veloexpress.example"}'
      + '[1m])) / sum(rate(http_client_request_duration_seconds_count{server_address='
      + '"gw.veloexpress.example"}[1m])) < 0.1',
    'target_info{service_version="5.2.0"}',
  ],
  build,
});
