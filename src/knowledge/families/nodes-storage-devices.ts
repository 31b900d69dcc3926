import { ifSome, metrics, names, promql, ssh, type Family } from '../family.ts';
import { ofInstance } from '../usual-checks.ts';

const disk = 'instance="{instance}",device="{device}"';

const bytes = (ago: string): string => `rate(node_disk_written_bytes_total{${disk}}[5m]${ago})
  + rate(node_disk_read_bytes_total{${disk}}[5m]${ago})`;

const diskIo: Family = {
  id: 'disk-io',
  names: names(`nodediskiosaturation|host(?:diskioutilizationhigh|unusualdisk(?:read|write)latency
    |unusualdisk(?:read|write)rate|unusualdiskio)|(?:high|slow)?disk(?:io|iops)(?:high|usage
    |utilization|saturation|saturated|wait|latency|usagehigh|utilizationhigh)?
    |(?:high)?disk(?:read|write)?latency(?:high)?|diskslow|slowdisk`),
  metrics: metrics('node_disk_(?:io_time|read_time|write_time|io_time_weighted)_seconds_total'),
  meaning: 'Requests to the disk queue up or take much longer than usual.',
  impact: 'Everything that reads or fsyncs on this disk waits: databases first, then all else.',
  causes: [
    {
      id: 'heavy-job', cause: 'A backup, compaction or batch job loads the disk',
      mechanism: 'It reads and writes in bulk, and everybody else queues behind it.',
      test: promql(`(${bytes('')}) / (${bytes(' offset 1h')})`, { atLeast: 2, notUpTo: 1.2 }),
      note: 'It compares the bytes per second with those of an hour ago.',
    },
    {
      id: 'failing-disk', cause: 'The disk is failing',
      mechanism: 'The device retries sectors, and each retry stalls the queue.',
      test: ssh('sudo dmesg -T --level=err,warn | tail -n 50'),
      confirms: 'I/O errors, resets or timeouts of this device are listed.',
    },
    {
      id: 'swap-traffic', cause: 'The host swaps',
      mechanism: 'Memory shortage turns into disk reads and writes.',
      test: promql(`rate(node_vmstat_pswpin{${ofInstance}}[5m])
        + rate(node_vmstat_pswpout{${ofInstance}}[5m])`,
        { atLeast: 100, notUpTo: 1 }),
    },
    {
      id: 'fsync-heavy', cause: 'An application syncs after every small write',
      mechanism: 'Many tiny flushes keep the device busy at low throughput.',
      test: promql(`rate(node_disk_flush_requests_total{${disk}}[5m])
        / rate(node_disk_writes_completed_total{${disk}}[5m])`, { atLeast: 0.5, notUpTo: 0.05 }),
    },
  ],
  steps: [
    {
      action: 'Watch the devices for a few seconds.',
      why: 'Queue, wait and utilisation side by side tell load from a slow device.',
      command: ssh('iostat -xz 2 5'),
      expected: 'The device of the alert shows a high await or aqu-sz.',
    },
    {
      action: 'Compare its operations per second with the cap of the class of its volume.',
      why: 'Above the cap, or without burst credits, the provider delays every request.',
      command: promql(`rate(node_disk_reads_completed_total{${disk}}[5m])
        + rate(node_disk_writes_completed_total{${disk}}[5m])`),
      expected: 'Well below the cap; a flat line at a round number is the cap.',
    },
    {
      action: 'See which processes do the I/O.',
      why: 'A single job can be paused; a slow device cannot.',
      command: ssh('sudo iotop -boPa -n 3 -d 2 | head -n 30'),
    },
    {
      action: 'Lower the I/O priority of the job that leads, once its owner agrees.',
      why: 'It goes on, and the others get the disk first.',
      expected: 'Seconds per write fall within a minute (ionice -c 3 on the process).',
      risk: 'low: the job takes longer; only schedulers such as BFQ honour the class',
      undo: 'Set the class back with ionice -c 2.',
    },
  ],
};

