import { arrivalAt, type PacePoint } from '../../../statistics/steady-pace.ts';
import { trendOf } from '../../../statistics/trend.ts';
import { isFiring } from '../../measurement.ts';
import type { Exhaustion, LimitFacts, OwnSeries, Window } from '../../metric-facts.ts';
import type { Operator } from '../../rule/comparison.ts';
import { exhaustionLevel } from '../../rule/exhaustion.ts';
import type { RuleReading } from '../../rule/rule-expression.ts';
import type { Times } from '../alert-window.ts';
import type { OwnLimit, MeasuredSide } from './own-samples.ts';

export interface LimitContext extends Times {
  readonly reading: RuleReading;
  readonly window: Window;
}

/** How a series went relative to its limit. */
type AgainstLimit = Pick<
  OwnSeries,
  | 'worst' | 'overSinceMs' | 'wasOverBefore' | 'crossedMs' | 'trend' | 'recoveredMs'
  | 'cutOffValue'
>;

/** How the series went relative to its limit. */
export function againstLimit(
  { points, atFire, now: valueNow, atEnd, isThereNow, isWhole }: MeasuredSide,
  limit: OwnLimit | null,
  { reading, window, now, startsAtMs, endsAtMs }: LimitContext,
): AgainstLimit {
  const { comparison } = reading;
  const toNow = valueNow === null ? points : [...points, { atMs: now, value: valueNow }];
  // With a limit that moves, the value alone does not tell how far it was beyond.
  const fired = atFire === null ? [] : [{ atMs: startsAtMs, value: atFire }];
  const unknown = {
    worst: null, overSinceMs: null, wasOverBefore: false, crossedMs: [], recoveredMs: null,
    cutOffValue: null, trend: null,
  };
  // With the comparison still in it, the series exists only while it fires.
  if (comparison === null) return unknown;
  const { operator, threshold } = comparison;
  const worst = comparison.limit !== null ? null
    : worstOf([...(endsAtMs === null ? toNow : points), ...fired], operator, window.splitMs);
  if (!isWhole || limit?.isWhole === false) return { ...unknown, worst };
  if (threshold === null && limit === null) return { ...unknown, worst };
  const limitAt = (atMs: number): number => threshold ?? limit?.at(atMs) ?? Number.NaN;
  const crossings = crossingsOf(limited(toNow, limitAt), operator);
  const { overSinceMs, recoveredMs, crossedMs } = crossings;
  // If the series begins within the window, its first point is when it appeared.
  const nearMs = 2 * window.stepSeconds * 1000;
  const edgeMs = window.fromMs + nearMs;
  const wasOverBefore = crossings.isOverThroughout && (overSinceMs ?? now) <= edgeMs;
  const last = points.at(-1);
  const isCutOff = isThereNow === false && endsAtMs !== null && overSinceMs !== null &&
    (last?.atMs ?? Infinity) <= endsAtMs + nearMs &&
    (atEnd === null || isFiring(atEnd, operator, limitAt(endsAtMs)));
  const sinceFired = toNow.filter(({ atMs }) => atMs >= startsAtMs).map(({ value }) => value);
  return {
    trend: endsAtMs === null ? trendOf(sinceFired) : null,
    worst, crossedMs, wasOverBefore, cutOffValue: isCutOff ? (last?.value ?? null) : null,
    overSinceMs: overSinceMs === null || wasOverBefore ? overSinceMs
      : sharper(overSinceMs, window.onMs, toNow),
    recoveredMs: recoveredMs === null || endsAtMs === null ? null
      : sharper(recoveredMs, endsAtMs, toNow),
  };
}

/** The last run of points whose limit is known: without a limit a rule does not fire. */
function limited(points: readonly PacePoint[], limitAt: (atMs: number) => number): LimitedPoint[] {
  const all = points.map((point) => ({ ...point, limit: limitAt(point.atMs) }));
  return all.slice(all.findLastIndex(({ limit }) => Number.isNaN(limit)) + 1);
}

/**
 * A grid shows a change up to one step late. If `knownMs`, by which it had happened, lies between
 * the point that shows it and the one before, it is the more exact time.
 */
