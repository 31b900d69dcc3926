import { labelOf, noLabels, type LabelSet } from '../../../alert/labels.ts';
import { escapeRegex } from '../../../lib/promql-string.ts';
import { selector, type Matcher } from '../../../sources/promql-text.ts';
import type { Asker } from '../asking.ts';
import { exactMatchers } from '../matching-labels.ts';
import type { WorldBinder } from '../world.ts';

/** The most telling metrics of a machine, with few series each. */
const nodeMetrics = [
  'node_load1', 'node_load5', 'node_memory_MemAvailable_bytes', 'node_disk_io_time_seconds_total',
  'node_pressure_cpu_waiting_seconds_total', 'node_pressure_io_waiting_seconds_total',
  'node_pressure_memory_waiting_seconds_total', 'node_filesystem_avail_bytes',
  'node_network_receive_drop_total', 'node_vmstat_oom_kill', 'node_vmstat_pgmajfault',
  'node_nf_conntrack_entries', 'node_procs_blocked', 'node_boot_time_seconds',
];

export interface Host {
  readonly name: string;
  readonly address: string | null;
}

/** The node that a pod runs on, from `kube_pod_info`; null if unknown. */
export async function askNode(
  asker: Asker,
  labels: LabelSet,
  { bind, now }: { readonly bind: WorldBinder['bind']; readonly now: number },
): Promise<Host | null> {
  if (exactMatchers(labels, ['pod']).length === 0) return null;
  const text = selector('kube_pod_info', exactMatchers(labels, ['namespace', 'pod']));
  if (text === null) return null;
  const bound = await bind(text);
  if ('why' in bound) return null;
  const answer = await asker.query('search', bound.query, now);
  const known = answer?.samples[0]?.labels ?? noLabels;
  const name = labelOf(known, 'node') ?? '';
  return name === '' ? null : { name, address: labelOf(known, 'host_ip') };
}

/** Selectors for the machine's own series; its exporter may go by name or address, any port. */
export function nodeSelectors({ name, address }: Host, world: readonly Matcher[]): string[] {
  const hosts = [name, ...(address === null ? [] : [address])].map(escapeRegex);
  const instance = `(?:${hosts.join('|')})(?::[0-9]+)?`;
  const byName = { name: '__name__', op: '=~', value: nodeMetrics.join('|') } as const;
  const machine = selector(null, [
    byName, { name: 'instance', op: '=~', value: instance }, ...world,
  ]);
  const conditions = selector('kube_node_status_condition', [
    { name: 'node', op: '=', value: name }, { name: 'status', op: '=', value: 'true' },
    ...world,
  ]);
  return [machine, conditions].filter((text) => text !== null);
}

/** Whether a metric is about the machine rather than a workload. */
export function isOfNode(metric: string): boolean {
  return nodeMetrics.includes(metric) || metric === 'kube_node_status_condition';
}
