/** Kubernetes on own machines: the RAIDs of all three control planes are checked at once. */
import type { HistogramShape } from '../shop/metrics.ts';
import { demand, exposeProcess, LinuxHost, type Disk } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

const fsyncShape: HistogramShape = {
  bounds: [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048,
    4.096, 8.192], steepness: 4,
};
const apiShape: HistogramShape = {
  bounds: [0.005, 0.025, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.5, 2, 3, 5, 10, 30, 60], steepness: 4,
};
const planes = ['cp-ber-1', 'cp-ber-2', 'cp-ber-3'];
const workers = ['wk-ber-11', 'wk-ber-12'];
const blocks = 937_560_064;
/** A timer of the distribution begins to compare the two halves of each mirror. */
const isChecking = (world: World): boolean => world.age !== null;
/** The member that leads: since the disks are slow it loses its office each 17 s. */
const leaderOf = (world: World): number =>
  world.age === null ? 1 : Math.floor(world.age / 17 + 1) % planes.length;

function build(world: World): (dt: number) => void {
  const etcd = planes.map((name) => world.place({ job: 'etcd', instance: `${name}:2381`,
    cluster: 'ber-prod' }));
  const apis = planes.map((name) => world.place({ job: 'apiserver', instance: `${name}:6443`,
    cluster: 'ber-prod' }));
  const scheduler = world.place({ job: 'kube-scheduler', instance: 'cp-ber-1:10259',
    cluster: 'ber-prod' });
  const hosts = [...planes, ...workers].map((name) => {
    const isPlane = name.startsWith('cp');
    const disks: Disk[] = isPlane ? [
      { device: 'md0', mountpoint: '/', bytes: 960e9, usedBytes: 88e9 },
    ] : [{ device: 'nvme0n1', mountpoint: '/', bytes: 1.9e12, usedBytes: 7e11 }];
    const endpoint = world.place({ job: 'node-exporter', instance: `${name}:9100`,
      cluster: 'ber-prod', role: isPlane ? 'control-plane' : 'worker' });
    const size = { cores: isPlane ? 8 : 16, memory: isPlane ? 32e9 : 256e9, disks };
    return { name, isPlane, endpoint, host: new LinuxHost(world, endpoint, size) };
  });
  return (dt) => {
    const wave = demand(world, 'cluster', 1);
    etcd.forEach((target, index) => exposeEtcd(world, dt, target, { index, wave }));
    apis.forEach((target, index) => exposeApi(world, dt, target, { index, wave }));
    for (const { name, isPlane, endpoint, host } of hosts) {
      host.busy = isPlane ? 2.1 * wave : 8 * wave;
      host.ioPressure = isPlane && isChecking(world) ? 0.46 : 0.006;
      host.step(dt);
      if (isPlane) exposeMirror(world, dt, endpoint.metrics, name);
    }
    const { metrics } = scheduler;
    // Continuous integration starts its nightly pods two minutes before.
    metrics.add('scheduler_schedule_attempts_total', { result: 'scheduled', profile: 'default' },
      world.noise.count((world.clock > -60 ? 1.4 : 0.6) * dt));
    metrics.set('scheduler_pending_pods', { queue: 'active' },
      world.noise.count(isChecking(world) ? 14 : 0.5));
    metrics.add('leader_election_master_changes_total', { name: 'kube-scheduler' }, 0);
  };
}

/** Two disks of SATA in a mirror. */
function exposeMirror(
  world: World,
  dt: number,
  metrics: ReturnType<World['place']>['metrics'],
  name: string,
): void {
  const checking = isChecking(world);
  const { noise } = world;
  for (const state of ['active', 'check', 'resync', 'recovering', 'inactive']) {
    metrics.set('node_md_state', { device: 'md0', state },
      state === (checking ? 'check' : 'active') ? 1 : 0);
  }
  metrics.set('node_md_blocks', { device: 'md0' }, blocks);
  metrics.set('node_md_blocks_synced', { device: 'md0' },
    checking ? Math.round((world.age ?? 0) * 195_000) : blocks);
  metrics.set('node_md_disks', { device: 'md0', state: 'active' }, 2);
  metrics.set('node_md_disks', { device: 'md0', state: 'failed' }, 0);
  for (const device of ['sda', 'sdb']) {
    const busy = checking ? 0.985 : 0.09 * noise.level(`${name} ${device} busy`, 0.2);
    const reads = checking ? 1.96e8 : 3e5;
    metrics.add('node_disk_io_time_seconds_total', { device }, Math.min(1, busy) * dt);
    metrics.add('node_disk_read_bytes_total', { device }, reads * dt);
    metrics.add('node_disk_reads_completed_total', { device }, reads / 131_072 * dt);
    metrics.add('node_disk_read_time_seconds_total', { device },
      reads / 131_072 * (checking ? 0.02 : 0.001) * dt);
    metrics.add('node_disk_written_bytes_total', { device }, 2.4e6 * dt);
    metrics.add('node_disk_writes_completed_total', { device }, 160 * dt);
    metrics.add('node_disk_write_time_seconds_total', { device },
      160 * (checking ? 0.42 : 0.0012) * noise.level(`${name} ${device} w`, 0.1) * dt);
  }
}

