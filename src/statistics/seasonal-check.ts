import { medianOf, scaleFloor } from '../lib/sorted-quantile.ts';
import { heldShare, measureChange, type RobustChange } from './robust-change.ts';
import { notableZ } from './strength.ts';

/** Earlier periods that differ by more than this many deviations are different kinds of day. */
const disagreementMax = 2;
/** The time of day explains a change if it leaves less than this share of it. */
const unexplainedMax = 0.5;

/** The same window some days earlier, on the same grid. */
export interface EarlierPeriod {
  readonly days: number;
  readonly values: Float64Array;
  /** The same alert fired in it, so its bursts do not count as usual. */
  readonly isTroubled?: boolean;
}

type Change = Pick<RobustChange, 'z' | 'before' | 'after' | 'scale' | 'origin'>;

export interface SeasonalCheck {
  /** z after subtracting the usual values of this time; null when there are none. */
  readonly seasonalZ: number | null;
  /** The smaller of plain and seasonal z, with the sign of the plain one. */
  readonly z: number;
  /**
   * Notable against the last hours, but either not against the same time of earlier days, or no
   * more than the bursts that earlier days had in these hours.
   */
  readonly isUsual: boolean;
}

/**
 * Whether a change also happens at this time on other days. For the shortlist only: it filters
 * false alarms and is no better detector, and each series costs extra requests. Like is compared
 * with like: where yesterday and a week ago disagree, a week ago counts.
 *
 * Bursts do not follow the clock. So a change is usual as well if those days held the same value
 * for as long at least twice, at any time within these hours. That lowers the share of quiet series
 * called notable from 1.1 to 0.7 % and hides no anomaly, as measured on the labelled series of the
 * Numenta Anomaly Benchmark.
 */
export function checkSeason(
  { values, split, change }: {
    readonly values: Float64Array; readonly split: number; readonly change: Change;
  },
  allPeriods: readonly EarlierPeriod[],
): SeasonalCheck {
  const unchecked: SeasonalCheck = { seasonalZ: null, z: change.z, isUsual: false };
  const periods = allPeriods.filter((period) =>
    !isCoarser(period.values, values.subarray(0, split)));
  const usual = values.map((_, index) => usualAt(periods, index, change.scale));
  const residual = values.map((value, index) => value - (usual[index] ?? Number.NaN));
  const covered = values.map((value, index) => Number.isNaN(usual[index]) ? Number.NaN : value);
  const seasonal = measureChange(residual, split);
  const coveredChange = measureChange(covered, split, { origin: change.origin });
  if (seasonal === null || hides(coveredChange, change)) return unchecked;
  const seasonalZ = guardedZ(seasonal, change);
  const size = Math.min(Math.abs(change.z), Math.abs(seasonalZ));
  const isNotable = Math.abs(change.z) >= notableZ;
  // A small z is not enough: gaps in those days make the residual uneven and its z small.
  const left = Math.abs(seasonal.after - seasonal.before);
  const isExplained = left < unexplainedMax * Math.abs(change.after - change.before);
  const isUsual = isNotable && ((Math.abs(seasonalZ) < notableZ && isExplained) ||
    bursts(change, periods, values.length - split) >= burstsMin);
  return { seasonalZ, z: Math.sign(change.z) * size, isUsual };
}

/**
 * The change does not show in the points that earlier days have as well, because it began before
 * the first of them. Then they cannot tell whether it is usual.
 */
function hides(covered: Change | null, change: Change): boolean {
  return covered === null ||
    (Math.abs(change.z) >= notableZ && Math.abs(covered.z) < unexplainedMax * notableZ);
}

/** Samples kept at a longer interval make the rate of a counter zero at every other point. */
const coarserShare = 0.25;

function isCoarser(earlier: Float64Array, before: Float64Array): boolean {
  return idleShare(earlier) > idleShare(before) + coarserShare && alternates(earlier);
}

function idleShare(values: Float64Array): number {
  const known = values.filter(Number.isFinite);
  return known.filter((value) => value === 0).length / Math.max(1, known.length);
}

/** Whether most zeros stand alone or in short runs between others, which idle times do not. */
function alternates(values: Float64Array): boolean {
  let zeros = 0;
  let runs = 0;
  for (let index = 0; index < values.length; index += 1) {
    if (values[index] !== 0) continue;
    zeros += 1;
    if (values[index - 1] !== 0) runs += 1;
  }
  return zeros <= longestGap * runs;
}

/** Points between two samples of the coarsest history that is recognised. */
const longestGap = 10;

/** The residual is near zero, so its scale is at least 1 % of the series' own magnitude. */
function guardedZ(residual: Change, change: Change): number {
  const distance = (value: number): number => Math.abs(value - change.origin);
  const floor = scaleFloor * Math.max(distance(change.before), distance(change.after));
  const scale = Math.max(residual.scale, floor);
  return scale === 0 ? residual.z : (residual.after - residual.before) / scale;
}

/** A single burst may have been an incident of its own. */
const burstsMin = 2;

/** How often earlier days reached `after` for as long as it is held now. */
function bursts({ z, after }: Change, periods: readonly EarlierPeriod[], points: number): number {
  const isFar = (value = Number.NaN): boolean => z >= 0 ? value >= after : value <= after;
  let found = 0;
  const isWeekKnown = periods.some(({ days }) => days % week === 0);
  for (const { days, values, isTroubled } of periods) {
    // If most of yesterday was at this level, it may have been another kind of day.
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

/** Median of the earlier periods at one point; NaN if none has a value there. */
function usualAt(periods: readonly EarlierPeriod[], index: number, scale: number): number {
  const known = periods.filter(({ values }) => Number.isFinite(values[index]));
  const usual = known.map(({ values }) => values[index] ?? Number.NaN);
  const disagree = Math.max(...usual) - Math.min(...usual) > disagreementMax * scale;
  const weekAgo = disagree ? known.findLast(({ days }) => days % week === 0) : undefined;
  return weekAgo?.values[index] ?? medianOf(usual);
}
