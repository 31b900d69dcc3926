import { labelOf, type LabelSet } from '../alert/labels.ts';
import { compareText } from '../lib/compare-text.ts';
import { familiarLabels, isFamiliar } from './familiar-labels.ts';

/** One series of a sum at two moments; a missing value counts as zero. */
export interface Contribution {
  readonly labels: LabelSet;
  readonly before: number;
  readonly after: number;
}

/** The values of one label whose series account for most of a rise or fall. */
export interface Leaders {
  readonly label: string;
  readonly values: readonly string[];
  /** Number of values the label has. */
  readonly of: number;
  /** Their share of all movement in this direction, 0 to 1. */
  readonly share: number;
  /** What they made up together. */
  readonly before: number;
  readonly after: number;
}

/** The sum itself. */
interface Whole {
  readonly before: number;
  readonly after: number;
}

/** What moved a sum: a few leaders, or all about equally. */
export type Contributors =
  | {
    readonly kind: 'leaders'; readonly leaders: readonly Leaders[];
    /** Null if it is not known. */
    readonly whole: Whole | null;
  }
  | { readonly kind: 'spread'; readonly label: string; readonly values: readonly string[] };

/** A sum that moved by less than this share of itself may be noise. */
const movedMin = 0.1;
/** Movement in the other direction, at most this share of the movement in this one. */
const againstMax = 0.2;
/** Leaders account for this share of the move, and for this much more than of the sum before. */
export const leadMin: number = 2 / 3;
const gainMin = 0.25;
/** Each leader moved by at least this share of its own value before. */
const ownMin = 0.5;
/** Each moved this many times as far as any other; among two or three, noise demands more. */
export const aheadMin: number = 4;
const aheadOfFewMin = 8;
const fewMax = 3;
const leadersMax = 3;
const leadingLabelsMax = 2;
const spreadMin = 3;
/** Bounds for an even spread, as multiples of an equal share. */
const evenShare = { least: 0.5, most: 1.5 } as const;

/**
 * Which label values account for most of a rise or fall of a sum: the fewest that do, for the one
 * or two labels with the largest shares. Null when there are no clear leaders and no even spread.
 */
export function contributorsOf(
  parts: readonly Contribution[],
  direction: 'rise' | 'fall',
): Contributors | null {
  const before = sum(parts.map((part) => part.before));
  const sign = direction === 'rise' ? 1 : -1;
  const moved = sign * (sum(parts.map(({ after }) => after)) - before);
  const isUsable = parts.every((part) => part.before >= 0 && part.after >= 0);
  if (!isUsable || !Number.isFinite(moved) || moved <= movedMin * before) return null;
  const groupings = familiarLabels(parts.map(({ labels }) => labels))
    .map((label) => groupingOf(parts, { label, sign }))
    .filter(({ against }) => against <= againstMax);
  const leading = groupings.flatMap((grouping) => leadersIn(grouping, before) ?? []);
  // When a pod leads, so does its node; only the narrower of the two is reported.
  const finest = leading.filter((each, place) => !leading.some((other, otherPlace) =>
    isWithin(other, each) && (!isWithin(each, other) || otherPlace < place)));
  const leaders = finest.toSorted((a, b) => b.share - a.share).slice(0, leadingLabelsMax);
  if (leaders.length > 0) {
    return {
      kind: 'leaders',
      leaders: leaders.map(({ series: _, ...rest }) => rest),
      whole: { before, after: sum(parts.map(({ after }) => after)) },
    };
  }
  const spread = groupings.find(isSpread);
  return spread === undefined ? null
    : { kind: 'spread', label: spread.label, values: spread.values.map(({ value }) => value) };
}

interface Grouping {
  readonly label: string;
  /** Largest movement first. */
  readonly values: readonly Group[];
  /** Total movement in the direction of the sum, and the opposite movement as a share of it. */
  readonly all: number;
  readonly against: number;
}

interface Group {
  readonly value: string;
  readonly before: number;
  readonly after: number;
  readonly moved: number;
  readonly series: ReadonlySet<number>;
}

function groupingOf(
  parts: readonly Contribution[],
  { label, sign }: { readonly label: string; readonly sign: number },
): Grouping {
  const groups = new Map<string, {
    before: number; after: number; moved: number; series: Set<number>;
  }>();
  for (const [index, { labels, before, after }] of parts.entries()) {
    const value = labelOf(labels, label) ?? '';
    const group = groups.get(value) ?? { before: 0, after: 0, moved: 0, series: new Set() };
    group.before += before;
    group.after += after;
    group.moved += sign * (after - before);
    group.series.add(index);
    groups.set(value, group);
  }
  const values = [...groups].map(([value, group]) => ({ value, ...group }))
    .sort((a, b) => b.moved - a.moved || compareText(a.value, b.value));
  const all = sum(values.map(({ moved }) => Math.max(0, moved)));
  return { label, values, all, against: sum(values.map(({ moved }) => Math.max(0, -moved))) / all };
}

interface Leading extends Leaders {
  readonly series: ReadonlySet<number>;
}

function leadersIn({ label, values, all }: Grouping, before: number): Leading | null {
  for (let count = 1; count <= Math.min(leadersMax, values.length / 2); count += 1) {
    const first = values.slice(0, count);
    const share = sum(first.map(({ moved }) => moved)) / all;
    const farthest = Math.max(...values.slice(count).map(({ moved }) => Math.abs(moved)));
    const ahead = values.length > fewMax ? aheadMin : aheadOfFewMin;
    const areAhead = first.every((each) =>
      each.moved >= ahead * farthest && each.moved >= ownMin * each.before);
    if (share < leadMin || !areAhead) continue;
    const had = sum(first.map((each) => each.before));
    const shareBefore = before === 0 ? 0 : had / before;
    if (share - shareBefore < gainMin || first.some(({ value }) => value === '')) return null;
    const series = new Set(first.flatMap((each) => [...each.series]));
    const after = sum(first.map((each) => each.after));
    return {
      label, values: first.map(({ value }) => value), of: values.length, share, before: had, after,
      series,
    };
  }
  return null;
}

/** Whether one names no more values than the other, and covers no other series. */
function isWithin(inner: Leading, outer: Leading): boolean {
  return inner.values.length <= outer.values.length &&
    [...inner.series].every((each) => outer.series.has(each));
}

function isSpread({ label, values, all }: Grouping): boolean {
  if (values.length < spreadMin || !isFamiliar(label)) return false;
  return values.every(({ moved }) => {
    const multiple = moved / all * values.length;
    return multiple >= evenShare.least && multiple <= evenShare.most;
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
