/**
 * Which part of what a metric measures moved alone: one client of ten sends more, one leaf of ten
 * answers late, one process holds what all share. The parts are the values of one label.
 */
import { labelOf, type LabelSet } from '../alert/labels.ts';
import { groupBy } from '../lib/group-by.ts';
import { medianOf, robustScale } from '../lib/sorted-quantile.ts';
import type { ChangeCandidate } from './change-candidate.ts';
import { familiarLabels, isOfKind, outcomeLabels } from './familiar-labels.ts';
import { identifiers } from './labels-apart.ts';
import { isReplicaLabel, replicaLabels } from './replica-collapse.ts';
import { countNoise, newActivityZ } from './robust-change.ts';
import { notableZ, strongZ } from './strength.ts';

/** What is compared: a series on the common grid. */
export type LoneSeries = Pick<
  ChangeCandidate, 'id' | 'metric' | 'made' | 'labels' | 'values' | 'kind' | 'signal' | 'unit'>;

/** A value of a label whose series moved, while those of its other values did not. */
export interface LonePart<T extends LoneSeries = LoneSeries> {
  readonly label: string;
  readonly value: string;
  /** How many values the label has. */
  readonly of: number;
  /** What its series have together; of means and quantiles, the highest of them. */
  readonly before: number;
  readonly after: number;
  /** The same for all other values. */
  readonly othersBefore: number;
  readonly othersAfter: number;
  /** How unusual the move is, in deviations, with its sign. */
  readonly z: number;
  /** Index of the point at which it left its usual level. */
  readonly onsetIndex: number;
  /** One deviation. */
  readonly scale: number;
  /** Labels that all of its series and those compared with them share, of those that differ. */
  readonly within: LabelSet;
  /** It had one value all the time until then. */
  readonly stoodStill: boolean;
  /** The series that moved most of it, with its own levels. */
  readonly lead: { readonly series: T; readonly before: number; readonly after: number };
  /** Ids of all of its series. */
  readonly ids: readonly string[];
}

interface LoneOptions {
  /** Index of the first point that counts as after. */
  readonly split: number;
  /** Index of the first point that is left out. */
  readonly until: number;
  /** Length of a step of the grid. */
  readonly stepSeconds: number;
}

/** A part moves at least so many times as far as any other; among two or three, noise asks more. */
const aheadMin = 4;
const aheadOfFewMin = 8;
const fewMax = 3;
/** It moves by this share of its own level before, or by less where that had stood still. */
const ownMin = 0.3;
const stepMin = 0.2;
/** What had more than this of all before is what all is made of. */
const hadMax = 0.75;
/** More often beyond half of its move than this share of the time before, it comes and goes. */
const burstMax = 0.02;
/** What goes away by and by has left its level with this share of its way. */
const leftShare = 0.1;
/** Points before the split that tell the usual level, and those next to it that may not. */
const levelPoints = 120;
const pointsMin = 10;
/** It began at most this many points before the split, or goes on moving. */
const earlyPoints = 12;
const valuesMax = 300;

/**
 * The parts that moved alone, by metric and label: of all its series together, or else of those
 * that share their other labels, such as one status. The order is that of the metrics' names.
 */
export function lonePartsOf<T extends LoneSeries>(
  all: readonly T[],
  options: LoneOptions,
): LonePart<T>[] {
  const families = groupBy(all, ({ metric, made }) => `${metric} ${made ?? ''}`);
  return [...families.values()]
    .filter((family) => family.some((series) => isOut(series, options)))
    .flatMap((family) => partsIn(family, options));
}

/** Whether its latest value is where it hardly ever was: a quick test that spares most metrics. */
function isOut({ values }: LoneSeries, { split, until }: LoneOptions): boolean {
  const last = values.subarray(split, until).findLast(Number.isFinite);
  if (last === undefined) return false;
  let [above, below, known] = [0, 0, 0];
  for (let index = 0; index < split; index += 1) {
    const value = values[index] ?? Number.NaN;
    if (!Number.isFinite(value)) continue;
    known += 1;
    if (value >= last) above += 1;
    if (value <= last) below += 1;
  }
  return Math.min(above, below) <= burstMax * known;
}