function exposeEtcd(
  world: World,
  dt: number,
  target: ReturnType<World['place']>,
  { index, wave }: { readonly index: number; readonly wave: number },
): void {
  const { metrics, instance } = target;
  const { noise } = world;
  const slow = isChecking(world);
  const level = noise.level(`${instance} fsync`, 0.1);
  metrics.observe('etcd_disk_wal_fsync_duration_seconds', {},
    noise.count((slow ? 9 : 70) * wave * dt), (slow ? 0.71 : 0.0026) * level, fsyncShape);
  metrics.observe('etcd_disk_backend_commit_duration_seconds', {},
    noise.count((slow ? 3 : 9) * wave * dt), (slow ? 0.62 : 0.006) * level, fsyncShape);
  // The network between them is as fast as ever.
  metrics.observe('etcd_network_peer_round_trip_time_seconds',
    { To: String(8_100_044 + (index + 1) % 3) }, noise.count(2 * dt), 0.0008, fsyncShape);
  const changes = leaderChanges(world, dt);
  metrics.add('etcd_server_leader_changes_seen_total', {}, changes);
  metrics.set('etcd_server_is_leader', {}, leaderOf(world) === index ? 1 : 0);
  const isVoting = slow && ((world.age ?? 0) + 3) % 17 < 3;
  metrics.set('etcd_server_has_leader', {}, isVoting ? 0 : 1);
  metrics.set('etcd_server_proposals_pending', {}, noise.count(slow ? 34 : 0.4));
  metrics.add('etcd_server_proposals_failed_total', {}, noise.count((slow ? 1.1 : 0) * dt));
  metrics.add('etcd_server_heartbeat_send_failures_total', {},
    leaderOf(world) === index ? noise.count((slow ? 2.4 : 0.0004) * dt) : 0);
  metrics.add('etcd_server_slow_apply_total', {}, noise.count((slow ? 6 : 0.001) * dt));
  metrics.set('etcd_mvcc_db_total_size_in_bytes', {},
    Math.round(4.1e8 * noise.level('etcd db', 0.004)));
  metrics.set('etcd_server_quota_backend_bytes', {}, 8e9);
  exposeProcess(world, target, dt, { cpu: 0.4 * wave, memory: 1.1e9,
    startedAt: world.origin - 21 * 86_400 });
}

/** How many of them there were in this step. */
function leaderChanges(world: World, dt: number): number {
  const { age } = world;
  if (age === null) return 0;
  return Math.floor(age / 17) - Math.floor(Math.max(0, age - dt) / 17);
}

function exposeApi(
  world: World,
  dt: number,
  target: ReturnType<World['place']>,
  { index, wave }: { readonly index: number; readonly wave: number },
): void {
  const { metrics, instance } = target;
  const slow = isChecking(world);
  for (const [verb, resource, rate, mean, writes] of [
    ['GET', 'pods', 9, 0.012, 0.25], ['LIST', 'pods', 1.2, 0.09, 0.3],
    ['PUT', 'leases', 14, 0.011, 1], ['PATCH', 'nodes', 2.1, 0.016, 1],
    ['POST', 'events', 5, 0.013, 1],
  ] as const) {
    const failing = slow ? 0.16 * writes : 0.0002;
    const seconds = slow ? mean + 1.9 * writes : mean;
    const count = world.noise.count(rate * wave * dt);
    const failed = world.noise.count(count * failing);
    const labels = { verb, resource, scope: resource === 'nodes' ? 'cluster' : 'namespace' };
    metrics.observe('apiserver_request_duration_seconds', labels, count,
      seconds * world.noise.level(`${instance} ${verb}`, 0.07), apiShape);
    for (const [code, some] of [['200', count - failed], ['504', failed]] as const) {
      metrics.add('apiserver_request_total', { verb, resource, code }, some);
    }
  }
  metrics.set('apiserver_current_inflight_requests', { request_kind: 'mutating' },
    world.noise.count(slow ? 61 : 2));
  metrics.set('apiserver_storage_objects', { resource: 'pods' }, 1900 + index);
  exposeProcess(world, target, dt, { cpu: 0.9 * wave, memory: 2.6e9,
    startedAt: world.origin - 21 * 86_400 });
}

