/** A messenger on Kubernetes with MongoDB on local disks, and jobs of another team on its nodes. */
import { demand, exposeContainers, exposeGo, exposeProcess, goBounds, LinuxHost, removePod, serve,
  type Container } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

const nodes = ['ip-10-12-3-41', 'ip-10-12-3-88', 'ip-10-12-5-17', 'ip-10-12-5-120'];
const busyNode = nodes[0] ?? '';
const scrub = 'volume-scrub-29407320-q8zkd';
const mailer = 'report-mailer-29407320-x2lrv';
const sessions = ['session-api-6c5d9f7bb-4kxwq', 'session-api-6c5d9f7bb-9tzpm',
  'session-api-6c5d9f7bb-hd2vn'];
const sessionNodes = [nodes[1], nodes[2], nodes[3]] as const;

function containersOf(world: World): Container[] {
  const { age } = world;
  const mongo = [0, 1, 2].map((index) => ({
    namespace: 'chat', pod: `mongo-${String(index)}`, container: 'mongod', node: nodes[index] ?? '',
    cpu: index === 0 ? 1.6 : 0.7, memory: 1.1e10, reads: 1.5e6, writes: 2.5e6,
  }));
  const apps = sessions.map((pod, index) => ({
    namespace: 'chat', pod, container: 'session-api', node: sessionNodes[index] ?? '',
    cpu: 0.5, memory: 2.1e8,
  }));
  const others = ['presence-7f', 'push-55', 'media-9c', 'gateway-1b'].flatMap((name, index) =>
    [0, 1].map((each) => ({
      namespace: index > 1 ? 'media' : 'chat', pod: `${name}c8d-${String(each)}ab`,
      container: name.split('-')[0] ?? '', node: nodes[(index + each) % 4] ?? '',
      cpu: 0.3, memory: 3e8,
    })));
  return [
    ...mongo, ...apps, ...others,
    ...(age === null ? [] : [{
      namespace: 'storage-ops', pod: scrub, container: 'scrub', node: busyNode,
      cpu: 0.35, memory: 1.4e8, reads: 4.9e8, writes: 20_000,
    }, {
      namespace: 'finance', pod: mailer, container: 'mailer', node: nodes[3] ?? '',
      cpu: 0.8, memory: 2.6e8,
    }]),
  ];
}

function build(world: World): (dt: number) => void {
  const cadvisor = world.place({ job: 'kubelet', metrics_path: '/metrics/cadvisor',
    instance: 'kubelet.kube-system:10250' });
  const kube = world.place({ job: 'kube-state-metrics', instance: '10.12.5.17:8080' });
  const mongo = [0, 1, 2].map((index) => world.place({ job: 'mongodb-exporter',
    instance: `mongo-${String(index)}.mongo.chat.svc:9216`, namespace: 'chat',
      pod: `mongo-${String(index)}` }));
  const apps = sessions.map((pod, index) => world.place({ job: 'session-api', namespace: 'chat',
    pod,
    instance: `10.12.9.${String(20 + index)}:2112` }));
  const hosts = nodes.map((node) => new LinuxHost(world,
    world.place({ job: 'node-exporter', node, instance: `${node}:9100` }),
    { cores: 8, memory: 64e9, disks: [
      { device: 'nvme0n1', mountpoint: '/', bytes: 100e9, usedBytes: 44e9 },
      { device: 'nvme1n1', mountpoint: '/mnt/disks/local0', bytes: 1.9e12, usedBytes: 7.4e11 },
    ] }));
  return (dt) => {
    const { age } = world;
    const wave = demand(world, 'chats', 2);
    const isScrubbed = age !== null;
    if (!isScrubbed) {
      for (const pod of [scrub, mailer]) {
        removePod(cadvisor.metrics, pod);
        removePod(kube.metrics, pod);
      }
    }
    exposeContainers(world, dt, { cadvisor: cadvisor.metrics, kube: kube.metrics,
      all: containersOf(world) });
    for (const [namespace, job_name] of [['storage-ops', 'volume-scrub-29407320'],
      ['finance', 'report-mailer-29407320']] as const) {
      kube.metrics.remove('kube_job_status_active', { job_name });
      kube.metrics.remove('kube_job_status_start_time', { job_name });
      if (age === null) continue;
      kube.metrics.set('kube_job_status_active', { namespace, job_name }, 1);
      kube.metrics.set('kube_job_status_start_time', { namespace, job_name },
        Math.round(world.now - age));
    }
    for (const [deployment, replicas] of [['session-api', 3], ['push', 2], ['gateway',
      2]] as const) {
      const labels = { namespace: 'chat', deployment };
      kube.metrics.set('kube_deployment_spec_replicas', labels, replicas);
      kube.metrics.set('kube_deployment_status_replicas_available', labels, replicas);
      kube.metrics.set('kube_deployment_status_observed_generation', labels,
        deployment === 'push' && world.clock > -300 ? 42 : 41);
    }
    mongo.forEach(({ metrics }, index) => {
      const isSlow = index === 0 && isScrubbed;
      const reads = world.noise.count((index === 0 ? 340 : 60) * wave * dt);
      const micros = (isSlow ? 58_000 : 900) * world.noise.level(`mongo ${String(index)}`, 0.1);
      for (const [op_type, ops, each] of [['reads', reads, micros], ['writes', reads * 0.3,
        micros * 1.4],
        ['commands', reads * 0.5, micros * 0.3]] as const) {
        metrics.add('mongodb_ss_opLatencies_latency', { op_type }, ops * each);
        metrics.add('mongodb_ss_opLatencies_ops', { op_type }, ops);
      }
      metrics.set('mongodb_ss_globalLock_currentQueue', { count_type: 'readers' },
        world.noise.count(isSlow ? 19 : 0.1));
      metrics.set('mongodb_ss_wt_concurrentTransactions_available', { txn_rw_type: 'read' },
        isSlow ? world.noise.count(90) : 126);
      metrics.set('mongodb_ss_connections', { conn_type: 'current' },
        Math.round((isSlow ? 300 : 210) * world.noise.level(`conn ${String(index)}`, 0.03)));
      metrics.add('mongodb_ss_wt_cache_pages_read_into_cache', {}, 55 * wave * dt);
      metrics.set('mongodb_rs_myState', {}, index === 0 ? 1 : 2);
      metrics.set('mongodb_up', {}, 1);
    });
    apps.forEach((target) => {
      const mean = isScrubbed ? 0.16 : 0.012;
      for (const [handler, share] of [['/session/{id}', 0.8], ['/session', 0.2]] as const) {
        serve(world, dt, {
          metrics: target.metrics, name: 'gin_request_duration_seconds',
          labels: { method: share > 0.5 ? 'GET' : 'POST', handler }, status: 'code',
          codes: { 200: 1, 504: isScrubbed ? 0.02 : 0.0002 }, rate: 110 * wave * share, mean,
          shape: goBounds,
        });
      }
      exposeGo(world, target, isScrubbed ? 260 : 90);
      exposeProcess(world, target, dt, { cpu: 0.5, memory: 2.1e8, startedAt: world.origin - 4e5 });
    });
    hosts.forEach((host, index) => {
      host.busy = (index === 0 ? 2.4 : 1.5) * wave;
      const isBusy = index === 0 && isScrubbed;
      host.reads.set('nvme1n1', isBusy ? 4.9e8 : 1.6e6);
      host.writes.set('nvme1n1', index < 3 ? 2.6e6 : 200_000);
      host.ioBusy.set('nvme1n1', isBusy ? 2 : 0.06);
      host.ioPressure = isBusy ? 0.61 : 0.006;
      host.step(dt);
    });
  };
}

