import { alwaysOn, infoInhibitor } from './families/always-on.ts';
import { applicationFamilies } from './families/applications.ts';
import { certificateExpiry } from './families/certificates.ts';
import { clusterNetworkFamilies } from './families/cluster-network.ts';
import { containerFamilies } from './families/containers.ts';
import { controlPlaneFamilies } from './families/control-plane.ts';
import { coordinationFamilies } from './families/coordination.ts';
import { dataJobFamilies } from './families/data-jobs.ts';
import { dataStoreFamilies } from './families/data-stores.ts';
import { dataStoreClusterFamilies } from './families/data-stores-clusters.ts';
import { redisDown, storeDown } from './families/data-stores-down.ts';
import { postgresFamilies } from './families/data-stores-postgres.ts';
import { redisFamilies } from './families/data-stores-redis.ts';
import { searchFamilies } from './families/data-stores-search.ts';
import { dataStoreServerFamilies } from './families/data-stores-servers.ts';
import { deliveryFamilies } from './families/delivery.ts';
import { deviceFamilies } from './families/devices.ts';
import { haproxyFamilies } from './families/haproxy.ts';
import { hostProgramFamilies } from './families/host-programs.ts';
import { capacityFamilies } from './families/kubernetes-capacity.ts';
import { jobFamilies } from './families/kubernetes-jobs.ts';
import { kubernetesNodeFamilies } from './families/kubernetes-nodes.ts';
import { podFamilies } from './families/kubernetes-pods.ts';
import { kubernetesStorageFamilies } from './families/kubernetes-storage.ts';
import { workloadFamilies } from './families/kubernetes-workloads.ts';
import { monitoringFamilies } from './families/monitoring.ts';
import { cpuFamilies } from './families/nodes-cpu.ts';
import { diskFamilies } from './families/nodes-disk.ts';
import { memoryFamilies } from './families/nodes-memory.ts';
import { networkFamilies } from './families/nodes-network.ts';
import { storageDeviceFamilies } from './families/nodes-storage-devices.ts';
import { systemFamilies } from './families/nodes-system.ts';
import { platformFamilies } from './families/platform.ts';
import { postgresIoFamilies } from './families/postgres-io.ts';
import { powerAndSensorFamilies } from './families/power-and-sensors.ts';
import { queueFamilies } from './families/queues.ts';
import { rabbitFamilies } from './families/rabbitmq.ts';
import { redisErrors } from './families/redis-errors.ts';
import { storageClusterFamilies } from './families/storage-clusters.ts';
import { targetFamilies } from './families/targets-and-probes.ts';
import {
  exporterErrors, reportedDown, restarted, seriesAbsent, targetsAbsent,
} from './families/targets-silent.ts';
import { telemetryAndBuildFamilies } from './families/telemetry-and-builds.ts';
import { webFamilies } from './families/web-caches.ts';
import { connectionPool, manyThreads, workerPool } from './families/worker-pools.ts';
import type { Family } from './family.ts';

/** Every family, in the order in which they are tried: the first match is taken. */
export const families: readonly Family[] = [
  alwaysOn, infoInhibitor,
  seriesAbsent,
  certificateExpiry,
  ...postgresFamilies,
  redisErrors, ...redisFamilies, ...postgresIoFamilies,
  ...dataStoreServerFamilies,
  ...rabbitFamilies,
  ...dataStoreClusterFamilies,
  ...searchFamilies,
  ...coordinationFamilies,
  ...storageClusterFamilies,
  ...deliveryFamilies,
  ...telemetryAndBuildFamilies,
  ...dataJobFamilies,
  ...haproxyFamilies,
  ...webFamilies,
  ...platformFamilies,
  ...deviceFamilies,
  ...powerAndSensorFamilies,
  ...clusterNetworkFamilies,
  ...controlPlaneFamilies,
  ...kubernetesNodeFamilies,
  ...kubernetesStorageFamilies,
  ...capacityFamilies,
  ...podFamilies,
  ...containerFamilies,
  ...workloadFamilies,
  ...jobFamilies,
  ...diskFamilies,
  ...storageDeviceFamilies,
  ...memoryFamilies,
  ...cpuFamilies,
  ...networkFamilies,
  ...systemFamilies,
  ...hostProgramFamilies,
  targetsAbsent,
  ...targetFamilies,
  redisDown,
  storeDown,
  exporterErrors,
  restarted,
  connectionPool,
  ...dataStoreFamilies,
  ...queueFamilies,
  ...monitoringFamilies,
  workerPool,
  manyThreads,
  reportedDown,
  ...applicationFamilies,
];
