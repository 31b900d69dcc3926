import { ifNone, ifSome, metrics, names, promql, ssh, type Family } from '../family.ts';
import { leak, ofInstance, onHost } from '../usual-checks.ts';

const openFiles = '{__name__=~"process_open_fds|namedprocess_namegroup_open_filedesc",' +
  'job="{job}",groupname="{groupname}"}';

const fileDescriptors: Family = {
  id: 'file-descriptors',
  names: names(`nodefiledescriptorlimit|host(?:filedescriptor\\w*)
    |(?:high|toomany|low|process)?(?:open)?(?:filedescriptors?|fds?|openfiles)
    (?:limit|usage|usagehigh|high|exhausted|exhaustion)?`),
  metrics: metrics('node_filefd_(?:allocated|maximum)|process_(?:open|max)_fds|' +
    'namedprocess_namegroup_(?:open_filedesc|worst_fd_ratio)'),
  meaning: 'Nearly all file descriptors that the host or process may open are open.',
  impact: 'New connections and files fail with "too many open files".',
  unit: 'ratio',
  causes: [
    {
      id: 'socket-leak', cause: 'A process leaks sockets',
      mechanism: 'Connections are not closed after errors, so they add up.',
      test: leak(`node_sockstat_sockets_used{${onHost}}`),
    },
    {
      id: 'file-leak', cause: 'A process leaks open files',
      mechanism: 'Files are opened in a path that never closes them.',
      // The job of an alert on the host is its exporter, which itself opens but a few.
      test: promql(`max((min_over_time(${openFiles}[1h]) > 500)
        / min_over_time(${openFiles}[1h] offset 3h))`, { atLeast: 1.15 }),
    },
    {
      id: 'watchers', cause: 'File watchers or log followers multiply',
      mechanism: 'Each watched file or followed log holds a descriptor.',
      test: ssh('sudo find /proc/[0-9]*/fd -lname "anon_inode:inotify" | wc -l'),
      confirms: 'Thousands of watchers are listed.',
      refutes: 'Few watchers are listed.',
    },
    {
      id: 'connection-peak', cause: 'Load brings more connections at once',
      mechanism: 'Each connection holds a descriptor for as long as it lives.',
      test: promql(`node_netstat_Tcp_CurrEstab{${onHost}}
        / node_netstat_Tcp_CurrEstab{${onHost}} offset 1h`, { atLeast: 2, notUpTo: 1.2 }),
    },
  ],
  steps: [
    {
      action: 'Count open descriptors by process.',
      why: 'One process leads in nearly every case.',
      command: ssh('for p in /proc/[0-9]*; do echo "$(sudo ls $p/fd | wc -l) $(cat $p/comm)"; ' +
        'done 2>/dev/null | sort -rn | head'),
    },
    {
      action: 'See whether they are sockets.',
      why: 'Sockets in CLOSE-WAIT are a leak in the program that owns them.',
      command: ssh('ss -s; ss -Htnp state close-wait | head -n 20'),
    },
  ],
};

