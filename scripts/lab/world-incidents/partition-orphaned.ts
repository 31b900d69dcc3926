/** A parcel carrier: Kafka with twelve partitions of events, and Spring consumers. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, LinuxHost } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

const topic = 'parcel-events.v2';
const group = 'shipment-tracker';
const orphan = 9;
const partitions = 12;
const consumers = ['shipment-tracker-0', 'shipment-tracker-1', 'shipment-tracker-2',
  'shipment-tracker-3'];

function build(world: World): (dt: number) => void {
  const exporter = world.place({ job: 'kafka-exporter', instance: 'kafka-exporter:9308',
    cluster: 'euc1-prod' });
  const pods = consumers.map((pod, index) => world.place({ job: 'parcel/shipment-tracker',
    instance: `10.44.${String(3 + index)}.17:8081`, pod, cluster: 'euc1-prod' }));
  const brokers = [1, 2, 3].map((id) => world.place({ job: 'kafka-jmx',
    instance: `kafka-${String(id)}.euc1:7071`, cluster: 'euc1-prod' }));
  const hosts = [1, 2, 3].map((id) => new LinuxHost(world, world.place({ job: 'node-exporter',
    instance: `kafka-${String(id)}.euc1:9100`, cluster: 'euc1-prod' }), {
    cores: 8, memory: 64e9, disks: [
      { device: 'nvme1n1', mountpoint: '/var/lib/kafka', bytes: 2e12, usedBytes: 8e11 + id * 3e10 },
    ],
  }));
  return (dt) => {
    const rate = 34 * demand(world, 'parcels', 1);
    const lags = exposeGroups(world, dt, exporter.metrics, rate);
    pods.forEach((pod, index) => {
      const isRebalanced = world.age !== null;
      const own = partitionsOf(index).filter((each) => !isRebalanced || each !== orphan);
      exposeConsumer(world, dt, pod.metrics, { own, rate, index });
      pod.metrics.set('kafka_consumer_fetch_manager_records_lag_max',
        { client_id: `consumer-${group}-${String(index + 1)}` },
        Math.max(...own.map((each) => lags[each] ?? 0)));
    });
    brokers.forEach((broker, index) => {
      exposeBroker(world, dt, broker.metrics, { index, rate: rate * partitions / 3 });
    });
    hosts.forEach((host) => {
      host.busy = 2.1 * rate / 34;
      host.writes.set('nvme1n1', rate * 40_000);
      host.step(dt);
    });
  };
}

const partitionsOf = (index: number): number[] => [0, 1, 2].map((each) => index * 3 + each);

/** Offsets and lags of all groups; returns the lag of each partition of the trackers. */
function exposeGroups(world: World, dt: number, metrics: Metrics, rate: number): number[] {
  const lags: number[] = [];
  for (let each = 0; each < partitions; each += 1) {
    const partition = String(each);
    const labels = { topic, partition };
    const produced = world.noise.count(rate * world.noise.level(`p${partition}`, 0.08) * dt);
    const end = (metrics.value('kafka_topic_partition_current_offset', labels) ?? 9e6) + produced;
    metrics.set('kafka_topic_partition_current_offset', labels, end);
    const own = { consumergroup: group, ...labels };
    const isStuck = each === orphan && world.age !== null;
    const before = metrics.value('kafka_consumergroup_current_offset', own) ?? end;
    const offset = isStuck ? before : end - world.noise.count(5);
    metrics.set('kafka_consumergroup_current_offset', own, offset);
    metrics.set('kafka_consumergroup_lag', own, Math.max(0, end - offset));
    lags.push(Math.max(0, end - offset));
    metrics.set('kafka_topic_partition_leader', labels, 1 + each % 3);
    metrics.set('kafka_topic_partition_under_replicated_partition', labels, 0);
    metrics.set('kafka_topic_partition_in_sync_replica', labels, 3);
    // Another group reads in batches, so that it is behind and catches up again and again.
    const phase = (world.now + each * 11) % 300;
    const archive = { consumergroup: 'events-archive', ...labels };
    metrics.set('kafka_consumergroup_lag', archive, Math.round(phase * rate * 0.12));
    metrics.set('kafka_consumergroup_lag', { consumergroup: 'eta-predictor', ...labels },
      world.noise.count(8));
  }
  for (const [consumergroup, members] of [[group, 4], ['events-archive', 2], ['eta-predictor',
    6]] as const) {
    metrics.set('kafka_consumergroup_members', { consumergroup }, members);
  }
  metrics.set('kafka_brokers', {}, 3);
  return lags;
}

