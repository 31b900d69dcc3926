import { createChangeMeasure, heldShare, type RobustChange } from './robust-change.ts';
import { sortedQuantile } from './sorted-quantile.ts';
import { notableZ } from './strength.ts';

/** Two earlier periods that differ by more than this many scales are different kinds of day. */
const disagreementMax = 2;
const scaleFloor = 0.01;
/** A change is explained by the time of day if less than this share of it is left without it. */
const unexplainedMax = 0.5;

/** The same window some time earlier, on the same grid. */
export interface EarlierPeriod {
  readonly days: number;
  readonly values: Float64Array;
  /** The same alert fired in it, so what happened then does not count as usual. */
  readonly isTroubled?: boolean;
}

type Change = Pick<RobustChange, 'z' | 'before' | 'after' | 'scale'>;

export interface SeasonalCheck {
  /** z of what is left after the usual of this time is taken away; null when nothing is known. */
  readonly seasonalZ: number | null;
  /** The smaller of the two deviations, with the sign of the plain one. */
  readonly z: number;
  /**
   * Notable against the last hours, but not against the same time of earlier days, or a burst such
   * as the same hours of those days have some.
   */
  readonly isUsual: boolean;
}

/**
 * Whether a change happens at this time on other days as well. For a shortlist only: it is a filter
 * against false alarms, not a better detector, and each series costs requests of its own. Weekdays
 * are compared with weekdays: where yesterday and a week ago disagree, a week ago counts.
 *
 * What comes in bursts keeps no time of day. So a change is usual as well where those days held the
 * same value for as long, twice, at any time of these hours: that takes the share of quiet series
 * that are called notable from 1.1 to 0.7 % and no anomaly with it (scripts/score-quiet.ts).
 */
export function checkSeason(
  { values, split, change }: {
    readonly values: Float64Array; readonly split: number; readonly change: Change;
  },
  periods: readonly EarlierPeriod[],
): SeasonalCheck {
  const residual = new Float64Array(values.length).fill(Number.NaN);
  for (let index = 0; index < values.length; index += 1) {
    const usual = usualAt(periods, index, change.scale);
    residual[index] = (values[index] ?? Number.NaN) - usual;
  }
  const seasonal = createChangeMeasure()(residual, split);
  if (seasonal === null) return { seasonalZ: null, z: change.z, isUsual: false };
  const seasonalZ = guardedZ(seasonal, change);
  const size = Math.min(Math.abs(change.z), Math.abs(seasonalZ));
  const isNotable = Math.abs(change.z) >= notableZ;
  // A small z is not enough: where those days have gaps, what is left is uneven and its z small.
  const left = Math.abs(seasonal.after - seasonal.before);
  const isExplained = left < unexplainedMax * Math.abs(change.after - change.before);
  const isUsual = isNotable && ((Math.abs(seasonalZ) < notableZ && isExplained) ||
    bursts(change, periods, values.length - split) >= burstsMin);
  return { seasonalZ, z: Math.sign(change.z) * size, isUsual };
}

/** What is left of a series is near zero, so its scale is kept to 1 % of the series itself. */
function guardedZ(residual: Change, change: Change): number {
  const floor = scaleFloor * Math.max(Math.abs(change.before), Math.abs(change.after));
  const scale = Math.max(residual.scale, floor);
  return scale === 0 ? residual.z : (residual.after - residual.before) / scale;
}

/** One burst may have been trouble of that day. */
const burstsMin = 2;

/** How often earlier days held `after`, or went beyond it, for as long as it is held now. */
function bursts(
  { z, after }: Change,
  periods: readonly EarlierPeriod[],
  points: number,
): number {
  const isFar = (value = Number.NaN): boolean => z >= 0 ? value >= after : value <= after;
  let found = 0;
  const isWeekKnown = periods.some(({ days }) => days % week === 0);
  for (const { days, values, isTroubled } of periods) {
    // A level of yesterday is that of another kind of day; bursts are not.
    const isLevel = values.filter(isFar).length > values.length / 2;
    if (isTroubled === true || (isLevel && isWeekKnown && days % week !== 0)) continue;
    let far = 0;
    let next = points - 1;
    for (let index = 0; index < values.length; index += 1) {
      if (isFar(values[index])) far += 1;
      if (isFar(values[index - points])) far -= 1;
      if (index < next || far < heldShare * points) continue;
      found += 1;
      next = index + points;
    }
  }
  return found;
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
