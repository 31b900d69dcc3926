import type { LabelSet } from '../../alert/labels.ts';
import type { InstantAnswer } from '../../sources/prometheus-answers.ts';
import { timeAt } from '../../sources/time-grid.ts';
import type { Point } from '../../statistics/steady-pace.ts';
import type { Window } from '../metric-facts.ts';
import type { Times } from './alert-window.ts';
import type { OwnMoments, OwnRanges } from './ask-own.ts';
import { seriesOf } from './matching-labels.ts';

/** The answers about the series that the own one is compared with. */
export interface FoundLimit {
  readonly moments: OwnMoments;
  readonly ranges: OwnRanges;
}

/** The limit of the own series, at the moments that matter and over time. */
export interface OwnLimit {
  readonly query: string;
  readonly atFire: number | null;
  readonly now: number | null;
  /** There was none at the moment the alert ended. */
  readonly isGoneAtEnd: boolean;
  /** It was answered over the same time as the value, and is never infinite. */
  readonly isWhole: boolean;
  /** NaN if unknown. */
  at(atMs: number): number;
}

/** Null if none of the series is the alert's. */
export function ownLimit(
  { moments, ranges }: FoundLimit,
  own: OwnRanges,
  { startsAtMs, endsAtMs, now, window }: Times & { readonly window: Window },
): OwnLimit | null {
  const { labels } = moments;
  if (labels === null) return null;
  const points = pointsOf(ranges);
  const valueNow = sampleOf(moments.now, labels);
  const course = { labels, points, window };
  const atFire = valueAt(startsAtMs, moments.fire, course);
  const atEnd = endsAtMs === null ? null : valueAt(endsAtMs, moments.end, course);
  const known = new Map(points.map(({ atMs, value }) => [atMs, value]));
  if (valueNow !== null) known.set(now, valueNow);
  if (endsAtMs !== null && atEnd !== null) known.set(endsAtMs, atEnd);
  return {
    query: moments.query, atFire, now: valueNow,
    isGoneAtEnd: moments.end !== null && seriesOf(moments.end.samples, labels) === undefined,
    isWhole: ranges.window?.infinite === 0 && (ranges.since?.infinite ?? 0) === 0 &&
      (own.since === null || ranges.since !== null),
    at: (atMs) => known.get(atMs) ?? Number.NaN,
  };
}

/** The value of the series with these labels; null if there is none. It may be infinite. */
export function sampleOf(answer: InstantAnswer | null, labels: LabelSet): number | null {
  const own = seriesOf(answer?.samples ?? [], labels);
  // A division by zero gives an infinite value, which is beyond any threshold.
  return own !== undefined && !Number.isNaN(own.value) ? own.value : null;
}

export function pointsOf({ window, since }: OwnRanges): Point[] {
  const points: Point[] = [];
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
export function valueAt(
  atMs: number,
  answer: InstantAnswer | null,
  { labels, points, window }: {
    readonly labels: LabelSet; readonly points: readonly Point[]; readonly window: Window;
  },
): number | null {
  if (seriesOf(answer?.samples ?? [], labels) !== undefined) return sampleOf(answer, labels);
  const last = points.findLast((point) => point.atMs <= atMs);
  const isNear = last !== undefined && atMs - last.atMs <= 2 * window.stepSeconds * 1000;
  return isNear ? last.value : null;
}
