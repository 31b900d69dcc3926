/** Meter readings over NATS JetStream, in Python; one message is delivered again and again. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, exposeProcess, LinuxHost, serve } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

interface Consumer {
  readonly consumer: string;
  readonly stream: string;
  /** Messages per second. */
  readonly rate: number;
}

const consumers: readonly Consumer[] = [
  { consumer: 'settlement', stream: 'READINGS', rate: 12 },
  { consumer: 'archive', stream: 'READINGS', rate: 12 },
  { consumer: 'outage-map', stream: 'READINGS', rate: 12 },
  { consumer: 'tariff-sync', stream: 'TARIFFS', rate: 0.4 },
];
const stuck = 'settlement';
/** Where the stream is; settlement takes the next message when the one before is done. */
const stuckAt = 88_413_207;

function build(world: World): (dt: number) => void {
  const nats = world.place({ job: 'nats-surveyor', instance: 'surveyor:7777',
    account: 'METERING' });
  const workers = consumers.flatMap(({ consumer }, index) =>
    (index === 3 ? ['a'] : ['a', 'b']).map((id) => ({ consumer, id, endpoint: world.place({
      job: `${consumer}-worker`, instance: `${consumer}-${id}.meter.svc:9000`, squad:
        consumer === stuck ? 'billing' : 'grid' }) })));
  const ingest = world.place({ job: 'ingest', instance: 'ingest-0.meter.svc:9000', squad: 'grid' });
  const hosts = ['nats-0', 'nats-1', 'nats-2'].map((name) => new LinuxHost(world,
    world.place({ job: 'node-exporter', instance: `${name}.meter.svc:9100` }),
    { cores: 4, memory: 16e9, disks: [
      { device: 'nvme1n1', mountpoint: '/data/jetstream', bytes: 4e11, usedBytes: 1.3e11 },
    ] }));
  return (dt) => {
    const wave = demand(world, 'meters', 0);
    const isStuck = world.age !== null;
    const published = world.noise.count(12 * wave * dt);
    exposeStreams(world, nats.metrics, { published, dt, wave });
    for (const { consumer, id, endpoint } of workers) {
      const { rate } = consumers.find((each) => each.consumer === consumer) ?? { rate: 0 };
      const blocked = isStuck && consumer === stuck;
      const perWorker = consumer === 'tariff-sync' ? rate : rate / 2 * wave;
      handle(world, dt, endpoint.metrics, { consumer, rate: perWorker, blocked });
      const isNew = consumer === 'outage-map' && world.clock > -700;
      if (consumer === 'outage-map' && world.passes(-700, dt)) endpoint.metrics.clear();
      exposeProcess(world, endpoint, dt, { cpu: blocked ? 0.1 : 0.25 * wave, memory: 1.8e8,
        startedAt: isNew ? world.origin + 86_400 - 700 : world.origin - 5e5
          - id.charCodeAt(0) * 100 });
      endpoint.metrics.set('build_info', { git_sha: consumer === 'outage-map'
        ? isNew ? '77ab01c' : '5e0d9f2' : '19cc4a8' }, 1);
    }
    serve(world, dt, { metrics: ingest.metrics, name: 'aiohttp_request_duration_seconds',
      labels: { resource: '/mdms/readings', method: 'POST' }, status: 'code',
      codes: { 202: 1, 400: 0.006 }, rate: 12 * wave, mean: 0.018,
      shape: { bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1], steepness: 4 } });
    ingest.metrics.add('ingest_readings_total', { vendor: 'landis' },
      world.noise.count(7.4 * wave * dt));
    // A vendor's gateways send a firmware report besides, as the incident begins.
    ingest.metrics.add('ingest_readings_total', { vendor: 'itron' },
      world.noise.count(4.6 * wave * dt));
    ingest.metrics.add('ingest_firmware_reports_total', { vendor: 'itron' },
      world.noise.count((isStuck ? 6 : 0.3) * dt));
    hosts.forEach((host) => {
      host.busy = 0.5 * wave;
      host.step(dt);
    });
  };
}

function exposeStreams(
  world: World,
  metrics: Metrics,
  { published, dt, wave }: {
    readonly published: number; readonly dt: number; readonly wave: number;
  },
): void {
  const { noise } = world;
  metrics.add('nats_stream_last_seq', { stream: 'READINGS' }, published);
  metrics.set('nats_stream_total_bytes', { stream: 'READINGS' },
    Math.round(9.1e10 * noise.level('stream', 0.003)));
  metrics.set('nats_stream_consumer_count', { stream: 'READINGS' }, 3);
  metrics.set('nats_core_active_clients', {}, 13);
  metrics.set('nats_core_slow_consumer_count', {}, 0);
  for (const { consumer, stream, rate } of consumers) {
    const labels = { consumer_name: consumer, stream_name: stream };
    const isStuck = consumer === stuck && world.age !== null;
    const before = metrics.value('nats_consumer_num_pending', labels) ?? 0;
    const usual = noise.count(rate * wave * 0.4);
    metrics.set('nats_consumer_num_pending', labels, isStuck ? before + published
      : before > 60 ? Math.max(0, Math.round(before - 110 * dt)) : usual);
    metrics.set('nats_consumer_num_ack_pending', labels, isStuck ? 1 : noise.count(rate * 0.1));
    metrics.set('nats_consumer_num_redelivered', labels, isStuck ? 1 : 0);
    metrics.set('nats_consumer_num_waiting', labels, 2);
    metrics.add('nats_consumer_delivered_consumer_seq', labels,
      isStuck ? noise.count(0.5 * dt) : noise.count(rate * wave * dt));
    const floor = metrics.value('nats_consumer_ack_floor_stream_seq', labels) ?? stuckAt - 900_000;
    metrics.set('nats_consumer_ack_floor_stream_seq', labels,
      isStuck ? floor : floor + noise.count(rate * wave * dt));
  }
}