function sharper(atMs: number, knownMs: number, points: readonly PacePoint[]): number {
  const before = points.findLast((point) => point.atMs < atMs)?.atMs ?? atMs;
  return before < knownMs && knownMs < atMs ? knownMs : atMs;
}

/** When the alert's value runs out; null unless it fires on an amount that does so steadily. */
export function exhaustionOf(
  { points, now: valueNow }: MeasuredSide,
  { reading, now, endsAtMs }: LimitContext,
): Exhaustion | null {
  const { comparison } = reading;
  const level = comparison && exhaustionLevel(comparison);
  if (level === null || comparison === null || valueNow === null || endsAtMs !== null) return null;
  const { operator, threshold } = comparison;
  if (threshold === null || !isFiring(valueNow, operator, threshold)) return null;
  const arrival = arrivalAt([...points, { atMs: now, value: valueNow }], level);
  return arrival === null ? null : { level, ...arrival };
}

/** How much a rate adds up to from the split on while it was beyond; null for what is none. */
export function totalOf(
  { points }: MeasuredSide,
  { reading: { comparison }, window }: LimitContext,
): number | null {
  const { operator, threshold, unit } = comparison ?? {};
  if (operator === undefined || threshold == null || unit !== 'per_second') return null;
  const total = points.reduce((sum, { atMs, value }, index) => {
    const isBeyond = atMs >= window.splitMs && Number.isFinite(value) &&
      isFiring(value, operator, threshold);
    const nextMs = points[index + 1]?.atMs ?? atMs + window.stepSeconds * 1000;
    return isBeyond ? sum + value * (nextMs - atMs) / 1000 : sum;
  }, 0);
  return total > 0 ? total : null;
}

/** The last point within the limit before the alert fired; null if unknown. */
export function lastWithin(
  { points }: MeasuredSide,
  limit: OwnLimit,
  { reading: { comparison }, startsAtMs }: LimitContext,
): LimitFacts['before'] {
  if (comparison === null) return null;
  const last = points.findLast(({ atMs, value }) => {
    const then = limit.at(atMs);
    return atMs < startsAtMs && !Number.isNaN(then) && !isFiring(value, comparison.operator, then);
  });
  return last === undefined ? null : { value: last.value, limit: limit.at(last.atMs) };
}

/** A point with its limit at that time. */
interface LimitedPoint extends PacePoint {
  readonly limit: number;
}

interface Crossings {
  /** When it crossed to the firing side. */
  readonly crossedMs: readonly number[];
  /**
   * When it last came to the firing side and stayed there, which is the first point if it never
   * left; null if it is not there at the end.
   */
  readonly overSinceMs: number | null;
  /** It is on the firing side at every point. */
  readonly isOverThroughout: boolean;
  /** When it last left the firing side and stayed away; null if it is there at the end. */
  readonly recoveredMs: number | null;
}

/** How a series crossed its limit. `points` are in order of time, all finite. */
export function crossingsOf(points: readonly LimitedPoint[], operator: Operator): Crossings {
  const crossedMs: number[] = [];
  let changedAtMs: number | null = null;
  let wasOver: boolean | null = null;
  let isOverThroughout = points.length > 0;
  for (const { atMs, value, limit } of points) {
    const isOver = isFiring(value, operator, limit);
    if (wasOver !== isOver && (wasOver !== null || isOver)) changedAtMs = atMs;
    if (wasOver === false && isOver) crossedMs.push(atMs);
    if (!isOver) isOverThroughout = false;
    wasOver = isOver;
  }
  return {
    crossedMs,
    overSinceMs: wasOver === true ? changedAtMs : null,
    isOverThroughout,
    recoveredMs: wasOver === false ? changedAtMs : null,
  };
}

/** The value farthest on the firing side from `fromMs` on; null for `==` and `!=`. */
export function worstOf(
  points: readonly PacePoint[],
  operator: Operator,
  fromMs: number,
): number | null {
  const values = points.filter(({ atMs }) => atMs >= fromMs).map(({ value }) => value);
  if (values.length === 0 || operator === '==' || operator === '!=') return null;
  const isHigh = operator.startsWith('>');
  return values.reduce((a, b) => (isHigh ? Math.max(a, b) : Math.min(a, b)));
}
