import { labelOf, type LabelSet } from '../../alert/labels.ts';
import type { RangeSeries } from '../../sources/prometheus-answers.ts';

/** Counts kills in a container, also of a process whose end does not end the container. */
export const containerKills = 'container_oom_events_total';
/** Counts kills on a machine, those in containers that reached their limit included. */
export const nodeKills = 'node_vmstat_oom_kill';
export const endReasons = 'kube_pod_container_status_last_terminated_reason';

/** Whether a container's last end, as of that point of the grid, was an OOM kill. */
export type WasKilled = (labels: LabelSet, index: number) => boolean;

/** Restarts are counted and explained by one exporter, so both are seen at the same point. */
export function killsIn(series: readonly RangeSeries[]): WasKilled {
  const kills = series.filter(({ labels }) =>
    labels['__name__'] === endReasons && labelOf(labels, 'reason') === 'OOMKilled');
  const byContainer = new Map(kills.map(({ labels, values }) => [containerIn(labels), values]));
  return (labels, index) => byContainer.get(containerIn(labels))?.[index] === 1;
}

function containerIn(labels: LabelSet): string {
  return ['namespace', 'pod', 'container'].map((name) => labelOf(labels, name) ?? '').join('\0');
}
