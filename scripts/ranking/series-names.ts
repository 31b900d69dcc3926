/** Names the recorded series as common exporters would. */
import type { LabelSet } from '../../src/alert/labels.ts';

export interface NamedSeries {
  readonly name: string;
  readonly labels: LabelSet;
  /** Converts a recorded value to the unit in the name. */
  readonly factor: number;
  /** Recorded values are rates, and are stored as their sum over time. */
  readonly isCounter: boolean;
}

interface Naming {
  readonly name: string;
  readonly labels?: LabelSet;
  readonly factor?: number;
  readonly isCounter?: boolean;
}

const petShop: Readonly<Record<string, Naming>> = {
  latency: { name: 'service_latency_seconds' },
  requests: { name: 'service_requests' },
  availability: { name: 'service_availability_percent' },
};

const server = 'http_server_request_duration_seconds';
const client = 'http_client_request_duration_seconds';

const nezha: Readonly<Record<string, Naming>> = {
  'CpuUsage(m)': { name: 'container_cpu_usage_seconds_total', factor: 0.001, isCounter: true },
  'CpuUsageRate(%)': { name: 'container_cpu_usage_percent' },
  'MemoryUsage(Mi)': { name: 'container_memory_working_set_bytes', factor: 1_048_576 },
  'MemoryUsageRate(%)': { name: 'container_memory_usage_percent' },
  SyscallRead: { name: 'container_read_syscalls_total', isCounter: true },
  SyscallWrite: { name: 'container_write_syscalls_total', isCounter: true },
  NetworkReceiveBytes: { name: 'container_network_receive_bytes_total', isCounter: true },
  NetworkTransmitBytes: { name: 'container_network_transmit_bytes_total', isCounter: true },
  'PodClientLatencyP90(s)': { name: client, labels: { quantile: '0.9' } },
  'PodServerLatencyP90(s)': { name: server, labels: { quantile: '0.9' } },
  'PodClientLatencyP95(s)': { name: client, labels: { quantile: '0.95' } },
  'PodServerLatencyP95(s)': { name: server, labels: { quantile: '0.95' } },
  'PodClientLatencyP99(s)': { name: client, labels: { quantile: '0.99' } },
  'PodServerLatencyP99(s)': { name: server, labels: { quantile: '0.99' } },
  'PodWorkload(Ops)': { name: 'http_server_requests_total', isCounter: true },
  'PodSuccessRate(%)': { name: 'http_server_success_percent' },
  'LatencyP90(s)': { name: server, labels: { quantile: '0.9' } },
};

const mesh: Readonly<Record<string, Naming>> = {
  cpu: { name: 'container_cpu_usage_seconds_total', isCounter: true },
  mem: { name: 'container_memory_working_set_bytes' },
  cpu_cfs: { name: 'container_cpu_cfs_throttled_seconds_total', isCounter: true },
  rps: { name: 'istio_requests_total', isCounter: true },
  success_rate: { name: 'istio_request_success_ratio' },
  tcp_retans: { name: 'node_netstat_Tcp_RetransSegs', isCounter: true },
  network_receive: { name: 'container_network_receive_packets_total', isCounter: true },
  network_transmit: { name: 'container_network_transmit_packets_total', isCounter: true },
  p50latency: { name: 'istio_request_duration_p50_milliseconds' },
  p90latency: { name: 'istio_request_duration_p90_milliseconds' },
  p95latency: { name: 'istio_request_duration_p95_milliseconds' },
};

const meshNode: Readonly<Record<string, Naming>> = {
  cpu: { name: 'node_cpu_utilization_percent' },
  mem: { name: 'node_memory_utilization_percent' },
};

