import { metrics, names, promql, shell, ssh, type Family } from '../family.ts';
import { memoryHogs, ofInstance } from '../usual-checks.ts';

const available = `node_memory_MemAvailable_bytes{${ofInstance}}`;
const total = `node_memory_MemTotal_bytes{${ofInstance}}`;

const nodeMemory: Family = {
  id: 'node-memory',
  names: names(`nodememoryhighutili[sz]ation|hostmemory(?:usage|usagehigh)
    |(?:node|server|instance|vm)(?:high)?memory(?:usage|usagehigh|high|low|utili[sz]ation|full)?
    |(?:node|host|server|instance)outofmemory|lowmemory|memorylow
    |nodememorymajorpage?sfaults|hostmemoryunderpressure|hostmemoryundermemorypressure
    |host(?:high)?majorpagefaults|majorpagefaults(?:high)?|memorypressure(?:high)?
    |(?:node|host|high)?swap(?:usage|usagehigh|high|full|fillingup|isfillingup|low)?`),
  metrics: metrics(`node_memory_(?:(?:MemAvailable|MemFree|MemTotal)_bytes|Swap\\w+)
    |node_vmstat_(?:pgmajfault|pswpin|pswpout)|node_pressure_memory_\\w+`),
  meaning: 'Little memory or swap is left on the host, or pages are read back from disk.',
  impact: 'The kernel reclaims caches, everything slows down, and in the end a process is killed.',
  causes: [
    {
      id: 'leak', cause: 'A process leaks memory',
      mechanism: 'Its use grows steadily from its start until the host has none left.',
      test: promql(`-3600 * max_over_time(deriv(${available}[1h])[4h:1h])
        / ${total}`, { atLeast: 0.01 }),
      note: 'It is the share that was lost in each of the last four hours, at least.',
    },
    {
      id: 'swap-thrash', cause: 'The host swaps in and out at once',
      mechanism: 'Pages move to swap and are needed again right away.',
      test: promql(`rate(node_vmstat_pswpin{${ofInstance}}[5m])`, { atLeast: 100, notUpTo: 1 }),
    },
    {
      id: 'slab-growth', cause: 'Kernel memory grows',
      mechanism: 'Dentries, sockets or a driver hold memory that belongs to no process.',
      test: promql(`node_memory_SUnreclaim_bytes{${ofInstance}} / ${total}`,
        { atLeast: 0.2, notUpTo: 0.05 }),
    },
    {
      id: 'no-shortage', cause: 'What is counted is cache, or idle pages in swap',
      mechanism: 'MemFree is always low on a healthy host; only MemAvailable shows a shortage.',
      test: promql(`${available} / ${total}`, { atLeast: 0.3, notUpTo: 0.1 }),
    },
  ],
  steps: [
    {
      action: 'Read memory on the host.',
      why: 'The available column is the one that counts, not free.',
      command: ssh('free -m'),
    },
    memoryHogs,
    {
      action: 'Watch memory, swap and reads together for ten seconds.',
      why: 'High si and so mean swap, high bi alone file pages; full but idle swap does no harm.',
      command: ssh('vmstat -w 1 10'),
    },
    {
      action: 'Ask which pods hold most memory.',
      why: 'One without a limit grows with its load until the host is short of memory.',
      command: promql(`topk(10, sum by (namespace, pod) (container_memory_working_set_bytes{
        node="{node|nodename|instance.host}",container!=""}))`),
    },
    {
      action: 'Move load off the host: stop new pods from landing on it.',
      why: 'It buys time without killing anything.',
      command: shell('kubectl cordon node/{node|nodename|instance.host}'),
      expected: 'The node shows SchedulingDisabled.',
      risk: 'low: the rest of the cluster must have room for new pods',
      undo: 'kubectl uncordon the node.',
    },
  ],
};

const oomKill: Family = {
  id: 'node-oom-kill',
  names: names('(?:host|node)?oomkill(?:s|er|ed|detected|erinvoked)?'),
  metrics: metrics('node_vmstat_oom_kill'),
  meaning: 'The kernel killed at least one process because a memory limit or the host was full.',
  impact: 'The process lost its work in flight; its container restarts or stays down.',
  unit: 'count',
  causes: [
    {
      id: 'container-limit', cause: 'A container reached its own memory limit',
      mechanism: 'The kill hits inside one cgroup while the host has memory left.',
      test: promql(`min_over_time(${available}[1h]) / ${total}`, { atLeast: 0.15, notUpTo: 0.03 }),
    },
    {
      id: 'host-overcommit', cause: 'The host itself ran out of memory',
      mechanism: 'Pods without limits, or requests below use, add up to more than there is.',
      test: promql(`min_over_time(${available}[1h]) / ${total}`, { atMost: 0.03, notFrom: 0.15 }),
    },
    {
      id: 'leak', cause: 'A process leaks memory',
      mechanism: 'It grows until it is the largest and is chosen.',
      test: ssh('sudo journalctl -k --since=-6h -g "Killed process"'),
      confirms: 'The same program is killed at regular intervals.',
      refutes: 'Different programs are killed, or only once.',
    },
  ],
  steps: [
    {
      action: 'Read which process was killed, and in which cgroup.',
      why: 'CONSTRAINT_MEMCG is a container limit; CONSTRAINT_NONE is the whole host.',
      command: ssh('sudo journalctl -k --since=-2h -g "oom-kill|Killed process"'),
    },
    memoryHogs,
  ],
};

export const memoryFamilies: readonly Family[] = [oomKill, nodeMemory];