export const incident = inWorld({
  name: 'scrub-on-node',
  what: 'a job of another team reads 490 MB/s from the disk under mongo-0, the primary',
  truth: {
    says: 'Reads of mongo-0, the primary, take 58 ms instead of 1 since T because the local disk '
      + 'of '
      + 'its node ip-10-12-3-41 is busy all the time: the pod volume-scrub-29407320-q8zkd of '
      + 'storage-ops started there at T and reads 490 MB/s. mongo-0 itself reads and writes as '
      + 'before, with no more operations; the other members are fast. report-mailer started at '
      + 'the same minute elsewhere. Stop the scrub, or move it.',
    alerts: ['MongoOperationLatency', 'SessionApiLatency'],
    cause: /scrub|nvme1n1|\bdisk\b|\bi\/?o\b|storage-ops|io_time|fs_reads|read_bytes/,
    culprit: /scrub|storage-ops|ip-10-12-3-41/,
    holds: [/mongo-0/, /queue|wait|pressure/, /session-api/],
    isFalse: [
      /report-mailer|finance/, /push|generation|release|version/, /mongo-[12]/,
      /traffic|more (requests|operations)/, /ip-10-12-(3-88|5-17|5-120)/, /memory|leak/, /network/,
      /\bcpu\b/,
    ],
    mayNotBeRuledOut: /scrub|\bdisk\b|node|host|i\/o/,
    step: /scrub|ip-10-12-3-41|nvme|iostat|iotop|\bdisk\b|storage-ops|container_fs/,
  },
  rules: [
    {
      alert: 'MongoOperationLatency', for: '30s', severity: 'critical',
      labels: { team: 'chat-storage' },
      expr: 'rate(mongodb_ss_opLatencies_latency{op_type="reads"}[1m]) '
        + '/ rate(mongodb_ss_opLatencies_ops{op_type="reads"}[1m]) / 1000 > 25',
      annotations: { summary: 'Reads of {{ $labels.pod }} take {{ $value }} ms' },
    },
    {
      alert: 'SessionApiLatency', for: '30s', labels: { team: 'chat' },
      expr: 'histogram_quantile(0.99, sum by (job, namespace, le) '
        + '(rate(gin_request_duration_seconds_bucket[1m]))) > 0.25',
    },
    {
      alert: 'MongoMemberDown', severity: 'critical', expr: 'mongodb_up == 0',
    },
  ],
  proofs: [
    'rate(container_fs_reads_bytes_total{namespace="storage-ops"}[1m]) > 3e8',
    'sum(rate(container_fs_reads_bytes_total{pod="mongo-0"}[1m])) < 3e6',
    'rate(node_disk_io_time_seconds_total{device="nvme1n1",node="ip-10-12-3-41"}[1m]) > 0.9',
    'max(rate(node_disk_io_time_seconds_total{device="nvme1n1",node!="ip-10-12-3-41"}[1m])) < 0.2',
    'kube_pod_info{pod=~"volume-scrub.*",node="ip-10-12-3-41"}',
    'kube_pod_info{pod=~"report-mailer.*",node="ip-10-12-5-120"}',
    'count(rate(mongodb_ss_opLatencies_latency{op_type="reads"}[1m]) '
      + '/ rate(mongodb_ss_opLatencies_ops{op_type="reads"}[1m]) / 1000 < 2) == 2',
  ],
  build,
});