const mysql: Readonly<Record<string, Naming>> = {
  'AvgCpuUser': { name: 'node_cpu_user_percent' },
  'AvgCpuSys': { name: 'node_cpu_system_percent' },
  'AvgCpuIdle': { name: 'node_cpu_idle_percent' },
  'AvgCpuWai': { name: 'node_cpu_iowait_percent' },
  'osDiskUtilization': { name: 'node_disk_io_time_seconds_total' },
  'osNetworkSendKB': { name: 'node_network_transmit_bytes_total' },
  'osNetworkRecvKB': { name: 'node_network_receive_bytes_total' },
  'osNumberOfSectorWrites': { name: 'node_disk_written_bytes_total' },
  'osNumberOfSectorReads': { name: 'node_disk_read_bytes_total' },
  'osNumberOfWritesCompleted': { name: 'node_disk_writes_completed_total' },
  'osNumberOfReadsIssued': { name: 'node_disk_reads_completed_total' },
  'osNumberOfContextSwitches': { name: 'node_context_switches_total' },
  'osNumberOfProcessesCurrentlyRunning': { name: 'node_procs_running' },
  'osNumberOfProcessesCreated': { name: 'node_forks_total' },
  'osAllocatedFileHandlers': { name: 'node_filefd_allocated' },
  'osAllocatedINodes': { name: 'node_inodes_allocated' },
  'osNumberOfFreePages': { name: 'node_memory_MemFree_bytes' },
  'osFreeSwapSpace': { name: 'node_memory_SwapFree_bytes' },
  'osUsedSwapSpace': { name: 'node_memory_swap_used_bytes' },
  'osNumberOfMajorPageFaults': { name: 'node_vmstat_pgmajfault' },
  'osNumberOfMinorPageFaults': { name: 'node_vmstat_pgfault' },
  'osAsynchronousIO': { name: 'node_aio_requests' },
  'dbmsThreadsRunning': { name: 'mysql_global_status_threads_running' },
  'dbmsCommittedCommands': { name: 'mysql_global_status_commands_total' },
  'dbmsLockWaits': { name: 'mysql_global_status_innodb_row_lock_waits' },
  'dbmsCurrentLockWaits': { name: 'mysql_global_status_innodb_row_lock_current_waits' },
  'dbmsLockWaitTime': { name: 'mysql_global_status_innodb_row_lock_time' },
  'Combined Avg Latency': { name: 'transaction_latency_seconds' },
};

/** In the order of the recording, which numbers them. */
const smd = [
  'cpu_r', 'load_1', 'load_5', 'load_15', 'mem_shmem', 'mem_u', 'mem_u_e', 'total_mem', 'disk_q',
  'disk_r', 'disk_rb', 'disk_svc', 'disk_u', 'disk_w', 'disk_wa', 'disk_wb', 'si', 'so', 'eth1_fi',
  'eth1_fo', 'eth1_pi', 'eth1_po', 'tcp_tw', 'tcp_use', 'active_opens', 'curr_estab', 'in_errs',
  'in_segs', 'listen_overflows', 'out_rsts', 'out_segs', 'passive_opens', 'retransegs',
  'tcp_timeouts', 'udp_in_dg', 'udp_out_dg', 'udp_rcv_buf_errs', 'udp_snd_buf_errs',
];

interface RecordedSeries {
  readonly component: string;
  readonly metric: string;
}

/** How each recording's series are named, and the label that names their components. */
const namings: Readonly<Record<string, (series: RecordedSeries) => Naming | undefined>> = {
  PetShop: ({ component, metric }) => labelled(petShop[metric], 'service', component),
  Nezha: ({ component, metric }) => {
    const isPod = /-[a-z0-9]{5,}-[a-z0-9]{5}$/.test(component);
    const named = labelled(nezha[metric], isPod ? 'pod' : 'service', component);
    return isPod ? labelled(named, 'container', 'server') : named;
  },
  mesh: ({ component, metric }) => {
    const isNode = /^(master|worker-\d+)$/.test(component);
    const naming = (isNode ? meshNode[metric] : undefined) ?? mesh[metric];
    return labelled(naming, isNode ? 'node' : 'service', component);
  },
  MySQL: ({ component, metric }) => labelled(mysql[metric] ?? {
    name: metric.replace(/^os/, 'node_').replace(/^dbms/, 'mysql_global_status_')
      .replace(/\W+/g, '_').replace(/_$/, ''),
  }, 'instance', component),
  smd: ({ component, metric }) =>
    labelled({ name: smd[Number(metric.slice(1))] ?? metric }, 'instance', component),
  asd: ({ component, metric }) => labelled({ name: metric }, 'instance', component),
};

function labelled(naming: Naming | undefined, label: string, value: string): Naming | undefined {
  return naming && { ...naming, labels: { [label]: value, ...naming.labels } };
}

/** The name that an exporter would give a series of a recording. */
export function nameSeries(dataset: string, series: RecordedSeries): NamedSeries {
  const naming = namings[dataset]?.(series);
  if (naming === undefined) throw new Error(`${dataset} has no name for ${series.metric}`);
  const { name, labels = {}, factor = 1, isCounter = false } = naming;
  return { name, labels, factor, isCounter };
}
