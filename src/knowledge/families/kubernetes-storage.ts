import { ifSome, labelMatches, metrics, names, promql, shell, type Family } from '../family.ts';
import { warnings } from '../usual-checks.ts';

const claim = 'namespace="{namespace}",persistentvolumeclaim="{persistentvolumeclaim}"';
const describeClaim =
  shell('kubectl describe --namespace={namespace} pvc/{persistentvolumeclaim}');

const volumeFilling: Family = {
  id: 'volume-filling-up',
  names: names(`kubepersistentvolume(?:inodesfillingup|usagecritical|fullinfourdays)
    |kubernetesvolumefullinfourdays|(?:kube|kubernetes)?(?:pvc?|persistentvolume(?:claim)?
    |volume)(?:s)?(?:full|almostfull|fillingup|usage|usagehigh|highusage|nearlyfull|spacelow
    |lowspace|outof\\w*|diskfull)`),
  metrics: metrics('kubelet_volume_stats_\\w+'),
  meaning: 'The volume has little space or few inodes left, or soon will.',
  impact: 'The application on it stops writing once it is full; databases go read-only or crash.',
  unit: 'ratio',
  causes: [
    {
      id: 'growth', cause: 'Data grows as planned and the volume is too small by now',
      mechanism: 'A steady rise over weeks reaches the end.',
      test: promql(`7 * (delta(kubelet_volume_stats_used_bytes{${claim}}[1d]) > 0)
        / (delta(kubelet_volume_stats_used_bytes{${claim}}[7d]) > 0)`, { atMost: 2, notFrom: 5 }),
      note: 'It compares the growth of the last day with that of the days of a week.',
    },
    {
      id: 'held-log', cause: 'A write-ahead log or binlog is held back',
      mechanism: 'A stuck replica, slot or backup keeps old segments from being removed.',
      test: promql(`deriv(kubelet_volume_stats_used_bytes{${claim}}[1h])
        / deriv(kubelet_volume_stats_used_bytes{${claim}}[1h] offset 1d)`,
        { atLeast: 3, notUpTo: 1.2 }),
      note: 'It is one only if no more data arrives.',
    },
    {
      id: 'retention', cause: 'Retention or compaction does not run',
      mechanism: 'Expired data is kept because the clean-up is off, fails or lags.',
      test: promql(`resets(kubelet_volume_stats_used_bytes{${claim}}[2d])`, { notFrom: 2 }),
      note: 'The answer is how often its use fell in two days.',
    },
    {
      id: 'no-expansion', cause: 'Automatic expansion is missing or failed',
      mechanism: 'The storage class cannot grow, or the request is pending.',
      test: describeClaim,
      confirms: 'Conditions or events mention a resize that does not end.',
      refutes: 'No resize was requested.',
      when: labelMatches(['reason'], /^volumeresizefailed$/iu),
    },
  ],
  steps: [
    {
      action: 'Describe the claim.',
      why: 'It names the pods that use it and whether its class can grow.',
      command: describeClaim,
      expected: 'Used By lists the pod; Capacity shows the present size.',
    },
    {
      action: 'List storage classes and whether they allow expansion.',
      why: 'Growing the claim is the safest way out where it is possible.',
      command: shell('kubectl get storageclass'),
      expected: 'ALLOWVOLUMEEXPANSION is true for the class of the claim.',
    },
    {
      action: 'Grow the claim when its class allows it.',
      why: 'It adds space without a restart on most drivers and deletes nothing.',
      expected: 'The share of bytes free rises within minutes.',
      risk: 'low: a claim cannot shrink again, and the larger volume costs more',
    },
  ],
};

const volumeErrors: Family = {
  id: 'volume-errors',
  names: names(`kubernetespersistentvolume(?:claimpending|error)
    |(?:kube)?(?:pvc?|persistentvolume(?:claim)?|volume)(?:pending|errors?|lost|failed|attach\\w*
    |mount\\w*|notbound)`),
  metrics: metrics('kube_persistentvolume(?:claim)?_status_phase|storage_operation_\\w+'),
  meaning: 'A volume could not be provisioned, bound or attached.',
  impact: 'Pods that need it stay Pending or ContainerCreating.',
  unit: 'state',
  causes: [
    {
      id: 'no-class', cause: 'The claim names no usable storage class',
      mechanism: 'No provisioner picks it up, so it stays Pending.',
      test: ifSome(`(count(kube_persistentvolumeclaim_info{${claim}}
        unless on (storageclass) kube_storageclass_info)
        or count(kube_persistentvolumeclaim_info{${claim}}) * 0) and on () kube_storageclass_info`),
      when: labelMatches(['reason'], /^failedbinding$/iu),
    },
    {
      id: 'zone', cause: 'The disk is in another zone than the nodes with room',
      mechanism: 'A disk can only be attached within its zone.',
      test: warnings,
      confirms: 'Events say "volume node affinity conflict".',
    },
    {
      id: 'driver-down', cause: 'The CSI driver does not run',
      mechanism: 'Nothing answers requests to create or attach disks.',
      test: shell('kubectl get pods -A -o wide --field-selector=status.phase!=Running'),
      confirms: 'A CSI controller or node plugin is listed.',
    },
    {
      id: 'provider-quota', cause: 'The provider refuses: quota, size or attach limit',
      mechanism: 'The call to create or attach the disk fails and is retried forever.',
      test: describeClaim,
      confirms: 'A ProvisioningFailed event carries the error of the provider.',
    },
  ],
  steps: [
    {
      action: 'Describe the claim.',
      why: 'The last event carries the error of the provisioner.',
      command: describeClaim,
    },
    {
      action: 'Describe the volume.',
      why: 'Its phase, claim and node affinity tell what is wrong with it.',
      command: shell('kubectl describe pv/{persistentvolume}'),
      expected: 'Status and Message name the failure.',
    },
  ],
};

export const kubernetesStorageFamilies: readonly Family[] = [volumeFilling, volumeErrors];
