/** Storage of a private cloud on Ceph: a port of one host comes back with a twenty-fifth. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, LinuxHost, serve } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

const hostsOfCeph = ['stor-r1-01', 'stor-r1-02', 'stor-r2-01', 'stor-r2-02', 'stor-r3-01',
  'stor-r3-02'];
const bad = 'stor-r2-02';
const fullSpeed = 3.125e9;
const gigabit = 0.125e9;
/** The cable lost its light for four seconds, and the port agreed on less. */
const isSlow = (world: World): boolean => world.age !== null;

function build(world: World): (dt: number) => void {
  const hosts = hostsOfCeph.map((name, index) => {
    const endpoint = world.place({ job: 'node', instance: name, rack: name.slice(5, 7) });
    return { name, index, endpoint, host: new LinuxHost(world, endpoint, { cores: 16,
      memory: 192e9, disks: [
        { device: 'nvme0n1', mountpoint: '/', bytes: 240e9, usedBytes: 40e9 },
      ] }) };
  });
  const manager = world.place({ job: 'ceph', instance: 'ceph-mgr', cluster: 'ceph' });
  const cinder = world.place({ job: 'openstack-api', instance: 'ctl-1:9180' });
  const hypervisors = [1, 2, 3].map((id) => world.place({ job: 'libvirt',
    instance: `nova-${String(id)}:9177` }));
  return (dt) => {
    const wave = demand(world, 'guests', 1);
    for (const { name, index, endpoint, host } of hosts) {
      host.busy = 4.1 * wave;
      host.ioBusy.set('nvme0n1', 0.04);
      host.step(dt);
      exposePort(world, dt, endpoint.metrics, { name, wave });
      // Two disks of another host are scrubbed, as always on some host.
      const isScrubbed = Math.floor(world.now / 1500) % 6 === index;
      for (let disk = 0; disk < 4; disk += 1) {
        exposeOsd(world, dt, manager.metrics, { osd: index * 4 + disk, name, wave });
        endpoint.metrics.add('node_disk_io_time_seconds_total', { device: `sd${'bcde'[disk]}` },
          (isScrubbed && disk < 2 ? 0.42 : 0.2 * wave)
            * world.noise.level(`${name} sd${String(disk)}`, 0.1) * dt);
      }
    }
    exposeCluster(world, dt, manager.metrics, wave);
    for (const { metrics, instance } of hypervisors) {
      for (const volume of ['vda', 'vdb']) {
        const writes = world.noise.count(130 * wave * (isSlow(world) ? 0.55 : 1) * dt);
        metrics.add('libvirt_domain_block_stats_write_requests_total', { target_device: volume },
          writes);
        metrics.add('libvirt_domain_block_stats_write_time_seconds_total',
          { target_device: volume },
          writes * (isSlow(world) ? 0.31 : 0.006) * world.noise.level(`${instance} w`, 0.06));
      }
      metrics.set('libvirt_domains', {}, 41);
    }
    serve(world, dt, { metrics: cinder.metrics, name: 'openstack_api_request_seconds',
      labels: { service: 'cinder', action: 'volume.create' }, status: 'code',
      codes: { 202: 1, 500: 0.002 }, rate: 0.6 * wave, mean: isSlow(world) ? 1.4 : 0.5,
      shape: { bounds: [0.1, 0.25, 0.5, 1, 2.5, 5, 10], steepness: 4 } });
    // A tenant resizes its instances just then, and a console proxy was released before.
    serve(world, dt, { metrics: cinder.metrics, name: 'openstack_api_request_seconds',
      labels: { service: 'nova', action: 'server.resize' }, status: 'code', codes: { 202: 1 },
      rate: isSlow(world) ? 1.1 : 0.2, mean: 0.7,
      shape: { bounds: [0.1, 0.25, 0.5, 1, 2.5, 5, 10], steepness: 4 } });
    cinder.metrics.set('openstack_service_info', { service: 'nova-novncproxy',
      version: world.clock > -520 ? '29.2.1' : '29.2.0' }, 1);
  };
}

/** The port for storage, beside the one for everything else. */
function exposePort(
  world: World,
  dt: number,
  metrics: Metrics,
  { name, wave }: { readonly name: string; readonly wave: number },
): void {
  const { noise } = world;
  const slow = name === bad && isSlow(world);
  const isFlapping = slow && (world.age ?? 0) < 4;
  const speed = slow ? gigabit : fullSpeed;
  const device = 'enp65s0f0';
  const wanted = 3.1e8 * wave * noise.level(`${name} port`, 0.08);
  metrics.set('node_network_speed_bytes', { device }, speed);
  metrics.set('node_network_speed_bytes', { device: 'ens5' }, 0.125e9);
  metrics.set('node_network_up', { device }, isFlapping ? 0 : 1);
  metrics.add('node_network_carrier_changes_total', { device },
    slow && (world.age ?? 0) <= dt + 0.01 ? 2 : 0);
  const moved = isFlapping ? 0 : Math.min(wanted, speed * 0.97);
  metrics.add('node_network_receive_bytes_total', { device }, moved * dt);
  metrics.add('node_network_transmit_bytes_total', { device }, moved * 0.9 * dt);
  metrics.add('node_network_transmit_drop_total', { device },
    noise.count((slow ? 1900 : 0.02) * dt));
  metrics.add('node_network_receive_errs_total', { device }, 0);
  metrics.add('node_netstat_Tcp_RetransSegs', {}, noise.count((slow ? 2400 : 6) * dt));
}