const raid: Family = {
  id: 'raid-degraded',
  names: names(`noderaid(?:degraded|diskfailure)|host(?:raidarraygotinactive|raiddiskfailure
    |softwareraid(?:insufficientdrives|diskfailure))
    |raid(?:array)?(?:degraded|failed|failure)|diskfailed`),
  metrics: metrics('node_md_\\w+'),
  meaning: 'A disk of an array is lost.',
  impact: 'The next disk that fails may take the data with it.',
  unit: 'count',
  causes: [
    {
      id: 'member-failed', cause: 'A member disk has failed',
      mechanism: 'The kernel removed it from the array after errors.',
      test: ifSome(`sum(node_md_disks{${disk},state="failed"})`),
      isDirect: true,
    },
    {
      id: 'member-missing', cause: 'A member disk is missing and there is no spare',
      mechanism: 'The array is short of a disk: cable, controller or a replaced disk not added.',
      test: ifSome(`sum(node_md_disks_required{${disk}})
        - sum(node_md_disks{${disk},state=~"active|spare"})`),
      note: 'It is how many disks are missing.',
    },
    {
      id: 'controller', cause: 'Controller, cable or backplane drops disks',
      mechanism: 'Healthy disks disappear together because what connects them fails.',
      test: ssh('sudo dmesg -T | grep -iE "ata|scsi|nvme" | tail'),
      confirms: 'Link resets are listed for more than one disk.',
      refutes: 'Errors belong to one disk only.',
    },
  ],
  steps: [
    {
      action: 'Read the state of the arrays.',
      why: 'It names the missing member and shows whether a rebuild is running.',
      command: ssh('cat /proc/mdstat'),
      expected: 'An underscore such as [U_] marks the lost member.',
    },
    {
      action: 'Read the kernel log for disk errors.',
      why: 'It tells a dead disk from a loose cable.',
      command: ssh('sudo dmesg -T --level=err,warn | tail -n 50'),
    },
    {
      action: 'Check that a backup of this host is recent, then replace the disk in working hours.',
      why: 'The rebuild reads every surviving disk in full, which is when the next one fails.',
      expected: 'The array returns to its full number of active disks.',
      risk: 'high: pulling the wrong disk loses the array; match the serial number first',
    },
  ],
};

const diskHealth: Family = {
  id: 'disk-health',
  names: names(`smart(?:device|disk|ctl|mon|critical|media|nvme|reallocated
    |health(?!\\w*(?:api|app|care)))\\w*|windowsdiskdrive\\w*
    |disk(?:failure|failing|smart\\w*)`),
  metrics: metrics('smartctl_\\w+|smartmon_\\w+|windows_disk_drive_status'),
  meaning: 'A disk reports that it is failing, worn out or too hot.',
  impact: 'If it fails, what is on it is lost where it is part of no array.',
  causes: [
    {
      id: 'media', cause: 'Its medium has defects or is worn out',
      mechanism: 'Sectors that cannot be read are replaced by spare ones until none is left.',
      test: ssh('sudo smartctl --attributes --log=error {device}'),
      confirms: 'Reallocated, pending or uncorrectable sectors, or errors of the medium, rise.',
      refutes: 'These are 0, and the wear is far from its end.',
    },
    {
      id: 'link', cause: 'Its cable, backplane or controller is bad',
      mechanism: 'Data is damaged on the way, so the disk is healthy and transfers fail.',
      test: ssh('sudo dmesg -T | grep -iE "ata|scsi|nvme" | tail'),
      confirms: 'Link resets or checksum errors are listed, and no error of the medium.',
    },
  ],
  steps: [
    {
      action: 'Read what the disk says of its own health.',
      why: 'It tells defects, wear, heat and a bad cable apart.',
      command: ssh('sudo smartctl --all {device}'),
    },
    {
      action: 'Check that a backup of this host is recent before the disk is replaced.',
      why: 'A disk that fails seldom gives a second warning.',
    },
  ],
};

export const storageDeviceFamilies: readonly Family[] = [diskIo, raid, diskHealth];
