import { labelOf } from '../../../alert/labels.ts';
import { groupBy } from '../../../lib/group-by.ts';
import { medianOf } from '../../../lib/sorted-quantile.ts';
import type { Derived } from './derive.ts';

type Measured = Pick<Derived, 'id' | 'metric' | 'labels' | 'values' | 'signal'>;

/** From this share of a limit on, a machine is near it. */
const nearMin = 0.9;
/** Waiting is no use: from this share of the time on, it is felt. */
const waitingMin = 0.1;

/**
 * Ids of the series that measure how a machine is used, where that is not known to be near its
 * limit from `split` on. What fails, restarts or is killed on it is not among them.
 */
export function hostSlack(derived: readonly Measured[], split: number): ReadonlySet<string> {
  const ofMachines = derived.filter(({ metric }) => isOfMachine(metric));
  const byMachine = groupBy(ofMachines, ({ labels }) =>
    labelOf(labels, 'instance') ?? labelOf(labels, 'node') ?? '');
  const slack = [...byMachine.values()].flatMap((series) =>
    series.filter(({ signal }) => signal !== 'errors' && signal !== 'restarts')
      .filter((each) => !isNearLimit(each, series, split)));
  return new Set(slack.map(({ id }) => id));
}

export function isOfMachine(metric: string): boolean {
  return /^(?:node|windows)_/u.test(metric);
}

/** Whether what it measures came near its limit; false where it has none, or none is known. */
function isNearLimit(
  { metric, labels }: Measured,
  machine: readonly Measured[],
  split: number,
): boolean {
  const most = (name: string, labelName: string | null = null): number => highest(
    machine.filter((each) => each.metric === name &&
      (labelName === null || labelOf(each.labels, labelName) === labelOf(labels, labelName))),
    split);
  const least = (name: string, labelName: string | null = null): number => -highest(
    machine.filter((each) => each.metric === name &&
      (labelName === null || labelOf(each.labels, labelName) === labelOf(labels, labelName)))
      .map((each) => ({ ...each, values: each.values.map((value) => -value) })), split);
  if (metric.startsWith('node_pressure_')) return most(metric) >= waitingMin;
  if (/^node_(?:load\d+|cpu_|procs_running|schedstat_)/u.test(metric)) {
    const idle = machine.filter((each) => each.metric === 'node_cpu_seconds_total' &&
      labelOf(each.labels, 'mode') === 'idle');
    const cores = new Set(idle.map((each) => labelOf(each.labels, 'cpu'))).size;
    if (cores === 0) return false;
    return metric.startsWith('node_load') ? most(metric) >= cores
      : meanAtEnd(idle, split) <= 1 - nearMin;
  }
  if (metric.startsWith('node_memory_')) {
    return isShort([least('node_memory_MemAvailable_bytes') / most('node_memory_MemTotal_bytes')]);
  }
  if (metric.startsWith('node_filesystem_')) {
    const free = (what: string): number => least(`node_filesystem_${what}`, 'mountpoint');
    return isShort([free('avail_bytes') / free('size_bytes'), free('files_free') / free('files')]);
  }
  if (metric.startsWith('node_disk_')) {
    return most('node_disk_io_time_seconds_total', 'device') >= nearMin;
  }
  if (metric.startsWith('node_nf_conntrack_')) {
    return most('node_nf_conntrack_entries') >= nearMin * most('node_nf_conntrack_entries_limit');
  }
  return metric.startsWith('node_filefd_') &&
    most('node_filefd_allocated') >= nearMin * most('node_filefd_maximum');
}

/** Whether little is left by any share that is known, or none is known. */
function isShort(shares: readonly number[]): boolean {
  const known = shares.filter(Number.isFinite);
  return known.length === 0 || known.some((share) => share <= 1 - nearMin);
}

/** NaN without any value, with which no comparison holds. */
function highest(series: readonly Measured[], split: number): number {
  const all = series.flatMap(({ values }) => [...values.subarray(split).filter(Number.isFinite)]);
  return all.length === 0 ? Number.NaN : all.reduce((most, value) => Math.max(most, value));
}

/** The mean over all series of their middling values since then: a busy moment is no limit. */
function meanAtEnd(series: readonly Measured[], split: number): number {
  const known = series.flatMap(({ values }) => {
    const after = values.subarray(split).filter(Number.isFinite);
    return after.length === 0 ? [] : [medianOf(after)];
  });
  return known.length === 0 ? Number.NaN
    : known.reduce((sum, value) => sum + value, 0) / known.length;
}
