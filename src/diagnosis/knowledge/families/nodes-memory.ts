import { metrics, names, promql, shell, ssh, type Family, type Step } from '../family.ts';
import { ofInstance } from '../usual-checks.ts';

const available = `node_memory_MemAvailable_bytes{${ofInstance}}`;
const total = `node_memory_MemTotal_bytes{${ofInstance}}`;
const memoryHogs: Step = {
  action: 'List the processes that hold most memory.',
  why: 'One large process is a leak or a job; many equal ones are load.',
  command: ssh('ps -eo pid,rss,etime,args --sort=-rss | head -n 15'),
  expected: 'One process leads, or the memory is spread evenly.',
};

const nodeMemory: Family = {
  id: 'node-memory',
  names: names(`nodememoryhighutili[sz]ation|hostmemory(?:usage|usagehigh)
    |(?:node|server|instance|vm)(?:high)?memory(?:usage|usagehigh|high|low|utili[sz]ation|full)?
    |(?:node|host|server|instance)outofmemory|lowmemory|memorylow`),
  metrics: metrics('node_memory_(?:MemAvailable|MemFree|MemTotal)_bytes'),
  meaning: 'Little memory is left on the host for new allocations.',
  impact: 'The kernel reclaims caches, everything slows down, and in the end a process is killed.',
  causes: [
    {
      id: 'leak', cause: 'A process leaks memory',
      mechanism: 'Its use grows steadily from its start until the host has none left.',
      test: promql(`deriv(${available}[6h])`),
      confirms: 'Available memory falls in a straight line for hours.',
      refutes: 'Available memory is flat, or fell in one step.',
    },
    {
      id: 'new-pod', cause: 'A new or moved workload landed on the host',
      mechanism: 'Its memory comes on top of what was there, in one step.',
      test: promql('sum(kube_pod_info{node="{node|nodename|instance.host}"})'),
      confirms: 'The number of pods rose when available memory fell.',
    },
    {
      id: 'no-limits', cause: 'Containers without memory limits grow with their load',
      mechanism: 'Nothing stops a container before the host itself is short of memory.',
      test: promql(`topk(10, sum by (namespace, pod) (container_memory_working_set_bytes{
        node="{node|nodename|instance.host}",container!=""}))`),
      confirms: 'The largest pods have no limit, and grew with traffic.',
      refutes: 'The largest pods stand below a limit.',
    },
    {
      id: 'slab-growth', cause: 'Kernel memory grows',
      mechanism: 'Dentries, sockets or a driver hold memory that belongs to no process.',
      test: promql(`node_memory_SUnreclaim_bytes{${ofInstance}} / ${total}`,
        { atLeast: 0.2, notUpTo: 0.05 }),
    },
    {
      id: 'cache-mistaken', cause: 'The rule counts cache as used memory',
      mechanism: 'MemFree is always low on a healthy host; only MemAvailable shows a shortage.',
      test: promql(`${available} / ${total}`, { atLeast: 0.3, notUpTo: 0.1 }),
    },
  ],
  steps: [
    {
      action: 'Read memory on the host.',
      why: 'The available column is the one that counts, not free.',
      command: ssh('free -m'),
      expected: 'The available column is small in comparison with total.',
    },
    memoryHogs,
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

const memoryPressure: Family = {
  id: 'node-memory-pressure',
  names: names(`nodememorymajorpage?sfaults|hostmemoryunderpressure|hostmemoryundermemorypressure
    |host(?:high)?majorpagefaults|majorpagefaults(?:high)?|memorypressure(?:high)?`),
  metrics: metrics('node_vmstat_pgmajfault|node_pressure_memory_\\w+'),
  meaning: 'Processes wait because pages they need must be read from disk.',
  impact: 'Latency rises on everything on the host, and disk reads rise with it.',
  unit: 'per_second',
  causes: [
    {
      id: 'working-set', cause: 'The working set no longer fits into memory',
      mechanism: 'Pages are dropped and read back again and again.',
      test: promql(`${available} / ${total}`, { atMost: 0.05, notFrom: 0.25 }),
    },
    {
      id: 'tight-limit', cause: 'One container is close to its own memory limit',
      mechanism: 'Its cgroup drops its file pages although the host has memory left.',
      test: promql(
        `topk(5, rate(container_memory_failures_total{node="{node|nodename|instance.host}",
          failure_type="pgmajfault",scope="container"}[5m]))`,
      ),
      confirms: 'One container has most of the major faults.',
    },
    {
      id: 'cold-start', cause: 'Programs have just started and read their files',
      mechanism: 'A cold cache makes every first access a fault; it passes in minutes.',
      test: promql(`time() - node_boot_time_seconds{${ofInstance}}`,
        { atMost: 3600, notFrom: 86400 }),
    },
    {
      id: 'swap-thrash', cause: 'The host swaps in and out at once',
      mechanism: 'Pages move to swap and are needed again right away.',
      test: promql(`rate(node_vmstat_pswpin{${ofInstance}}[5m])`, { atLeast: 100, notUpTo: 1 }),
    },
  ],
  steps: [
    {
      action: 'Watch memory, swap and I/O together for ten seconds.',
      why: 'The si, so, bi and wa columns tell swap from file reads.',
      command: ssh('vmstat -w 1 10'),
      expected: 'High si and so mean swap; high bi alone means file pages.',
    },
    memoryHogs,
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
      expected: 'Each kill names the process, its cgroup and its size.',
    },
    memoryHogs,
  ],
};

const swap: Family = {
  id: 'swap',
  names: names('(?:node|host|high)?swap(?:usage|usagehigh|high|full|fillingup|isfillingup|low)?'),
  metrics: metrics('node_memory_Swap(?:Free|Total|Cached)_bytes|node_vmstat_psw(?:pin|pout)'),
  meaning: 'Most of the swap space is in use.',
  impact: 'Swapped-out processes answer slowly; when swap is full the kernel starts to kill.',
  causes: [
    {
      id: 'memory-short', cause: 'The host needs more memory than it has',
      mechanism: 'The kernel moves pages out to keep the rest running.',
      test: promql(`${available} / ${total}`, { atMost: 0.1, notFrom: 0.3 }),
    },
    {
      id: 'leak', cause: 'A process leaks memory',
      mechanism: 'Pages it never touches again drift into swap.',
      test: promql(`deriv(node_memory_SwapFree_bytes{${ofInstance}}[6h])`),
      confirms: 'Free swap falls in a straight line.',
      refutes: 'Free swap fell in one step, or is flat.',
    },
    {
      id: 'idle-pages', cause: 'Idle pages rest in swap and nobody misses them',
      mechanism: 'Swappiness trades idle anonymous pages for file cache; this alone does no harm.',
      test: promql(`rate(node_vmstat_pswpin{${ofInstance}}[5m])`, { atMost: 1, notFrom: 100 }),
    },
  ],
  steps: [
    {
      action: 'Watch whether pages move in and out now.',
      why: 'Full but idle swap is no emergency; traffic is.',
      command: ssh('vmstat -w 1 10'),
      expected: 'The si and so columns are near zero, or they are not.',
    },
    memoryHogs,
  ],
};

export const memoryFamilies: readonly Family[] = [memoryPressure, oomKill, swap, nodeMemory];
