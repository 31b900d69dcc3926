import { finite } from '../../lib/finite.ts';
import { formatDuration, formatQuantity } from '../../lib/quantity.ts';
import { medianOf } from '../../lib/sorted-quantile.ts';
import { counted } from '../plain-text.ts';
import { formatExactMoment } from '../time-text.ts';
import type { Point } from './line.ts';

/** Values on both sides of a moment; null is unknown. */
interface Sides {
  readonly before: number | null;
  readonly after: number | null;
}

/** The medians before a moment and from then on, where there are points. */
export function mediansAround(points: readonly Point[], splitMs: number | null): Sides {
  const side = (isAfter: boolean): number | null => splitMs === null ? null
    : finite(medianOf(points.filter(({ atMs }) => (atMs >= splitMs) === isAfter)
      .map(({ value }) => value)));
  return { before: side(false), after: side(true) };
}

/** `Lowest 40, highest 198, latest 190. …`, with the medians and the time it covers. */
export function seriesDescription(
  points: readonly Point[],
  { splitMs, unit, stepMs }: {
    readonly splitMs: number | null; readonly unit: string | null; readonly stepMs: number;
  },
): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return 'No values.';
  const shown = (value: number): string => formatQuantity(value, unit);
  const values = points.map(({ value }) => value);
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const { before, after } = mediansAround(points, splitMs);
  const sides = before === null || after === null ? ''
    : ` The median is ${shown(before)} before and ${shown(after)} after.`;
  const gaps = points.filter(({ isAfterGap }) => isAfterGap).length - 1;
  const missing = gaps > 0 ? ` ${counted(gaps, 'gap')}.` : '';
  const ends = `Lowest ${shown(lowest)}, highest ${shown(highest)}`;
  return `${ends}, latest ${shown(last.value)}.${sides} ` +
    `From ${exact(first.atMs)} to ${exact(last.atMs)}, a value every ${
      formatDuration(stepMs / 1000)}.${missing}`;
}

/** `rose from 40 to 198`, `stayed at 40`; null if either side is unknown. */
export function movementText({ before, after }: Sides, unit: string | null): string | null {
  if (before === null || after === null) return null;
  const [from, to] = [formatQuantity(before, unit), formatQuantity(after, unit)];
  if (from === to) return `stayed at ${to}`;
  return `${after > before ? 'rose' : 'fell'} from ${from} to ${to}`;
}

function exact(atMs: number): string {
  return formatExactMoment(new Date(atMs).toISOString());
}
