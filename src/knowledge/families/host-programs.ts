import { ifSome, metrics, names, promql, ssh, type Family } from '../family.ts';
import { memoryHogs, ofInstance, onHost } from '../usual-checks.ts';

const group = 'groupname="{groupname}",instance="{instance}"';
const killed = {
  id: 'killed', cause: 'The kernel killed it because memory ran out',
  mechanism: 'The host, or the control group of the process, reached its limit.',
  test: ifSome(`sum(increase(node_vmstat_oom_kill{${onHost}}[1h]))`),
  note: 'The log of the kernel names the process.',
} as const;
const readKernelLog = {
  action: 'Read what the kernel killed.',
  why: 'It names the process, its memory and the control group whose limit was reached.',
  command: ssh('sudo dmesg -T | grep -iE "oom-kill|killed process" | tail -n 10'),
} as const;

const processMemory: Family = {
  id: 'process-memory',
  names: names('(?:high)?process(?:group)?(?:es)?memory(?:high|usage|usagehigh|leak)?'),
  metrics: metrics('namedprocess_namegroup_memory_bytes'),
  meaning: 'A program on this host uses more memory than it should.',
  impact: 'It is killed when it reaches its limit, or others are when the host has none left.',
  unit: 'bytes',
  causes: [
    {
      id: 'growth', cause: 'It takes more and more memory',
      mechanism: 'It keeps what it no longer needs, or what it works on grows.',
      // Leaks of days are too slow to be seen in minutes, so no answer rules this out.
      test: promql(`deriv(namedprocess_namegroup_memory_bytes{${group},memtype="resident"}[10m])
        * 600 / namedprocess_namegroup_memory_bytes{${group},memtype="resident"}`,
        { atLeast: 0.1 }),
    },
    {
      id: 'more-processes', cause: 'More processes of it run than before',
      mechanism: 'The memory of a group is the sum over its processes.',
      test: promql(`namedprocess_namegroup_num_procs{${group}}
        / avg_over_time(namedprocess_namegroup_num_procs{${group}}[1d])`,
        { atLeast: 1.5, notUpTo: 1.1 }),
    },
    {
      id: 'more-work', cause: 'It has more to do than usual',
      mechanism: 'Requests, jobs or data in memory take more of it at once.',
      test: promql(`sum(rate(namedprocess_namegroup_cpu_seconds_total{${group}}[10m]))
        / sum(rate(namedprocess_namegroup_cpu_seconds_total{${group}}[10m] offset 1d))`,
        { atLeast: 2, notUpTo: 1.2 }),
    },
  ],
  steps: [
    memoryHogs,
    readKernelLog,
  ],
};

const processGone: Family = {
  id: 'process-gone',
  names: names('process(?:group)?(?:es)?(?:down|gone|missing|dead|notrunning|restart\\w*)'),
  reads: /(?<![\w:])namedprocess_/u,
  metrics: metrics('namedprocess_namegroup_(?:num_procs|oldest_start_time_seconds)'),
  meaning: 'A program on this host does not run, or is started again and again.',
  impact: 'What it does is not done; clients that need it fail.',
  unit: 'count',
  causes: [
    killed,
    {
      id: 'ends-again', cause: 'It ends soon after each start',
      mechanism: 'A setting, a file or something it depends on is missing.',
      test: promql(`changes(namedprocess_namegroup_oldest_start_time_seconds{${group}}[30m])`,
        { atLeast: 3 }),
    },
    {
      id: 'host-booted', cause: 'The host was restarted, and it was not started since',
      mechanism: 'Its unit is not enabled, or failed at boot.',
      test: promql(`min(time() - node_boot_time_seconds{${onHost}})`,
        { atMost: 1800, notFrom: 86_400 }),
      isAge: true,
    },
  ],
  steps: [
    {
      action: 'Read the failed units and the last log lines of the host.',
      why: 'The exit code and the last line name the cause in most cases.',
      command: ssh('systemctl list-units --no-pager --failed; ' +
        'sudo journalctl --no-pager -n 50 --priority=warning'),
      expected: 'The unit of the program is failed, with an exit code or a signal.',
    },
    readKernelLog,
  ],
};

const nameServer: Family = {
  id: 'name-server',
  names: names('(?:bind|named|dnsserver|unbound|powerdns|pdns)(?:9)?(?!down)' +
    '(?:servfail|query|queries|resolver|answers?|errors?)\\w*'),
  metrics: metrics('bind_(?!up)\\w+'),
  meaning: 'A name server answers with errors, late or not at all.',
  impact: 'Whoever asks it cannot reach other services by name, which looks like their outage.',
  causes: [
    {
      id: 'upstream', cause: 'The servers that it asks do not answer',
      mechanism: 'Each query waits for its timeout, then the client gets SERVFAIL.',
      test: promql(`sum(rate(bind_resolver_query_errors_total{
        ${ofInstance},error="QueryTimeout"}[5m]))
        / sum(rate(bind_resolver_queries_total{${ofInstance}}[5m]))`,
        { atLeast: 0.2, notUpTo: 0.02 }),
      isDirect: true,
    },
    {
      id: 'upstream-errors', cause: 'The servers that it asks answer with SERVFAIL',
      mechanism: 'It passes the error on, or tries all of them in vain.',
      test: promql(`sum(rate(bind_resolver_response_errors_total{
        ${ofInstance},error="SERVFAIL"}[5m]))`,
        { atLeast: 0.1, notUpTo: 0 }),
      isDirect: true,
    },
    {
      id: 'clients-limit', cause: 'It has reached its limit of recursive clients',
      mechanism: 'Clients that wait add up until new ones are dropped.',
      test: promql(`bind_recursive_clients{${ofInstance}}`, { atLeast: 900, notUpTo: 500 }),
      note: 'recursive-clients is 1000 unless set.',
    },
    {
      id: 'zone', cause: 'A zone that it serves has expired or is not loaded',
      mechanism: 'A secondary without its primary stops serving the zone.',
      test: ssh('sudo rndc status; sudo journalctl --no-pager -n 50 --identifier=named'),
      confirms: 'Its log names a zone that expired or was not loaded.',
    },
  ],
  steps: [
    {
      action: 'Ask it a name from outside.',
      why: 'It shows status and time of an answer that it has to fetch.',
      command: ssh('dig +tries=1 +time=5 @127.0.0.1 example.com A'),
      expected: 'status: NOERROR in well under a second.',
    },
    {
      action: 'Follow the delegation without it.',
      why: 'If that works, its forwarders are at fault, and not its network.',
      command: ssh('dig +trace +time=5 example.com A'),
    },
  ],
};

export const hostProgramFamilies: readonly Family[] = [processMemory, processGone, nameServer];
