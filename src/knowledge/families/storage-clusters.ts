import { ifNone, ifSome, metrics, names, promql, shell, ssh, type Family } from '../family.ts';
import { ofJob } from '../usual-checks.ts';

const ceph: Family = {
  id: 'ceph-health',
  names: names('ceph(?!node|mgrprometheusmodule|exporter)\\w+'),
  metrics: metrics('ceph_\\w+'),
  meaning: 'The Ceph cluster is not healthy.',
  impact: 'On a warning, data has fewer copies or less room; on an error, some of it may hang.',
  causes: [
    {
      id: 'osd-down', cause: 'An OSD or its host is down',
      mechanism: 'Its placement groups have fewer copies until it is back or they are copied.',
      test: promql('count(ceph_osd_up{job="{job}"} == 0)', { atLeast: 1 }),
    },
    {
      id: 'full', cause: 'OSDs are nearly full',
      mechanism: 'At 85 % it warns, at 95 % all writes stop.',
      test: promql(`max(ceph_osd_stat_bytes_used{job="{job}"}
        / ceph_osd_stat_bytes{job="{job}"})`, { atLeast: 0.85, notUpTo: 0.75 }),
    },
    {
      id: 'slow-device', cause: 'A disk is slow or fails',
      mechanism: 'Every write waits for the slowest of its copies.',
      // An OSD that is down reports no latency, so a low one proves nothing.
      test: promql('max(ceph_osd_apply_latency_ms{job="{job}"})',
        { atLeast: 500 }),
    },
    {
      id: 'monitors', cause: 'A monitor is out of quorum',
      mechanism: 'It is down, cut off, or its clock is off.',
      test: ifNone('min(ceph_mon_quorum_status{job="{job}"})'),
    },
  ],
  steps: [
    {
      action: 'Read the health of the cluster in detail.',
      why: 'It names each check that fails, with its OSDs and placement groups.',
      command: shell('ceph health detail'),
      expected: 'HEALTH_OK, or only checks that are muted.',
    },
    {
      action: 'Read the state of the placement groups and of the recovery.',
      why: 'What is inactive hangs now; what is degraded is being copied.',
      command: shell('ceph status'),
      expected: 'All active+clean, or degraded objects that become fewer.',
    },
    {
      action: 'List the OSDs by host, with their use.',
      why: 'OSDs that are down on one host mean the host.',
      command: shell('ceph osd df tree'),
      expected: 'All up and in, with even use.',
    },
  ],
};

const zfs: Family = {
  id: 'zfs-pool',
  names: names('(?:node|host)?z(?:fs|pool)(?!arc)\\w*'),
  metrics: metrics('node_zfs_zpool_state|zfs_pool_\\w+|zpool_\\w+'),
  meaning: 'A ZFS pool is degraded, faulted or nearly full.',
  impact: 'One more failed disk may lose the pool; above 90 % it is slow, and a full one stops.',
  causes: [
    {
      id: 'disk', cause: 'A disk failed or was removed from the pool',
      mechanism: 'After too many errors it is faulted, and a spare is used if there is one.',
      test: ssh('sudo dmesg -T | grep -iE "ata|scsi|nvme" | tail'),
      confirms: 'The kernel reports errors or resets of one disk.',
    },
    {
      id: 'checksums', cause: 'Data read back differs from what was written',
      mechanism: 'A cable, a controller or memory damages it on the way.',
      test: ssh('zpool status -v'),
      confirms: 'CKSUM is not zero, often on several disks.',
    },
    {
      id: 'snapshots', cause: 'Snapshots hold deleted data',
      mechanism: 'Space is freed only with the last snapshot that holds it.',
      test: ssh('zfs list -o space -S usedsnap | head -n 15'),
      confirms: 'USEDSNAP is a large part of what is used.',
      refutes: 'USEDSNAP is small.',
    },
  ],
  steps: [
    {
      action: 'Read the state of the pools, their disks and errors.',
      why: 'It names the disk, what happened and what to do.',
      command: ssh('zpool status -v'),
      expected: 'ONLINE, with all counters at zero.',
    },
    {
      action: 'Read how full the pools are.',
      why: 'Above 80 % a pool becomes slow.',
      command: ssh('zpool list -o name,size,alloc,free,cap,frag,health'),
      expected: 'CAP is below 80 %.',
    },
  ],
};

const minio: Family = {
  id: 'minio-drives',
  names: names(`
    minio(?:(?:cluster|node)?(?:disks?|drives?|nodes?)(?:is|are)?(?:offline|down|space\\w*)
    |quorum\\w*|heal\\w*|(?:cluster)?(?:unhealthy|health\\w*|capacity\\w*))`),
  metrics: metrics(`
    minio_(?:cluster|node)_(?:drive|disk|nodes|health|capacity)_\\w+|minio_disks_offline
    |minio_heal_objects_\\w+`),
  meaning: 'Drives or servers of a MinIO cluster are offline, or it is nearly full.',
  impact: 'Objects have fewer parts than they should; beyond the parity they cannot be written.',
  causes: [
    {
      id: 'server-down', cause: 'A server is down or cut off',
      mechanism: 'All of its drives are offline with it, and heal when it is back.',
      test: ifSome(`max(minio_cluster_nodes_offline_total{${ofJob}}
        or minio_cluster_health_nodes_offline_count{${ofJob}})`),
    },
    {
      id: 'drive-failed', cause: 'A drive failed or is not mounted',
      mechanism: 'After errors it is taken out, and its parts are rebuilt on its replacement.',
      test: ifSome(`max(minio_cluster_drive_offline_total{${ofJob}}
        or minio_cluster_health_drives_offline_count{${ofJob}})`),
    },
    {
      id: 'full', cause: 'It is nearly full',
      mechanism: 'Old versions and unfinished uploads take up space that nobody sees.',
      test: promql(`min(minio_cluster_capacity_usable_free_bytes{${ofJob}}
        / minio_cluster_capacity_usable_total_bytes{${ofJob}}
        or minio_cluster_health_capacity_usable_free_bytes{${ofJob}}
        / minio_cluster_health_capacity_usable_total_bytes{${ofJob}})`,
        { atMost: 0.1, notFrom: 0.3 }),
    },
  ],
  steps: [
    {
      action: 'Ask whether the cluster can still be written.',
      why: '503 means that more drives are offline than the parity covers.',
      command: shell("curl -gsS -m 10 -i --url http://{instance.host}':9000/minio/health/cluster'"),
      expected: '200 OK.',
    },
    {
      action: 'List the servers and their pods.',
      why: 'A pod that does not start, or waits for its volume, is the place to look.',
      command: shell('kubectl get pods,persistentvolumeclaims --namespace={namespace} -o wide'),
    },
  ],
};

export const storageClusterFamilies: readonly Family[] = [ceph, zfs, minio];
