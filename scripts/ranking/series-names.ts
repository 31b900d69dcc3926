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

/** Components of PetShop are services; those of Nezha are pods, except for the front service. */
export function nameSeries(
  dataset: string,
  series: { readonly component: string; readonly metric: string },
  namespace: string,
): NamedSeries {
  const naming = (dataset === 'PetShop' ? petShop : nezha)[series.metric];
  if (naming === undefined) throw new Error(`There is no name for the metric ${series.metric}`);
  const isPod = /-[a-z0-9]{5,}-[a-z0-9]{5}$/.test(series.component);
  const component: LabelSet = isPod
    ? { pod: series.component, container: 'server' }
    : { service: series.component };
  return {
    name: naming.name, factor: naming.factor ?? 1, isCounter: naming.isCounter ?? false,
    labels: { namespace, job: 'shop', ...component, ...naming.labels },
  };
}