function exposeConsumer(
  world: World,
  dt: number,
  metrics: Metrics,
  { own, rate, index }: {
    readonly own: readonly number[]; readonly rate: number; readonly index: number;
  },
): void {
  const { noise, age } = world;
  const labels = { client_id: `consumer-${group}-${String(index + 1)}` };
  const records = noise.count(rate * own.length * dt);
  metrics.add('kafka_consumer_fetch_manager_records_consumed_total', labels, records);
  metrics.set('kafka_consumer_coordinator_assigned_partitions', labels, own.length);
  const isFirst = age !== null && age <= dt + 0.01;
  metrics.add('kafka_consumer_coordinator_rebalance_total', labels, isFirst ? 1 : 0);
  metrics.set('kafka_consumer_coordinator_last_rebalance_seconds_ago', labels,
    age ?? 172_800 + world.clock);
  metrics.summarize('spring_kafka_listener_seconds', { name: 'tracker', result: 'success' },
    records, 0.004 * noise.level(`listener ${String(index)}`, 0.08));
  metrics.add('shipments_updated_total', { source: 'scan' }, records);
  for (const [area, id, bytes] of [['heap', 'G1 Old Gen', 3.1e8], ['heap', 'G1 Eden Space', 2e8],
    ['nonheap', 'Metaspace', 1.2e8]] as const) {
    metrics.set('jvm_memory_used_bytes', { area, id },
      Math.round(bytes * noise.level(`${id} ${String(index)}`, 0.1)));
  }
  metrics.summarize('jvm_gc_pause_seconds', { action: 'end of minor GC',
    cause: 'G1 Evacuation Pause' },
    noise.count(0.12 * dt), 0.011);
  metrics.set('process_uptime_seconds', {}, 172_800 + Math.round(world.clock) + index * 40);
  metrics.set('system_cpu_usage', {}, 0.24 * noise.level(`cpu ${String(index)}`, 0.15));
}

/** The second broker deletes old segments while the group has its trouble. */
function exposeBroker(
  world: World,
  dt: number,
  metrics: Metrics,
  { index, rate }: { readonly index: number; readonly rate: number },
): void {
  const isDeleting = index === 1 && (world.age ?? 0) > 4;
  metrics.add('kafka_server_brokertopicmetrics_messagesin_total', { topic }, rate * dt);
  metrics.add('kafka_server_brokertopicmetrics_bytesin_total', { topic }, rate * 900 * dt);
  metrics.set('kafka_log_size_bytes', { topic },
    Math.round(2.1e11 + index * 1e9 - (isDeleting ? 4e9 : 0)));
  metrics.set('kafka_network_requestmetrics_p99_ms', { request: 'Produce' },
    (isDeleting ? 9 : 6.5) * world.noise.level(`p99 ${String(index)}`, 0.15));
  metrics.set('kafka_server_replicamanager_underreplicatedpartitions', {}, 0);
  metrics.set('kafka_controller_activecontrollercount', {}, index === 0 ? 1 : 0);
}

export const incident = inWorld({
  name: 'partition-orphaned',
  what: 'after a rebalance nobody of the consumer group reads partition 9; the other eleven are '
    + 'read',
  truth: {
    says: 'shipment-tracker is behind on one partition of twelve only: nobody has read partition 9 '
      + 'of parcel-events.v2 since the rebalance at T, in which shipment-tracker-3 was left with '
      + 'two partitions of three. As much is produced as before, the group has its four members, '
      + 'and the other partitions have no lag. The brokers are well. Restart shipment-tracker-3, '
      + 'so that the group divides the partitions again.',
    alerts: ['KafkaConsumerGroupLag', 'PartitionNotProgressing'],
    cause: /rebalanc|assign|partition.{0,4}9|only one|one of (12|twelve)|not (read|consumed)/,
    culprit: /partition\W{0,6}9\b|shipment-tracker-3|10\.44\.6\.17|consumer-shipment-tracker-4/,
    holds: [/shipment-tracker/, /consum/, /offset/],
    isFalse: [
      /produced more|more messages|traffic|publish/, /events-archive|eta-predictor/, /kafka-[123]/,
      /broker/, /release|version|deploy/, /heap|memory|garbage|\bgc\b/, /log_size|disk/,
      /members? (left|fewer|gone)|fewer members/,
    ],
    // All four members are there and rebalanced once: neither are they down nor does it go on.
    mayNotBeRuledOut: /stuck|partition|one (consumer|message|member)/,
    step: /kafka-consumer-groups|partition|shipment-tracker|rebalanc|consumer/,
  },
  rules: [
    {
      alert: 'KafkaConsumerGroupLag', for: '30s', severity: 'critical',
      labels: { team: 'track-and-trace' },
      expr: 'sum by (cluster, consumergroup, topic) (kafka_consumergroup_lag'
        + '{consumergroup!~".*-archive"}) > 1500',
      annotations: {
        summary: '{{ $labels.consumergroup }} is {{ $value }} messages behind on {{ $labels.topic '
          + '}}',
      },
    },
    {
      alert: 'PartitionNotProgressing', for: '30s', labels: { team: 'track-and-trace' },
      expr: 'delta(kafka_consumergroup_current_offset[1m]) == 0 and kafka_consumergroup_lag > 100',
    },
    {
      alert: 'KafkaUnderReplicated',
      expr: 'sum(kafka_server_replicamanager_underreplicatedpartitions) > 0',
    },
  ],
  proofs: [
    `kafka_consumergroup_lag{consumergroup="${group}",partition="9"} > 1500`,
    `max(kafka_consumergroup_lag{consumergroup="${group}",partition!="9"}) < 40`,
    'kafka_consumer_coordinator_assigned_partitions == 2',
    'count(increase(kafka_consumer_coordinator_rebalance_total[5m]) > 0) == 4',
    `kafka_consumergroup_members{consumergroup="${group}"} == 4`,
    `abs(sum(rate(kafka_topic_partition_current_offset[1m])) / `
      + `sum(rate(kafka_topic_partition_current_offset[1m] offset 5m)) - 1) < 0.15`,
  ],
  build,
});