function partsIn<T extends LoneSeries>(
  family: readonly [T, ...T[]],
  options: LoneOptions,
): LonePart<T>[] {
  if (family.length < 2) return [];
  const labels = family.map((each) => each.labels);
  const outcomes = outcomeLabels(labels);
  const moves = family.map((series) => moveOf(series, options));
  return familiarLabels(labels).flatMap((label) => {
    if (outcomes.has(label) || identifiers.has(label) || isOfKind(label)) return [];
    const values = new Set(labels.map((each) => labelOf(each, label) ?? ''));
    values.delete('');
    if (values.size < 2 || values.size > valuesMax) return [];
    // One of two ways is soon alone; a second machine shows what is usual.
    if (values.size === 2 && ![...values].every((value) => isPlace(label, value))) return [];
    const kinds = crossedLabels(label, family);
    const whole = leaderIn(moves, { label, of: values.size, within: {} }, options);
    if (whole !== null || kinds.length === 0) return whole ?? [];
    // Others may do more of one thing while one does more of another.
    const segments = groupBy(moves, ({ series }) =>
      kinds.map((kind) => labelOf(series.labels, kind) ?? '').join('\u0000'));
    const found = [...segments.values()].flatMap((segment) => {
      const within = Object.fromEntries(kinds.flatMap((kind) => {
        const value = labelOf(segment[0].series.labels, kind) ?? '';
        return value === '' ? [] : [[kind, value]];
      }));
      return leaderIn(segment, { label, of: values.size, within }, options) ?? [];
    }).filter((lone) => !areOthersAway(lone, moves));
    // If several lead, each in another thing, none is alone.
    return new Set(found.map(({ value }) => value)).size > 1 ? []
      : found.sort((a, b) => Math.abs(b.z) - Math.abs(a.z)).slice(0, 1);
  });
}

const address = /^[\w.-]+:\d{2,5}$|^\d+\.\d+\.\d+\.\d+/u;

function isPlace(label: string, value: string): boolean {
  return replicaLabels.has(label) || address.test(value);
}

/** Labels each of whose values, for the most part, several values of another label have. */
function crossedLabels<T extends LoneSeries>(label: string, family: readonly T[]): string[] {
  const [{ metric } = { metric: '' }] = family;
  const names = new Set(family.flatMap(({ labels }) => Object.keys(labels)));
  return [...names].filter((name) => {
    if (name === label || isReplicaLabel(name, metric)) return false;
    const withValue = groupBy(family, ({ labels }) => labelOf(labels, name) ?? '');
    const crossed = [...withValue.values()].filter((group) =>
      new Set(group.map(({ labels }) => labelOf(labels, label) ?? '')).size > 1);
    return withValue.size > 1 && 2 * crossed.length >= withValue.size;
  }).sort();
}

/** Whether another value takes as much longer in what it does itself; amounts are told apart. */
function areOthersAway<T extends LoneSeries>(
  { label, value, before, after, lead }: LonePart<T>,
  moves: readonly Move<T>[],
): boolean {
  if (isAmount(lead.series)) return false;
  const least = Math.abs(after - before) / aheadMin;
  return moves.some((move) => labelOf(move.series.labels, label) !== value &&
    !move.isNew && distanceOf(move) >= least &&
    distanceOf(move) >= ownMin * Math.abs(usualOf(move)));
}

interface Move<T> {
  readonly series: T;
  /** Values before the split, from which the level is told; the latest value. */
  readonly earlier: Float64Array;
  readonly last: number;
  readonly isNew: boolean;
}

function moveOf<T extends LoneSeries>(series: T, { split, until }: LoneOptions): Move<T> {
  const { values } = series;
  const recent = values.subarray(split, until);
  return {
    series, earlier: values.subarray(0, split),
    last: recent.findLast(Number.isFinite) ?? Number.NaN,
    isNew: !values.subarray(0, split).some(Number.isFinite),
  };
}

