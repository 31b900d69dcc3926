import { metrics, names, promql, ssh, type Family } from '../family.ts';

const at = 'instance="{instance}",mountpoint="{mountpoint}"';

const filesystemInodes: Family = {
  id: 'filesystem-inodes',
  isGradual: true,
  names: names(`nodefilesystemfilesfillingup|nodefilesystemalmostoutoffiles|host(?:outofinodes
    |inodesmayfillin24hours)|(?:node|host|disk|low|outof|high)?inodes?(?:low|full|usage|
    usagehigh|exhausted|exhaustion)`),
  metrics: metrics('node_filesystem_files|node_filesystem_files_free'),
  meaning: 'The filesystem has few inodes left, or will have none at the present rate.',
  impact: 'No file can be created once they are used up, although df still shows free bytes.',
  causes: [
    {
      id: 'small-files', cause: 'An application writes many small files and removes none',
      mechanism: 'Sessions, cache shards, mail or per-request files take one inode each.',
      test: promql(`-deriv(node_filesystem_files_free{${at}}[6h])`, { atLeast: 0.1, notUpTo: 0 }),
    },
    {
      id: 'image-layers', cause: 'Unused container images and layers pile up',
      mechanism: 'Each layer unpacks tens of thousands of files under the runtime directory.',
      test: ssh('crictl images'),
      confirms: 'Many images are listed that no running container uses.',
      refutes: 'Few images are listed, or the runtime lives on another filesystem.',
    },
  ],
  steps: [
    {
      action: 'Read inode use per filesystem on the host.',
      why: 'It names the filesystem and shows that bytes are not the problem.',
      command: ssh('df -i'),
      expected: 'One filesystem stands near 100 % in the IUse% column.',
    },
    {
      action: 'Find the directories that hold the most files.',
      why: 'The directory names the application that writes them.',
      command: ssh('du --inodes -x -d 3 -- {mountpoint} | sort -n | tail -n 20'),
    },
    {
      action: 'Have the owner of that directory remove what is expired, oldest first.',
      why: 'Inodes come back at once; the filesystem need not grow.',
      expected: 'The share of free inodes rises in the query above.',
      risk: 'high: removed files are gone; confirm with the owner that nothing reads them',
    },
  ],
};

