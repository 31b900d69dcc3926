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

/** Whether a value is beyond a threshold; never for an operator without a direction. */
export function isBeyond(
  value: number,
  { operator, threshold }: { readonly operator: string | null; readonly threshold: number },
): boolean {
  if (operator === '>') return value > threshold;
  if (operator === '>=') return value >= threshold;
  if (operator === '<') return value < threshold;
  return operator === '<=' && value <= threshold;
}

/**
 * When a series crossed its threshold: the first point of the run beyond it that includes
 * `splitMs`, or else of the next run. Null if there is none, or if it starts with the first point.
 */
export function crossingOf(
  points: readonly Point[],
  splitMs: number,
  isOver: (point: Point) => boolean,
): number | null {
  let index = points.findIndex((point) => point.atMs >= splitMs && isOver(point));
  for (; index > 0; index -= 1) {
    const [point, before] = [points[index], points[index - 1]];
    if (point === undefined || before === undefined) return null;
    if (point.isAfterGap || !isOver(before)) return point.atMs;
  }
  return null;
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
