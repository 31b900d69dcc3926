import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import type { RangeAnswer } from '../../../sources/prometheus-answers.ts';
import type { IndexSpan, TimeGrid } from '../../../sources/time-grid.ts';

/** What was counted in each step of a grid, by all series of a group together. */
export interface Counted {
  readonly grid: TimeGrid;
  /** The increase since the point before; 0 where nothing is known. */
  readonly gains: Float64Array;
}

type Series = RangeAnswer['series'][number];

/** At which points the target of a series had any of the series given, by the target's labels. */
export class Presence {
  readonly #present = new Map<string, Uint8Array>();
  readonly #count: number;

  constructor({ series, grid }: Pick<RangeAnswer, 'series' | 'grid'>) {
    this.#count = grid.count;
    for (const { labels, values } of series) {
      const key = targetOf(labels);
      const points = this.#present.get(key) ?? new Uint8Array(grid.count);
      for (let index = 0; index < grid.count; index += 1) {
        if (Number.isFinite(values[index])) points[index] = 1;
      }
      this.#present.set(key, points);
    }
  }

  /** Whether it was scraped at the point; also where that is not known. */
  had(labels: LabelSet, index: number): boolean {
    return index >= 0 && index < this.#count &&
      this.#present.get(targetOf(labels))?.[index] === 1;
  }
}

function targetOf(labels: LabelSet): string {
  return `${labelOf(labels, 'job') ?? ''} ${labelOf(labels, 'instance') ?? ''}`;
}

/**
 * The increases of counters, added up. A counter that appears while its target was being scraped
 * began at 0, as those with a label for the kind of error do; one that falls was reset to 0.
 */
export function countedBy(
  series: readonly Series[],
  grid: TimeGrid,
  presence: Presence,
): Counted {
  const gains = new Float64Array(grid.count);
  for (const { labels, values } of series) {
    let last = Number.NaN;
    for (let index = 0; index < grid.count; index += 1) {
      const value = values[index] ?? Number.NaN;
      if (!Number.isFinite(value)) continue;
      const isNew = Number.isNaN(last) && presence.had(labels, index - 1);
      const gain = isNew || value < last ? value : value - last;
      if (Number.isFinite(gain) && gain > 0) gains[index] = (gains[index] ?? 0) + gain;
      last = value;
    }
  }
  return { grid, gains };
}

/** How much was counted from one point to another, that of the second included. */
export function sumOf({ gains }: Counted, first: number, last: number): number {
  let sum = 0;
  for (let index = Math.max(0, first); index <= Math.min(last, gains.length - 1); index += 1) {
    sum += gains[index] ?? 0;
  }
  return sum;
}

/** The same per second. */
export function rateOf(counted: Counted, first: number, last: number): number {
  const points = Math.min(last, counted.gains.length - 1) - Math.max(0, first) + 1;
  return points <= 0 ? 0 : sumOf(counted, first, last) / (points * counted.grid.stepMs / 1000);
}

/** What is compared with what: the points before the problem, and those since it may have begun. */
export interface Split {
  /** The last point before the problem may have begun. */
  readonly before: number;
  /** What ended before this point is not the problem. */
  readonly began: number;
  /** The last point of the trouble. */
  readonly until: number;
}

/** A rise that cannot be chance. */
export interface Rise {
  /** The first point that is higher, and the last. */
  readonly from: number;
  readonly to: number;
  readonly perSecond: number;
  readonly perSecondBefore: number;
}

/** Events that make a rise, at least; a few errors are ordinary. */
export const risenMin: number = 5;
const timesMin = 3;
/** The trouble of an alert that fires is not over before this many seconds without any. */
const quietSeconds = 180;
/** From this share of its peak on, a rise has begun. */
const peakShare = 0.25;
/** Points of a mean: one late scrape counts twice, and another nothing. */
const blockPoints = 4;
/** Ordinary times are no worse than this share of them; the rest may be earlier trouble. */
const ordinaryShare = 0.75;
/** What begins again after a longer pause, in points, is new trouble. */
const pausePoints = 5;
/** So many points in a row at which all was well are such a pause as well. */
const goodPointsMin = 2;

/**
 * Whether more is counted than before: three times as much and five events or more, up to the
 * last minutes. Null if not.
 */
export function riseOf(
  counted: Counted,
  split: Split,
  /** All requests, those that did not fail among them; null if they are not counted. */
  all: Counted | null = null,
): Rise | null {
  const { before } = split;
  const stepSeconds = counted.grid.stepMs / 1000;
  const usual = ordinary(blocksOf(before, (first, last) => rateOf(counted, first, last)));
  const gainAt = (index: number): number => counted.gains[index] ?? 0;
  const least = timesMin * usual * stepSeconds;
  const isBad = (index: number): boolean => gainAt(index) > least;
  const whole = lastStretch(isBad, split);
  // Where few fail, none at a point is chance.
  const isDense = whole !== null &&
    sumOf(counted, whole.first, whole.last) >= risenMin * (whole.last - whole.first + 1);
  const stretch = !isDense ? whole : lastStretch(isBad, split,
    (index) => (all?.gains[index] ?? 0) >= risenMin && !isBad(index));
  if (stretch === null || isOver(stretch, split, stepSeconds)) return null;
  let peak = 0;
  for (let index = stretch.first; index <= stretch.last; index += 1) {
    peak = Math.max(peak, sumOf(counted, index, index + blockPoints - 1) / blockPoints);
  }
  let { first } = stretch;
  while (first < stretch.last && gainAt(first) < peakShare * peak) first += 1;
  const perSecond = rateOf(counted, first, stretch.last);
  if (sumOf(counted, first, stretch.last) < risenMin || perSecond < timesMin * usual) return null;
  return { from: first, to: stretch.last, perSecond, perSecondBefore: usual };
}

/** The value of each block of points before the problem. */
export function blocksOf(before: number, tell: (first: number, last: number) => number): number[] {
  const blocks: number[] = [];
  for (let last = before; last - blockPoints >= 0; last -= blockPoints) {
    blocks.push(tell(last - blockPoints + 1, last));
  }
  return blocks.filter(Number.isFinite);
}

export function ordinary(blocks: readonly number[]): number {
  const sorted = blocks.toSorted((a, b) => a - b);
  return sorted[Math.floor(ordinaryShare * (sorted.length - 1))] ?? 0;
}

/**
 * The last points that are bad, without a long pause between them, or a shorter one at which all is
 * known to be well; null if none is.
 */
export function lastStretch(
  isBad: (index: number) => boolean,
  { before, until }: Pick<Split, 'before' | 'until'>,
  isGood: (index: number) => boolean = () => false,
): IndexSpan | null {
  let last = until;
  while (last > before && !isBad(last)) last -= 1;
  if (last <= before) return null;
  let first = last;
  let good = 0;
  for (let index = last; index > before && first - index <= pausePoints; index -= 1) {
    if (isBad(index)) [first, good] = [index, 0];
    else if (isGood(index)) good += 1;
    if (good >= goodPointsMin) break;
  }
  return { first, last };
}

/** Whether a stretch ended before the problem, or too long ago to be its cause. */
export function isOver({ last }: IndexSpan, { began, until }: Split, stepSeconds: number): boolean {
  return last < began || (until - last) * stepSeconds > quietSeconds;
}
