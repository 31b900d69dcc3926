import type { LabelSet } from '../../../alert/labels.ts';
import type { InstantAnswer } from '../../../sources/prometheus-answers.ts';
import { timeAt } from '../../../sources/time-grid.ts';
import type { PacePoint } from '../../../statistics/steady-pace.ts';
import type { Window } from '../../metric-facts.ts';
import type { Times } from '../alert-window.ts';
import { seriesOf } from '../matching-labels.ts';
import type { OwnMoments, OwnRanges } from './ask-own.ts';

/** What was answered about one side of the rule's comparison: the own series, or its limit. */
interface SideAnswers {
  readonly moments: OwnMoments;
  readonly ranges: OwnRanges;
}

/** One side, at the moments that matter and over time. Values may be infinite; null is unknown. */
export interface MeasuredSide {
  readonly query: string;
  readonly points: readonly PacePoint[];
  readonly atFire: number | null;
  readonly now: number | null;
  readonly atEnd: number | null;
  /** Null if the question was not answered. */
  readonly isThereNow: boolean | null;
  readonly isThereAtEnd: boolean | null;
  /** Its points are known, and none is infinite. */
  readonly isWhole: boolean;
}

type Context = Times & { readonly window: Window };

/** Reads the series with these labels. */
export function readSide(
  { moments, ranges }: SideAnswers,
  labels: LabelSet,
  { startsAtMs, endsAtMs, window }: Context,
): MeasuredSide {
  const points = ownPoints(ranges);
  const measured = { labels, points, window };
  const isThere = (answer: InstantAnswer | null): boolean | null =>
    answer && seriesOf(answer.samples, labels) !== undefined;
  const infinite = (ranges.window?.infinite ?? 0) + (ranges.since?.infinite ?? 0);
  return {
    query: moments.query, points,
    atFire: sampleAt(startsAtMs, moments.fire, measured),
    now: sampleOf(moments.now, labels),
    atEnd: endsAtMs === null ? null : sampleAt(endsAtMs, moments.end, measured),
    isThereNow: isThere(moments.now), isThereAtEnd: isThere(moments.end),
    isWhole: ranges.window !== null && infinite === 0,
  };
}

/** The limit of the own series; it is whole if it was answered over the same time as the value. */
export interface OwnLimit extends MeasuredSide {
  /** NaN if unknown. */
  at(atMs: number): number;
}

/** Null if none of the series is the alert's. */
export function readLimit(
  answers: SideAnswers,
  own: OwnRanges,
  context: Context,
): OwnLimit | null {
  const { moments: { labels }, ranges } = answers;
  if (labels === null) return null;
  const side = readSide(answers, labels, context);
  const { endsAtMs, now } = context;
  const known = new Map(side.points.map(({ atMs, value }) => [atMs, value]));
  if (side.now !== null) known.set(now, side.now);
  if (endsAtMs !== null && side.atEnd !== null) known.set(endsAtMs, side.atEnd);
  return {
    ...side,
    isWhole: side.isWhole && (own.since === null || ranges.since !== null),
    at: (atMs) => known.get(atMs) ?? Number.NaN,
  };
}

/** The value of the series with these labels; null if there is none. It may be infinite. */
export function sampleOf(answer: InstantAnswer | null, labels: LabelSet): number | null {
  const own = seriesOf(answer?.samples ?? [], labels);
  // A division by zero gives an infinite value, which is beyond any threshold.
  return own !== undefined && !Number.isNaN(own.value) ? own.value : null;
}

export function ownPoints({ window, since }: OwnRanges): PacePoint[] {
  const points: PacePoint[] = [];
  for (const range of [window, since]) {
    if (range === null) continue;
    const last = points.at(-1)?.atMs ?? -Infinity;
    for (const [index, value] of range.values.entries()) {
      const atMs = timeAt(range.answer.grid, index);
      if (Number.isFinite(value) && atMs > last) points.push({ atMs, value });
    }
  }
  return points;
}

/**
 * The value at a moment: that of the answer, which may be null, or if the series is not in it the
 * last point within two steps before.
 */
export function sampleAt(
  atMs: number,
  answer: InstantAnswer | null,
  { labels, points, window }: {
    readonly labels: LabelSet; readonly points: readonly PacePoint[]; readonly window: Window;
  },
): number | null {
  if (seriesOf(answer?.samples ?? [], labels) !== undefined) return sampleOf(answer, labels);
  const last = points.findLast((point) => point.atMs <= atMs);
  const isNear = last !== undefined && atMs - last.atMs <= 2 * window.stepSeconds * 1000;
  return isNear ? last.value : null;
}
