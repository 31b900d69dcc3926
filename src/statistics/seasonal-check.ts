import { createChangeMeasure, type RobustChange } from './robust-change.ts';
import { sortedQuantile } from './sorted-quantile.ts';
import { notableZ } from './strength.ts';

/** Two earlier periods that differ by more than this many scales are different kinds of day. */
const disagreementMax = 2;
/** A change that is usual at this time counts half: its score falls by the logarithm of two. */
const demotion: number = Math.LN2;
const scaleFloor = 0.01;

/** The same window some time earlier, on the same grid. */
export interface EarlierPeriod {
  readonly days: number;
  readonly values: Float64Array;
}

export interface SeasonalCheck {
  /** z of what is left after the usual of this time is taken away; null when nothing is known. */
  readonly seasonalZ: number | null;
  /** The smaller of the two deviations, with the sign of the plain one. */
  readonly z: number;
  /** Notable against the last hours, and not against the same time of earlier days. */
  readonly isUsual: boolean;
  /** To be taken off the score: ln 2 where it is usual, else 0. */
  readonly demotion: number;
}

/**
 * Whether a change happens at this time on other days as well. For a shortlist only: it is a filter
 * against false alarms, not a better detector, and each series costs requests of its own. Weekdays
 * are compared with weekdays: where yesterday and a week ago disagree, a week ago counts.
 */
export function checkSeason(
  { values, split, change }: {
    readonly values: Float64Array;
    readonly split: number;
    readonly change: RobustChange;
  },
  periods: readonly EarlierPeriod[],
): SeasonalCheck {
  const residual = new Float64Array(values.length).fill(Number.NaN);
  for (let index = 0; index < values.length; index += 1) {
    const usual = usualAt(periods, index, change.scale);
    residual[index] = (values[index] ?? Number.NaN) - usual;
  }
  const seasonal = createChangeMeasure()(residual, split);
  if (seasonal === null) return { seasonalZ: null, z: change.z, isUsual: false, demotion: 0 };
  const seasonalZ = guardedZ(seasonal, change);
  const size = Math.min(Math.abs(change.z), Math.abs(seasonalZ));
  const isUsual = Math.abs(seasonalZ) < notableZ && Math.abs(change.z) >= notableZ;
  return {
    seasonalZ, z: Math.sign(change.z) * size, isUsual, demotion: isUsual ? demotion : 0,
  };
}

/** What is left of a series is near zero, so its scale is kept to 1 % of the series itself. */
function guardedZ(residual: RobustChange, change: RobustChange): number {
  const floor = scaleFloor * Math.max(Math.abs(change.before), Math.abs(change.after));
  const scale = Math.max(residual.scale, floor);
  return scale === 0 ? residual.z : (residual.after - residual.before) / scale;
}

const week = 7;

/** Median of the earlier periods at one point; NaN when none has a value there. */
function usualAt(periods: readonly EarlierPeriod[], index: number, scale: number): number {
  let lowest = Infinity;
  let highest = -Infinity;
  let weekAgo = Number.NaN;
  const known: number[] = [];
  for (const { days, values } of periods) {
    const value = values[index] ?? Number.NaN;
    if (value - value !== 0) continue;
    known.push(value);
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
    if (days % week === 0) weekAgo = value;
  }
  const disagree = known.length > 1 && highest - lowest > disagreementMax * scale;
  if (disagree && !Number.isNaN(weekAgo)) return weekAgo;
  return sortedQuantile(Float64Array.from(known).sort(), known.length, 0.5);
}