/** What began with the trouble was none of it before; a level that is new tells nothing. */
function isAmount({ made, signal, kind }: LoneSeries): boolean {
  if (made === 'mean' || made === 'quantile') return false;
  return made === 'rate' || kind === 'counter' || amounts.has(signal);
}

const amounts: ReadonlySet<string> = new Set(['utilization', 'saturation', 'traffic', 'errors']);

interface Group<T extends LoneSeries> {
  readonly value: string;
  readonly before: number;
  readonly after: number;
  readonly moves: readonly Move<T>[];
}

function leaderIn<T extends LoneSeries>(
  moves: readonly Move<T>[],
  { label, of, within }: Pick<LonePart, 'label' | 'of' | 'within'>,
  options: LoneOptions,
): LonePart<T> | null {
  const groups = [...groupBy(moves, ({ series }) => labelOf(series.labels, label) ?? '')]
    .flatMap(([value, each]) => groupOf(value, each, options) ?? [])
    .sort((a, b) => sizeOf(b) - sizeOf(a));
  const [first, second] = groups;
  if (first === undefined || first.value === '' || !(sizeOf(first) > 0)) return null;
  const ahead = of > fewMax ? aheadMin : aheadOfFewMin;
  if (sizeOf(first) < ahead * (second === undefined ? 0 : sizeOf(second))) return null;
  const others = groups.slice(1);
  const isAdded = moves.every(({ series: { made } }) => made !== 'mean' && made !== 'quantile');
  // Nobody knows that others kept their level if they have none.
  if (!moves.every(({ series }) => isAmount(series)) && 2 * groups.length < of + 1) return null;
  const [othersBefore, othersAfter] = [
    others.reduce((sum, { before }) => sum + before, 0),
    others.reduce((sum, { after }) => sum + after, 0),
  ];
  const had = first.before / (first.before + othersBefore);
  if (isAdded && first.before > 0 && had > hadMax) return null;
  const known = courseOf(first, options);
  if (known === null || Math.abs(known.z) < strongZ) return null;
  const least = known.stoodStill ? stepMin : ownMin;
  if (sizeOf(first) < least * Math.abs(first.before)) return null;
  const [lead = first.moves[0]] = first.moves.toSorted((a, b) => distanceOf(b) - distanceOf(a));
  return lead === undefined ? null : {
    label, of, within, value: first.value, before: first.before, after: first.after,
    othersBefore, othersAfter, ...known,
    lead: { series: lead.series, before: usualOf(lead), after: lead.last },
    ids: first.moves.map(({ series: { id } }) => id),
  };
}

function sizeOf({ before, after }: Pick<Group<LoneSeries>, 'before' | 'after'>): number {
  return Math.abs(after - before);
}

function distanceOf<T>(move: Move<T>): number {
  return Math.abs(move.last - usualOf(move));
}

function usualOf<T>({ earlier, isNew }: Move<T>): number {
  const level = isNew ? 0 : medianOf(levelIn(earlier));
  return Number.isFinite(level) ? level : 0;
}

function levelIn(earlier: Float64Array): Float64Array {
  return earlier.subarray(Math.max(0, earlier.length - levelPoints)).filter(Number.isFinite);
}

/** Null where nothing of it is known now, or where it is new and may have been anything before. */
function groupOf<T extends LoneSeries>(
  value: string,
  moves: readonly [Move<T>, ...Move<T>[]],
  { split, until }: LoneOptions,
): Group<T> | null {
  const there = moves.filter(({ last, isNew, series }) =>
    Number.isFinite(last) && (!isNew || isAmount(series)));
  if (there.length === 0) return null;
  const before = combined(there, Math.max(0, split - levelPoints), split);
  const level = medianOf(before.filter(Number.isFinite));
  const after = combined(there, split, until).findLast(Number.isFinite) ?? Number.NaN;
  if (!Number.isFinite(after)) return null;
  return { value, before: Number.isFinite(level) ? level : 0, after, moves: there };
}

