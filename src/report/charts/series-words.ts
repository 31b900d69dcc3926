import { formatDuration, formatQuantity } from '../../lib/quantity.ts';
import { counted } from '../plain-text.ts';
import { formatExactMoment } from '../time-text.ts';
import { medianOf, type Point } from './course.ts';

/** The numbers that describe a series in place of a picture. */
interface SeriesNumbers {
  readonly lowest: number;
  readonly highest: number;
  /** Medians before and after a moment; null if there is no point on that side. */
  readonly before: number | null;
  readonly after: number | null;
  readonly last: number;
}

/** Null without any point; with `splitMs` null, `before` and `after` are null. */
export function seriesNumbers(
  points: readonly Point[],
  splitMs: number | null,
): SeriesNumbers | null {
  const last = points.at(-1);
  if (last === undefined) return null;
  const values = points.map(({ value }) => value);
  const side = (isAfter: boolean): number | null => splitMs === null ? null
    : medianOf(points.filter(({ atMs }) => (atMs >= splitMs) === isAfter)
      .map(({ value }) => value));
  return {
    lowest: Math.min(...values), highest: Math.max(...values), before: side(false),
    after: side(true), last: last.value,
  };
}

/** `Lowest 40, highest 198, latest 190. …`, with the medians and the time it covers. */
export function seriesDescription(
  points: readonly Point[],
  { splitMs, unit, stepMs }: {
    readonly splitMs: number | null; readonly unit: string | null; readonly stepMs: number;
  },
): string {
  const numbers = seriesNumbers(points, splitMs);
  const [first, last] = [points[0], points.at(-1)];
  if (numbers === null || first === undefined || last === undefined) return 'No values.';
  const said = (value: number): string => formatQuantity(value, unit);
  const { lowest, highest, before, after } = numbers;
  const sides = before === null || after === null ? ''
    : ` The median is ${said(before)} before and ${said(after)} after.`;
  const gaps = points.filter(({ isAfterGap }) => isAfterGap).length - 1;
  const missing = gaps > 0 ? ` ${counted(gaps, 'gap')}.` : '';
  return `Lowest ${said(lowest)}, highest ${said(highest)}, latest ${said(last.value)}.${sides} ` +
    `From ${exact(first.atMs)} to ${exact(last.atMs)}, a value every ${
      formatDuration(stepMs / 1000)}.${missing}`;
}

/** Whether a comparison with a threshold holds for a value; never for an unknown operator. */
export function isBeyond(
  value: number,
  { operator, threshold }: { readonly operator: string | null; readonly threshold: number },
): boolean {
  if (operator === '>') return value > threshold;
  if (operator === '>=') return value >= threshold;
  if (operator === '<') return value < threshold;
  if (operator === '==') return value === threshold;
  if (operator === '!=') return value !== threshold;
  return operator === '<=' && value <= threshold;
}

/** How a series went beyond its threshold. */
export interface Crossing {
  /** The first point beyond it. */
  readonly atMs: number;
  /** Medians of the points within it just before, and of those beyond it from then on. */
  readonly before: number;
  readonly after: number;
}

/**
 * How a series last crossed its threshold before the alert fired: the beginning of the run beyond
 * it that includes `firedMs`, which a grid may show one step late. Null without such a run, and if
 * that starts with the first point.
 */
export function crossingOf(
  points: readonly Point[],
  firedMs: number,
  isOver: (point: Point) => boolean,
): Crossing | null {
  const over = points.map(isOver);
  const atFire = points.findLastIndex(({ atMs }) => atMs <= firedMs);
  const inRun = over[atFire] === true ? atFire : atFire + 1;
  const first = over.lastIndexOf(false, inRun) + 1;
  const crossed = points[first];
  if (over[inRun] !== true || first === 0 || crossed === undefined) return null;
  const end = over.indexOf(false, first);
  const medianIn = (from: number, to?: number): number =>
    medianOf(points.slice(from, to).map(({ value }) => value)) ?? crossed.value;
  return {
    atMs: crossed.atMs,
    before: medianIn(over.lastIndexOf(true, first - 1) + 1, first),
    after: medianIn(first, end < 0 ? undefined : end),
  };
}

/** `rose from 40 to 198`, `stayed at 40`; null if either side is unknown. */
export function movementText(
  { before, after }: Pick<SeriesNumbers, 'before' | 'after'>,
  unit: string | null,
): string | null {
  if (before === null || after === null) return null;
  const [from, to] = [formatQuantity(before, unit), formatQuantity(after, unit)];
  if (from === to) return `stayed at ${to}`;
  return `${after > before ? 'rose' : 'fell'} from ${from} to ${to}`;
}

function exact(atMs: number): string {
  return formatExactMoment(new Date(atMs).toISOString());
}