const filesystemSpace: Family = {
  id: 'filesystem-space',
  isGradual: true,
  names: names(`nodefilesystemspacefillingup|nodefilesystemalmostoutofspace
    |host(?:outofdiskspace|diskmayfillin24hours|diskwillfillin(?:4|24)hours
    |filesystem(?!device|readonly)\\w*)|(?:node|host|server|root|vm)?disk(?:space)?(?:full
    |almostfull|low|usage|usagehigh|usagecritical|fillingup|willfill\\w*|runningfull|runningout)
    |(?:low|outof|high|critical)disk(?:space|usage)?|(?:high)?filesystemusage(?:high)?
    |filesystem(?:full|almostfull|fillingup)`),
  metrics: metrics('node_filesystem_(?:avail|free|size)_bytes|windows_logical_disk_free_bytes'),
  meaning: 'The filesystem has little space left, or will have none at the present rate.',
  impact: 'Writes fail once it is full: databases stop, logs are lost, pods are evicted.',
  causes: [
    {
      id: 'log-growth', cause: 'Logs grow faster than they are rotated',
      mechanism: 'One component logs an error in a loop, or rotation is off or by time alone.',
      test: ssh('du -xh -d 2 /var/log | sort -h | tail -n 15'),
      confirms: 'One file or directory holds gigabytes and was written just now.',
      refutes: 'Logs are small, or on another filesystem.',
    },
    {
      id: 'image-layers', cause: 'Container images and layers pile up',
      mechanism: 'Deploys leave old images behind until the kubelet collects them.',
      test: ssh('crictl imagefsinfo; crictl images'),
      confirms: 'Images take most of the filesystem.',
      refutes: 'Images take little, or are on another filesystem.',
    },
    {
      id: 'backup-or-dump', cause: 'A backup, dump or export fills the disk',
      mechanism: 'A job writes a large file and fails before it moves or removes it.',
      test: ssh('find {mountpoint} -xdev -size +1G -mtime -2 -ls'),
      confirms: 'Large files younger than two days are listed.',
    },
    {
      id: 'deleted-but-open', cause: 'A deleted file is still held open',
      mechanism: 'Its blocks stay in use until the process that has it open closes it.',
      test: ssh('sudo lsof -nP +L1'),
      confirms: 'Large files with a link count of 0 are listed; df shows more than du.',
      refutes: 'Nothing large is listed: df and du agree.',
    },
    {
      id: 'sawtooth-forecast', cause: 'A regular write and clean-up cycle fools the forecast',
      mechanism: 'The rule extends the rising half of a sawtooth that later falls by itself.',
      test: promql(`max_over_time(node_filesystem_avail_bytes{${at}}[1d:5m])
        / min_over_time(node_filesystem_avail_bytes{${at}}[1d:5m] offset 1d)`,
        { atLeast: 1.5, notUpTo: 1.05 }),
      note: 'It compares the most that was free today with the least yesterday.',
    },
    {
      id: 'snapshots', cause: 'Snapshots or a write-ahead log hold old data',
      mechanism: 'Space freed by the application stays referenced and does not return.',
      test: ssh('du -xh -d 2 -- {mountpoint} | sort -h | tail -n 20'),
      confirms: 'A snapshot, WAL or binlog directory is the largest.',
      refutes: 'Ordinary data directories hold the space.',
    },
  ],
  steps: [
    {
      action: 'Read the filesystem on the host.',
      why: 'It shows how much space is left and whether other filesystems are affected.',
      command: ssh('df -hT'),
    },
    {
      action: 'Find what holds the space.',
      why: 'The largest directory names the cause in most cases.',
      command: ssh('sudo du -xh -d 2 -- {mountpoint} | sort -h | tail -n 20'),
    },
    {
      action: 'Look for deleted files that are still open when du shows less than df.',
      why: 'Only a restart or reload of the process that holds them frees the space.',
      command: ssh('sudo lsof -nP +L1'),
    },
    {
      action: 'Shrink the journal when logs are the cause.',
      why: 'It frees space at once without touching application data.',
      command: ssh('sudo journalctl --vacuum-size=500M'),
      expected: 'The command says how much it freed.',
      risk: 'low: the oldest system log entries are lost',
    },
  ],
};

const filesystemErrors: Family = {
  id: 'filesystem-errors',
  names: names(`(?:host|node)?filesystem(?:deviceerrors?|readonly|remountedreadonly|errors?)
    |(?:disk|filesystem|fs)(?:is)?readonly`),
  metrics: metrics('node_filesystem_(?:device_error|readonly)'),
  meaning: 'A filesystem cannot be read, or has become read-only.',
  impact: 'What writes there fails; its space is not monitored while it cannot be read.',
  unit: 'state',
  causes: [
    {
      id: 'disk', cause: 'The disk beneath it has errors',
      mechanism: 'After an error the kernel makes the filesystem read-only to save what is left.',
      test: ssh('sudo dmesg -T | grep -iE "i/o error|remount|ext4-fs|xfs" | tail -n 20'),
      confirms: 'The kernel reports I/O errors or a remount.',
    },
    {
      id: 'server-gone', cause: 'It is mounted from a server that does not answer',
      mechanism: 'A stale handle of NFS or a lost volume answers each access with an error.',
      test: ssh('timeout 5 stat --file-system {mountpoint}'),
      confirms: 'It ends with a stale handle, or does not end within five seconds.',
      refutes: 'It answers at once.',
    },
  ],
  steps: [
    {
      action: 'List the filesystems of the host that cannot be read.',
      why: 'To mounts of containers or of other users, the exporter may just have no access.',
      command: promql('node_filesystem_device_error{instance="{instance}"} == 1'),
      expected: 'No filesystem of the host itself.',
    },
    {
      action: 'Read how it is mounted.',
      why: 'OPTIONS begins with ro if it is read-only; SOURCE shows where it comes from.',
      command: ssh('findmnt --target {mountpoint}'),
      expected: 'rw, from the device that belongs there.',
    },
    {
      action: 'Read what the kernel reported.',
      why: 'It names the device and the error, and since when.',
      command: ssh('sudo dmesg -T --level=err,crit | tail -n 20'),
    },
  ],
};

/** Inodes come first: their rules often mention bytes as well. */
export const diskFamilies: readonly Family[] = [
  filesystemInodes, filesystemSpace, filesystemErrors,
];