/** The sum of series at each point, or the highest of means; NaN where none is known. */
function combined<T extends LoneSeries>(
  moves: readonly Move<T>[],
  from: number,
  to: number,
): Float64Array {
  const sum = new Float64Array(Math.max(0, to - from)).fill(Number.NaN);
  for (const { series: { values, made } } of moves) {
    const isMean = made === 'mean' || made === 'quantile';
    for (let index = from; index < to; index += 1) {
      const value = values[index] ?? Number.NaN;
      if (!Number.isFinite(value)) continue;
      const known = sum[index - from] ?? Number.NaN;
      sum[index - from] = Number.isNaN(known) ? value
        : isMean ? Math.max(known, value) : known + value;
    }
  }
  return sum;
}

interface Course {
  readonly z: number;
  readonly scale: number;
  readonly onsetIndex: number;
  readonly stoodStill: boolean;
}

/** How the part moved; null if it comes and goes, or moved long before. */
function courseOf<T extends LoneSeries>(
  { before, after, moves }: Group<T>,
  { split, until, stepSeconds }: LoneOptions,
): Course | null {
  const values = combined(moves, 0, until);
  const isNew = moves.every((each) => each.isNew);
  const earlier = values.subarray(0, split).filter(Number.isFinite).sort();
  if (!isNew && earlier.length < pointsMin) return null;
  const way = after - before;
  const isAway = (value: number): boolean => (value - before) / way >= 0.5;
  const bursts = values.subarray(0, Math.max(0, split - earlyPoints)).filter((value) =>
    Number.isFinite(value) && isAway(value)).length;
  if (bursts > burstMax * earlier.length) return null;
  // From where on it is away for good.
  let onsetIndex = values.length;
  for (let index = values.length - 1; index >= 0; index -= 1) {
    const value = values[index] ?? Number.NaN;
    if (Number.isFinite(value) ? !isAway(value) : !isNew) break;
    if (Number.isFinite(value)) onsetIndex = index;
  }
  if (onsetIndex >= values.length || onsetIndex < split - earlyPoints) return null;
  const stoodStill = !isNew && earlier.at(0) === earlier.at(-1);
  const spread = isNew || stoodStill ? 0 : robustScale(earlier, before);
  const scale = Math.max(spread, leastScale(moves, { before, stepSeconds }));
  // A ramp has left its level long before it is half up.
  const least = Math.max(leftShare * Math.abs(way), notableZ * scale);
  const hasLeft = (value: number): boolean => Math.sign(way) * (value - before) >= least;
  while (onsetIndex > 0 && hasLeft(values[onsetIndex - 1] ?? Number.NaN)) onsetIndex -= 1;
  return {
    z: scale === 0 ? Math.sign(way) * newActivityZ : way / scale, scale, onsetIndex, stoodStill,
  };
}

/** What chance makes of a number of events in one step, and of a number of things. */
function leastScale<T extends LoneSeries>(
  moves: readonly Move<T>[],
  { before, stepSeconds }: { readonly before: number; readonly stepSeconds: number },
): number {
  const [{ series } = { series: null }] = moves;
  if (series === null || series.made === 'mean' || series.made === 'quantile') return 0;
  if (series.made === 'rate') {
    const isOfEvents = series.unit === null || series.unit === 'per_second';
    return isOfEvents ? Math.sqrt(Math.max(Math.abs(before), 1 / stepSeconds) / stepSeconds) : 0;
  }
  const isWhole = moves.every(({ earlier }) =>
    earlier.every((value) => !Number.isFinite(value) || Number.isInteger(value)));
  const isCount = isWhole && (series.unit === null || series.unit === 'count');
  return isCount && before !== 0 ? countNoise * Math.sqrt(Math.abs(before)) : 0;
}
