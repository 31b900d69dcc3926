import { alwaysOnFamilies } from './always-on.ts';
import { applicationFamilies } from './applications.ts';
import { certificateFamilies } from './certificates.ts';
import { containerFamilies } from './containers.ts';
import { controlPlaneFamilies } from './control-plane.ts';
import { dataStoreClusterFamilies } from './data-stores-clusters.ts';
import { dataStoreDownFamilies } from './data-stores-down.ts';
import { dataStoreFamilies } from './data-stores.ts';
import { deliveryFamilies } from './delivery.ts';
import { deviceFamilies } from './devices.ts';
import type { Family } from './family.ts';
import { capacityFamilies } from './kubernetes-capacity.ts';
import { jobFamilies } from './kubernetes-jobs.ts';
import { kubernetesNodeFamilies } from './kubernetes-nodes.ts';
import { podFamilies } from './kubernetes-pods.ts';
import { kubernetesStorageFamilies } from './kubernetes-storage.ts';
import { workloadFamilies } from './kubernetes-workloads.ts';
import { monitoringFamilies } from './monitoring.ts';
import { cpuFamilies } from './nodes-cpu.ts';
import { diskFamilies } from './nodes-disk.ts';
import { memoryFamilies } from './nodes-memory.ts';
import { networkFamilies } from './nodes-network.ts';
import { storageDeviceFamilies } from './nodes-storage-devices.ts';
import { systemFamilies } from './nodes-system.ts';
import { platformFamilies } from './platform.ts';
import { queueFamilies } from './queues.ts';
import { storageClusterFamilies } from './storage-clusters.ts';
import { targetFamilies } from './targets-and-probes.ts';

/** Every family, in the order in which they are tried: the first that fits is taken. */
export const families: readonly Family[] = [
  ...alwaysOnFamilies,
  ...certificateFamilies,
  ...dataStoreClusterFamilies,
  ...storageClusterFamilies,
  ...deliveryFamilies,
  ...platformFamilies,
  ...deviceFamilies,
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
  ...targetFamilies,
  ...dataStoreDownFamilies,
  ...dataStoreFamilies,
  ...queueFamilies,
  ...monitoringFamilies,
  ...applicationFamilies,
];