/** Each write waits for two copies on other hosts, so that others are slower as well. */
function exposeOsd(
  world: World,
  dt: number,
  metrics: Metrics,
  { osd, name, wave }: { readonly osd: number; readonly name: string; readonly wave: number },
): void {
  const { noise } = world;
  const ceph_daemon = `osd.${String(osd)}`;
  const own = name === bad && isSlow(world);
  const level = noise.level(ceph_daemon, 0.1);
  const wait = own ? 0.34 : isSlow(world) ? 0.052 : 0.005;
  const writes = noise.count((isSlow(world) ? 34 : 60) * wave * dt);
  metrics.summarize('ceph_osd_op_w_latency', { ceph_daemon }, writes, wait * level);
  metrics.summarize('ceph_osd_op_r_latency', { ceph_daemon }, noise.count(40 * wave * dt),
    (own ? 0.21 : 0.003) * level);
  // What the disk itself needs.
  metrics.set('ceph_osd_commit_latency_ms', { ceph_daemon }, Math.round(3 * level));
  metrics.set('ceph_osd_up', { ceph_daemon }, 1);
  metrics.set('ceph_osd_in', { ceph_daemon }, 1);
  metrics.set('ceph_osd_metadata', { ceph_daemon, hostname: name, device_class: 'ssd' }, 1);
}

function exposeCluster(world: World, dt: number, metrics: Metrics, wave: number): void {
  const { noise, age } = world;
  const slow = age === null || age < 25 ? 0 : noise.count(Math.min(240, age * 2));
  metrics.set('ceph_healthcheck_slow_ops', {}, slow);
  metrics.set('ceph_health_status', {}, slow > 0 ? 1 : 0);
  metrics.set('ceph_cluster_total_used_bytes', {}, 6.4e13 * noise.level('used', 0.001));
  metrics.set('ceph_cluster_total_bytes', {}, 1.15e14);
  metrics.set('ceph_pg_degraded', {}, 0);
  metrics.set('ceph_pg_active', {}, 1024);
  for (const pool_id of ['2', '3']) {
    metrics.add('ceph_pool_wr', { pool_id },
      noise.count((isSlow(world) ? 400 : 720) * wave * (pool_id === '2' ? 1 : 0.2) * dt));
    metrics.add('ceph_pool_rd', { pool_id }, noise.count(480 * wave * dt));
  }
}

export const incident = inWorld({
  name: 'nic-fell-to-gigabit',
  what: 'the storage port of one Ceph host comes back with 1 Gbit/s instead of 25: writes wait',
  truth: {
    says: 'Writes of the guests take 50 times as long since T because one of six Ceph hosts, '
      + 'stor-r2-02, has its storage port enp65s0f0 at 1 Gbit/s instead of 25 since the carrier '
      + 'changed twice at T: it is full and drops packets, TCP sends again. The OSDs there '
      + '(12 to 15) are slowest, the others wait for their copies; their disks need 3 ms as ever. '
      + 'No more writes; the scrub, the resizes and novncproxy 29.2.1 are coincidence. Take the '
      + 'host out, or repair cable and port.',
    alerts: ['CephSlowOps', 'GuestDiskWritesSlow'],
    cause: /stor-r2-02|enp65s0|carrier|link speed|g(iga)?bit|retrans|packet|\bport\b|network/,
    culprit: /stor-r2-02|enp65s0f0|osd\.1[2-5]/,
    holds: [/osd|ceph|write|latency/, /libvirt|guest|cinder|volume/],
    isFalse: [
      /^(?!.*(stor-r2-02|osd|latency)).*stor-r(1-0[12]|2-01|3-0[12])/, /scrub/,
      /resize/, /vnc|29\.2\.1|release|version/,
      /more (writes|requests|traffic)|traffic (rose|grew)/, /\bcpu\b|memory|leak/,
      /\bsd[bcde]\b|failing disk/,
    ],
    mayNotBeRuledOut: /network|carrier|retrans|enp65|packet/,
    step: /stor-r2-02|network|enp65s0f0|carrier|ethtool|link|\bport\b|cable|osd\.1[2-5]|retrans/,
  },
  rules: [
    {
      alert: 'CephSlowOps', for: '30s', labels: { severity: 'warning', type: 'ceph_default' },
      expr: 'ceph_healthcheck_slow_ops > 0',
      annotations: {
        documentation: 'https://docs.ceph.com/en/latest/rados/operations/health-checks#slow-ops',
        summary: 'OSD operations are slow to complete on cluster {{ $labels.cluster }}',
      },
    },
    {
      alert: 'GuestDiskWritesSlow', for: '30s', severity: 'critical', labels: { team: 'cloud' },
      expr: 'sum(rate(libvirt_domain_block_stats_write_time_seconds_total[1m])) '
        + '/ sum(rate(libvirt_domain_block_stats_write_requests_total[1m])) > 0.1',
      annotations: { summary: 'Guests wait {{ $value | humanizeDuration }} for a write' },
    },
    {
      alert: 'CephOSDDown', for: '1m', expr: 'ceph_osd_up == 0',
    },
  ],
  proofs: [
    'node_network_speed_bytes{device="enp65s0f0"} < 2e8',
    'count(node_network_speed_bytes{device="enp65s0f0"} > 3e9) == 5',
    'increase(node_network_carrier_changes_total{device="enp65s0f0"}[5m]) > 1',
    'rate(node_netstat_Tcp_RetransSegs{instance="stor-r2-02"}[1m]) > 1000',
    'max(rate(node_netstat_Tcp_RetransSegs{instance!="stor-r2-02"}[1m])) < 20',
    'max(ceph_osd_commit_latency_ms) < 6',
    'topk(4, rate(ceph_osd_op_w_latency_sum[1m]) / rate(ceph_osd_op_w_latency_count[1m])) > 0.2',
    'sum(rate(ceph_pool_wr[1m])) < sum(rate(ceph_pool_wr[1m] offset 4m))',
  ],
  build,
});