/** What is not acknowledged comes again after two seconds, to either of the two workers. */
function handle(
  world: World,
  dt: number,
  metrics: Metrics,
  { consumer, rate, blocked }: {
    readonly consumer: string; readonly rate: number; readonly blocked: boolean;
  },
): void {
  const { noise } = world;
  const done = blocked ? 0 : noise.count(rate * dt);
  metrics.add('messages_handled_total', { subject: `${consumer}.in`, outcome: 'acked' }, done);
  metrics.add('messages_handled_total', { subject: `${consumer}.in`, outcome: 'nacked' },
    blocked ? noise.count(0.25 * dt) : 0);
  metrics.summarize('message_handler_seconds', { subject: `${consumer}.in` }, done, 0.022);
  for (const exception of ['decimal.InvalidOperation', 'asyncio.TimeoutError']) {
    const isIt = blocked && exception === 'decimal.InvalidOperation';
    metrics.add('handler_exceptions_total', { exception },
      noise.count((isIt ? 0.25 : exception === 'asyncio.TimeoutError' ? 0.002 : 0) * dt));
  }
  metrics.set('message_delivery_attempt_max', { subject: `${consumer}.in` },
    blocked ? Math.round(1 + (world.age ?? 0) / 2) : 1);
  for (const generation of ['0', '1', '2']) {
    metrics.add('python_gc_collections_total', { generation }, dt * 0.3 / 9 ** Number(generation));
  }
  if (consumer !== stuck) return;
  metrics.add('invoices_settled_total', {}, noise.count(done * 0.4));
}

export const incident = inWorld({
  name: 'poison-message',
  what: 'a reading that cannot be parsed is delivered to the settlement consumer again for ever',
  truth: {
    says: 'settlement has acknowledged nothing since T, and what is published waits: it is given '
      + 'one message again every two seconds, each time it raises decimal.InvalidOperation in '
      + 'either worker and is refused; its acknowledged sequence stands still, the attempts grow. '
      + 'A poison message. archive and outage-map read the same stream without lag; as much is '
      + 'published as before; the workers run and have not been changed; outage-map 77ab01c and '
      + 'the firmware reports are coincidence. Take the message out (terminate it), repair the '
      + 'parsing, limit the deliveries.',
    alerts: ['JetStreamConsumerPending', 'InvoicesNotSettled'],
    cause: /InvalidOperation|exception|redeliver|\bnack|poison|attempt|same message|retr(y|ies)/,
    culprit: /settlement/,
    holds: [/consum|deliver|handl|messages?_|\back|_ack_/, /pending|backlog|behind|lag/,
      /READINGS/],
    isFalse: [
      /outage-map|77ab01c/, /archive|tariff/, /firmware|itron|landis/,
      /traffic (rose|grew)|more (messages|readings|requests) (are|is|were) (published|sent)/,
      /(cpu|memory|disk|load)\b.*(rose|grew|high|full|satur)/, /slow consumer/, /nats-[012]/,
      /release|deploy|version/,
      /crash|restart|killed/,
    ],
    mayNotBeRuledOut: /InvalidOperation|exceptions?\b|redeliver|poison/,
    step: /settlement|consumer|InvalidOperation|exception|message|redeliver|nats|jetstream/,
  },
  rules: [
    {
      alert: 'JetStreamConsumerPending', for: '30s', severity: 'critical',
      labels: { team: 'messaging' },
      expr: 'nats_consumer_num_pending > 500',
      summary: '{{ $labels.consumer_name }} has {{ $value }} messages pending on '
        + '{{ $labels.stream_name }}',
    },
    {
      alert: 'InvoicesNotSettled', for: '1m', labels: { team: 'billing' },
      expr: 'sum(rate(invoices_settled_total[2m])) == 0',
      summary: 'No invoice has been settled for two minutes',
    },
    {
      alert: 'NatsSlowConsumer', labels: { team: 'messaging' }, for: '1m',
      expr: 'nats_core_slow_consumer_count > 0',
    },
  ],
  proofs: [
    'sum(rate(messages_handled_total{job="settlement-worker",outcome="acked"}[1m])) == 0',
    'sum(rate(messages_handled_total{job="settlement-worker",outcome="nacked"}[1m])) > 0.2',
    'sum(rate(handler_exceptions_total{exception="decimal.InvalidOperation"}[1m])) > 0.2',
    'nats_consumer_num_redelivered{consumer_name="settlement"} == 1',
    'changes(nats_consumer_ack_floor_stream_seq{consumer_name="settlement"}[1m]) == 0',
    'max(nats_consumer_num_pending{consumer_name!="settlement"}) < 60',
    'rate(nats_stream_last_seq[1m]) < 1.25 * rate(nats_stream_last_seq[1m] offset 3m)',
    'count(up{job="settlement-worker"} == 1) == 2',
  ],
  build,
});
