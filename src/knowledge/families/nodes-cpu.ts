import { metrics, names, promql, ssh, type Family, type Step } from '../family.ts';
import { busyDisk, ofInstance } from '../usual-checks.ts';

const node = 'node="{node|nodename|instance.host}"';
const modeShare = (mode: string): string =>
  `avg(rate(node_cpu_seconds_total{${ofInstance},mode="${mode}"}[5m]))`;
const cpuHogs: Step = {
  action: 'List the processes that use most CPU.',
  why: 'The name of the process settles whether it is load, a job or a fault.',
  // The first round shows the average since each process started.
  command: ssh('top -b -n 2 -d 3 -o %CPU | awk "/^top -/ { n++ } n > 1" | head -n 25'),
};

const nodeCpu: Family = {
  id: 'node-cpu',
  names: names(`nodecpuhighusage|(?:node|host|server|instance|vm)(?:high)?cpu(?:usage|usagehigh|high
    |load|utili[sz]ation)?|(?:node|host)cpuhighutili[sz]ation|hostcpustealnoisyneighbou?r
    |(?:host|node|cpu|high)*(?:steal|iowait)(?:high|time|usage)*`),
  // A rule on context switches divides by the number of processors.
  metrics: new RegExp('^(?![^]*node_context_switches_total)[^]*?(?<![\\w:])(?:' +
    'node_cpu_seconds_total|windows_cpu_time_total|instance:node_cpu:\\w+)(?![\\w:])', 'u'),
  meaning: 'The processors of the host are busy, or wait for its disk or the machine beneath it.',
  impact: 'Work waits, so everything on the host answers more slowly.',
  causes: [
    {
      id: 'load-rise', cause: 'More work arrives',
      mechanism: 'Requests, and with them CPU, rise on all replicas alike.',
      test: promql(`sum(rate(node_network_receive_packets_total{${ofInstance}}[5m]))
        / sum(rate(node_network_receive_packets_total{${ofInstance}}[5m] offset 1h))`,
        { atLeast: 1.5, notUpTo: 1.1 }),
    },
    {
      id: 'kernel-time', cause: 'The kernel itself is busy',
      mechanism: 'Network interrupts, page reclaim or many system calls burn system time.',
      test: promql(`${modeShare('system')} + ${modeShare('softirq')}`,
        { atLeast: 0.3, notUpTo: 0.1 }),
    },
    {
      id: 'noisy-neighbour', cause: 'The hypervisor gives CPU time to other guests',
      mechanism: 'Steal counts as busy, but no process here uses it. Burst credits may be used up.',
      test: promql(modeShare('steal'), { atLeast: 0.1, notUpTo: 0.02 }),
    },
    {
      id: 'slow-volume', cause: 'A volume answers slowly',
      mechanism: 'Tasks wait for reads and writes, which shows as iowait.',
      test: busyDisk(ofInstance),
    },
    {
      id: 'intruder', cause: 'A process that does not belong here runs',
      mechanism: 'Miners use all cores without any request traffic.',
      test: ssh('ps -eo user,pid,pcpu,etime,args --sort=-pcpu | head'),
      confirms: 'An unknown program leads, started from /tmp or by an odd user.',
    },
  ],
  steps: [cpuHogs, {
    action: 'Watch the modes of the CPU and its queue for ten seconds.',
    why: 'The st column is steal, the wa column is iowait.',
    command: ssh('vmstat -w 1 10'),
  }, {
    action: 'Ask which pods use most CPU.',
    why: 'One that leads since its release costs more for the same work.',
    command: promql(`topk(10, sum by (namespace, pod) (
      rate(container_cpu_usage_seconds_total{${node},container!=""}[5m])))`),
  }],
};

const nodeLoad: Family = {
  id: 'node-load',
  names: names(`nodesystemsaturation|hosthighload\\w*|(?:node|host|system|server)?(?:high)?load
    (?:average)?(?:high|1|5|15)?|highsystemload|cpusaturation`),
  metrics: metrics('node_load(?:1|5|15)|node_procs_(?:blocked|running)'),
  meaning: 'More tasks want to run, or wait for disk, than the host has cores.',
  impact: 'Everything on the host takes longer; health checks may time out.',
  unit: 'ratio',
  causes: [
    {
      id: 'cpu-queue', cause: 'Processes compete for CPU',
      mechanism: 'All cores are busy and the rest of the tasks queue.',
      test: promql(`1 - ${modeShare('idle')} - ${modeShare('iowait')}`,
        { atLeast: 0.9, notUpTo: 0.5 }),
    },
    {
      id: 'blocked-on-disk', cause: 'Tasks are blocked on a disk or network filesystem',
      mechanism: 'Tasks in uninterruptible sleep count as load although the CPU is idle.',
      test: promql(`node_procs_blocked{${ofInstance}}`, { atLeast: 4, notUpTo: 0 }),
    },
    {
      id: 'task-storm', cause: 'Very many processes or threads start at once',
      mechanism: 'A cron burst, a fork loop or a thread pool without bound fills the queue.',
      test: promql(`rate(node_forks_total{${ofInstance}}[5m])`, { atLeast: 200, notUpTo: 20 }),
    },
  ],
  steps: [
    {
      action: 'See what runs and what is blocked.',
      why: 'State R means CPU, state D means disk or network filesystem.',
      command: ssh('ps -eo state,pid,wchan:24,args | grep -E "^[RD]" | head -n 30'),
    },
    cpuHogs,
  ],
};

export const cpuFamilies: readonly Family[] = [nodeLoad, nodeCpu];
