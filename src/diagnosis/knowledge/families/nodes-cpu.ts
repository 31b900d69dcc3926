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
  expected: 'One process leads, or the load is spread evenly.',
};

const nodeCpu: Family = {
  id: 'node-cpu',
  names: names(`nodecpuhighusage|(?:node|host|server|instance|vm)(?:high)?cpu(?:usage|usagehigh|high
    |load|utili[sz]ation)?|(?:node|host)cpuhighutili[sz]ation`),
  // A rule on context switches divides by the number of processors.
  metrics: new RegExp('^(?![^]*node_context_switches_total)[^]*?(?<![\\w:])(?:' +
    'node_cpu_seconds_total|windows_cpu_time_total|instance:node_cpu:\\w+)(?![\\w:])', 'u'),
  meaning: 'The processors of the host have little idle time left.',
  impact: 'Work waits for a processor, so everything on the host answers more slowly.',
  causes: [
    {
      id: 'load-rise', cause: 'More work arrives',
      mechanism: 'Requests, and with them CPU, rise on all replicas alike.',
      test: promql(`sum(rate(node_network_receive_packets_total{${ofInstance}}[5m]))`),
      confirms: 'Incoming packets rose together with CPU.',
    },
    {
      id: 'hot-loop', cause: 'A release made one process use far more CPU',
      mechanism: 'The same work costs more since a deploy, or a loop never waits.',
      test: promql(`topk(10, sum by (namespace, pod) (
        rate(container_cpu_usage_seconds_total{${node},container!=""}[5m])))`),
      confirms: 'One workload leads, and its pods started when CPU rose.',
      refutes: 'The order of the pods is as before.',
    },
    {
      id: 'batch-job', cause: 'A batch job runs',
      mechanism: 'It uses what it can get until it is done.',
      test: promql(`${modeShare('user')} + ${modeShare('nice')}`),
      confirms: 'CPU rose in one step, as it did at this time on earlier days.',
    },
    {
      id: 'kernel-time', cause: 'The kernel itself is busy',
      mechanism: 'Network interrupts, page reclaim or many system calls burn system time.',
      test: promql(`${modeShare('system')} + ${modeShare('softirq')}`,
        { atLeast: 0.3, notUpTo: 0.1 }),
    },
    {
      id: 'noisy-neighbour', cause: 'The hypervisor gives CPU time to other guests',
      mechanism: 'Steal counts as busy, but no process here uses it.',
      test: promql(modeShare('steal'), { atLeast: 0.1, notUpTo: 0.02 }),
    },
    {
      id: 'intruder', cause: 'A process that does not belong here runs',
      mechanism: 'Miners use all cores without any request traffic.',
      test: ssh('ps -eo user,pid,pcpu,etime,args --sort=-pcpu | head'),
      confirms: 'An unknown program leads, started from /tmp or by an odd user.',
    },
  ],
  steps: [cpuHogs],
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
      expected: 'Most of the listed tasks are in one of the two states.',
    },
    cpuHogs,
  ],
};

const stealIowait: Family = {
  id: 'node-cpu-steal-iowait',
  names: names(`hostcpustealnoisyneighbou?r|(?:host|node|cpu|high)*(?:steal|iowait)(?:high|time
    |usage)*`),
  meaning: 'The host could work, but waits for its disk or for the machine beneath it.',
  impact: 'Latency rises although the CPU looks free.',
  causes: [
    {
      id: 'oversold', cause: 'The physical host is oversold',
      mechanism: 'Other guests take the cores that this one asks for.',
      test: promql(modeShare('steal'), { atLeast: 0.1, notUpTo: 0.02 }),
    },
    {
      id: 'credits', cause: 'Burst credits are used up',
      mechanism: 'The provider limits the guest to its base share once the credits are gone.',
      test: promql(`${modeShare('steal')} + ${modeShare('user')} + ${modeShare('system')}`),
      confirms: 'Steal set in after hours of high use and stays at a flat level.',
      refutes: 'The instance class has no credits, or use was low before.',
    },
    {
      id: 'slow-volume', cause: 'A volume answers slowly',
      mechanism: 'Tasks wait for reads and writes, which shows as iowait.',
      test: busyDisk(ofInstance),
    },
  ],
  steps: [
    {
      action: 'Watch CPU modes and run queue for ten seconds.',
      why: 'The st column is steal, the wa column is iowait.',
      command: ssh('vmstat -w 1 10'),
      expected: 'One of the two columns is high.',
    },
    {
      action: 'Watch the disks when iowait is the larger one.',
      why: 'It names the device that everything waits for.',
      command: ssh('iostat -xz 2 5'),
      expected: 'One device shows a high await.',
    },
  ],
};

export const cpuFamilies: readonly Family[] = [stealIowait, nodeLoad, nodeCpu];
