import type { LabelSet } from '../../../alert/labels.ts';
import { groupBy } from '../../../lib/group-by.ts';
import type { RangeSeries } from '../../../sources/prometheus-answers.ts';
import { timeAt, type TimeGrid } from '../../../sources/time-grid.ts';
import { labelKey } from '../matching-labels.ts';
import { processIn } from './process-starts.ts';

/**
 * Matches the names of metrics by which processes, servers and machines tell since when they run,
 * whether as a time or as a duration: the values tell which. A pattern for RE2 as well.
 */
export const startPattern: string =
  '.*(?:[Uu]p_?[Tt]ime|start_since|boot_time|StartTime|' +
  '(?:process|container|server|service|app|application|runtime|instance|postmaster|redis|phpfpm)' +
  '_start(?:ed|up)?_time).*';
const startName = new RegExp(`^${startPattern}$`, 'u');
/** Pods and jobs start once; those that come later are other ones. */
const otherNames = /^kube_|(?:_bucket|_sum|_count)$|since_flush/u;

/** Whether a metric by its name tells since when something runs. */
export function tellsStart(name: string): boolean {
  return startName.test(name) && !otherNames.test(name);
}

/** Units of durations: seconds, hundredths of one (SNMP), thousandths. */
const unitsPerSecond = [1, 100, 1000] as const;
/** By what share the pace of a duration may differ from that of the clock. */
const paceTolerance = 0.1;
/** A pace is known from so many points in which nothing restarted. */
const pacePointsMin = 5;

/**
 * The times, in Unix seconds, since when what the series describe runs, at each point. Series that
 * tell something else are left out, as are those of several things of one target, like sessions.
 */
export function startTimesIn(
  series: readonly RangeSeries[],
  grid: TimeGrid,
  isOfMany: (name: string) => boolean,
): RangeSeries[] {
  const told = new Map(series.filter(({ labels }) => tellsStart(labels['__name__'] ?? ''))
    .map((each) => [labelKey(each.labels), each]));
  const byOwner = groupBy([...told.values()], ({ labels }) => ownerOf(labels));
  return [...byOwner.values()].flatMap((all) => {
    if (all.length > 1 && !isOfMany(all[0]?.labels['__name__'] ?? '')) return [];
    return all.flatMap((each) => {
      const values = asTimes(each.values) ?? fromDurations(each.values, grid);
      return values === null ? [] : [{ ...each, values }];
    });
  });
}

function ownerOf(labels: LabelSet): string {
  return `${labels['__name__'] ?? ''}\0${processIn(labels)}`;
}

/** Values that are times already, in seconds or thousandths; null for any others. */
function asTimes(values: Float64Array): Float64Array | null {
  const known = values.filter(Number.isFinite);
  const isWithin = (least: number): boolean =>
    known.every((value) => value >= least && value < 4 * least);
  if (known.length === 0) return null;
  return isWithin(1e9) ? values : isWithin(1e12) ? values.map((value) => value / 1000) : null;
}

/** From durations that grow with the clock; null for any others. */
function fromDurations(values: Float64Array, grid: TimeGrid): Float64Array | null {
  const runs = runsIn(values);
  const longest = runs.toSorted((a, b) => b.to - b.from - (a.to - a.from))[0];
  if (longest === undefined || longest.to - longest.from + 1 < pacePointsMin) return null;
  const { from, to } = longest;
  const pace = ((values[to] ?? 0) - (values[from] ?? 0)) / ((to - from) * grid.stepMs / 1000);
  const unit = unitsPerSecond.find((each) => Math.abs(pace / each - 1) <= paceTolerance);
  if (unit === undefined) return null;
  const times = new Float64Array(values.length).fill(Number.NaN);
  for (const run of runs) {
    // A sample is older than its point, so the earliest start is the nearest to the truth.
    let start = Infinity;
    for (let at = run.from; at <= run.to; at += 1) {
      const value = values[at] ?? Number.NaN;
      if (Number.isFinite(value)) {
        start = Math.min(start, timeAt(grid, at) / 1000 - value / unit);
      }
    }
    for (let at = run.from; at <= run.to; at += 1) {
      if (Number.isFinite(values[at])) times[at] = start;
    }
  }
  return times;
}

/** Stretches, both ends included, in which a duration never fell. */
function runsIn(values: Float64Array): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  let previous = Infinity;
  for (const [at, value] of values.entries()) {
    if (!Number.isFinite(value)) continue;
    const run = runs.at(-1);
    if (run === undefined || value < previous) runs.push({ from: at, to: at });
    else run.to = at;
    previous = value;
  }
  return runs;
}