const clockSkew: Family = {
  id: 'clock-skew',
  isGradual: true,
  names: names(`nodeclocknotsynchroni[sz]ing|hostclocknotsynchroni[sz]ing
    |(?:node|host)?(?:clock|time)(?:skew|drift|offset|skewdetected|notsynced|outofsync
    |unsynchroni[sz]ed)|(?:windows)?ntp\\w*`),
  metrics: metrics('node_timex_\\w+|node_ntp_\\w+|chrony_\\w+'),
  meaning: 'The clock of the host is off, or nothing synchronises it.',
  impact: 'TLS, tokens, quorums and the order of logs break once it is seconds off.',
  unit: 'seconds',
  causes: [
    {
      id: 'daemon-stopped', cause: 'The time daemon does not run',
      mechanism: 'Nothing corrects the clock, so it drifts by seconds per day.',
      test: ifNone(`node_timex_sync_status{${ofInstance}}`),
    },
    {
      id: 'ntp-blocked', cause: 'The time servers cannot be reached',
      mechanism: 'A firewall or DNS change stops the answers on UDP port 123.',
      test: ssh('chronyc -n sources || timedatectl timesync-status'),
      confirms: 'No source is selected, or the reach column is 0.',
      refutes: 'One source is selected and was heard recently.',
    },
    {
      id: 'vm-pause', cause: 'The virtual machine was paused or migrated',
      mechanism: 'Its clock stood still meanwhile and jumps when corrected.',
      test: ssh('sudo journalctl -q --no-pager --since=-2h -g "Time jumped|clock.*step|suspend"'),
      confirms: 'The log tells of a suspended machine, or of a clock that jumped.',
    },
  ],
  steps: [
    {
      action: 'Read the clock and its synchronisation on the host.',
      why: 'It says whether a daemon runs and which source it follows.',
      command: ssh('date -u; timedatectl; chronyc tracking'),
      expected: 'System clock synchronized: yes, and a small offset.',
    },
    {
      action: 'Restart the time daemon when it is stopped.',
      why: 'It slews the clock back without a jump in most cases.',
      command: ssh('sudo systemctl restart chronyd'),
      expected: 'chronyc tracking shows a source and a falling offset.',
      risk: 'medium: an offset of seconds may be stepped, which databases notice',
    },
  ],
};

const systemdUnit: Family = {
  id: 'systemd-unit',
  names: names(`nodesystemdservice(?:failed|crashlooping)|hostsystemdservicecrashed
    |systemd(?:unit|service)(?:failed|down|crashed|crashlooping|flapping)
    |(?:unit|systemservice)failed`),
  metrics: metrics('node_systemd_(?:unit_state|service_restart_total)'),
  meaning: 'systemd gave up on a unit of this host, or restarts it again and again.',
  impact: 'What the unit provides is missing on this host.',
  unit: 'state',
  causes: [
    {
      id: 'bad-config', cause: 'Its configuration is not valid',
      mechanism: 'The program exits at once, and systemd stops trying after a few starts.',
      test: ssh('sudo journalctl --no-pager -n 50 --unit={name}'),
      confirms: 'The log names a setting, a file or a line, then the exit.',
      refutes: 'The unit ran for long before it failed.',
    },
    {
      id: 'dependency', cause: 'Something it needs is not there', isElsewhere: true,
      mechanism: 'A mount, network, file or other unit is missing when it starts.',
      test: ssh('systemctl list-units --no-pager --failed'),
      confirms: 'A unit it requires has failed as well.',
    },
    {
      id: 'killed', cause: 'It was killed for memory',
      mechanism: 'The kernel or systemd-oomd ended it, and its restart limit was reached.',
      test: ifSome(`increase(node_vmstat_oom_kill{${ofInstance}}[6h])`),
    },
    {
      id: 'after-boot', cause: 'The host has just booted and the unit lost a race',
      mechanism: 'Network, disk or DNS came up later than the unit.',
      test: promql(`time() - node_boot_time_seconds{${ofInstance}}`,
        { atMost: 1800, notFrom: 86400 }),
      isAge: true,
    },
  ],
  steps: [
    {
      action: 'Read the state of the unit and its last log lines.',
      why: 'The exit code and the last line name the cause in most cases.',
      command: ssh('systemctl status --no-pager -l -- {name}'),
      expected: 'Active: failed, with a result such as exit-code, oom-kill or timeout.',
    },
    {
      action: 'Start it again once the cause is removed.',
      why: 'A unit that hit its start limit stays down until somebody resets it.',
      command: ssh('sudo systemctl reset-failed -- {name} && sudo systemctl start -- {name}'),
      expected: 'The unit is active, and stays so for five minutes.',
      risk: 'low: it may fail again at once; its clients reconnect',
      undo: 'Stop the unit.',
    },
  ],
};

export const systemFamilies: readonly Family[] = [fileDescriptors, clockSkew, systemdUnit];