export const incident = inWorld({
  name: 'raid-check-etcd',
  what: 'the mirrors of all three control planes are checked at once; etcd loses its leader again',
  truth: {
    says: 'The Kubernetes API is slow and fails in writing since T because etcd is: each fsync of '
      + 'its WAL takes 0.7 s instead of 3 ms on all three members, so that the leader changes '
      + 'every 17 s. The disks under md0 of all three control planes are 98 % busy since T, as a '
      + 'check of the RAID began there at T (node_md_state check). Round trips between the members '
      + 'are as fast as before, and no more is written; the pods of CI are coincidence. Stop the '
      + 'check (sync_action idle), let the hosts do it one after the other.',
    alerts: ['KubeAPIErrorBudgetBurn', 'etcdHighNumberOfLeaderChanges', 'etcdHighFsyncDurations'],
    cause: /\bmd0|node_md|raid|mdadm|mirror|disk|fsync|\bi\/?o\b|\bsd[ab]\b|storage/,
    culprit: /\bmd0|node_md|raid|mdadm|\bsd[ab]\b|cp-ber-/,
    holds: [/etcd|leader|heartbeat|proposals|commit|raft/, /apiserver|kube.?api|inflight/,
      /pressure|iowait/, /pending/],
    isFalse: [
      /wk-ber/, /\bci\b|schedule_attempts/,
      /network (is|was)|packet|round.?trip.*(rose|slow)/, /memory|leak/,
      /more (requests|writes|traffic)|traffic (rose|grew)/, /release|version|rollout/,
      /crash|restart/, /database (size|is full)|quota/, /certificate|\bdns\b/,
      /(failed|failing|broken|degraded) disk|disk (has )?failed/,
    ],
    mayNotBeRuledOut: /\bi\/?o\b|raid|\bmd0|fsync|disks? (is |are )?(busy|slow|satur|latency)/,
    step: /\bmd0|raid|mdadm|disk|fsync|\bi\/?o\b|etcd|sync_action|mdstat/,
  },
  rules: [
    {
      alert: 'KubeAPIErrorBudgetBurn', for: '30s', severity: 'critical',
      expr: 'sum by (cluster) (rate(apiserver_request_total{code=~"5.."}[1m])) '
        + '/ sum by (cluster) (rate(apiserver_request_total[1m])) > 14.4 * 0.002',
      annotations: {
        summary: 'The API server is burning too much error budget.',
        runbook_url: 'https://runbooks.prometheus-operator.dev/runbooks/kubernetes/',
      },
    },
    {
      alert: 'etcdHighNumberOfLeaderChanges', for: '30s',
      expr: 'increase((max without (instance) (etcd_server_leader_changes_seen_total{job=~".*etcd.*'
        + '"}) or 0*absent(etcd_server_leader_changes_seen_total{job=~".*etcd.*"}))[4m:30s]) >= 3',
      annotations: {
        description: 'etcd cluster "{{ $labels.job }}": {{ $value }} leader changes within the '
          + 'last 4 minutes. Frequent elections may be a sign of insufficient resources, high '
          + 'network latency, or disruptions by other components.',
      },
    },
    {
      alert: 'etcdHighFsyncDurations', for: '1m',
      expr: 'histogram_quantile(0.99, rate(etcd_disk_wal_fsync_duration_seconds_bucket'
        + '{job=~".*etcd.*"}[2m])) > 0.5',
    },
    {
      alert: 'NodeRAIDDegraded', severity: 'critical', for: '1m',
      expr: 'node_md_disks{state="failed"} > 0',
    },
  ],
  proofs: [
    'sum(node_md_state{state="check"} == 1) == 3',
    'count(rate(node_disk_io_time_seconds_total{device=~"sd[ab]"}[1m]) > 0.9) == 6',
    'histogram_quantile(0.5, sum by (le) (rate(etcd_disk_wal_fsync_duration_seconds_bucket[1m]))) '
      + '> 0.3',
    'histogram_quantile(0.99, sum by (le) (rate(etcd_network_peer_round_trip_time_seconds_bucket'
      + '[2m]))) < 0.01',
    'min(increase(etcd_server_leader_changes_seen_total[2m])) >= 3',
    'max(rate(node_disk_io_time_seconds_total{device="nvme0n1"}[1m])) < 0.2',
    'max(node_md_disks{state="failed"}) == 0',
  ],
  build,
});
