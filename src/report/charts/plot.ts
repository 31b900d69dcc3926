import { html, trusted, type Html } from '../html.ts';
import type { Point } from './line.ts';

/** Width of a plot in its own units, independent of the screen. */
export const plotWidth = 1000;

/** Maps moments and values to places in a plot. */
export interface Plane {
  readonly fromMs: number;
  readonly toMs: number;
  readonly from: number;
  readonly to: number;
  readonly height: number;
}

/** From 0 on the left to {@linkcode plotWidth}; the middle if the plot spans a single moment. */
export function xOf({ fromMs, toMs }: Plane, atMs: number): number {
  const share = toMs > fromMs ? (atMs - fromMs) / (toMs - fromMs) : 0.5;
  return tenths(share * plotWidth);
}

/** The same in percent of the width, for texts, which do not stretch with the plot. */
export function percentOf(plane: Plane, atMs: number): number {
  return xOf(plane, atMs) / (plotWidth / 100);
}

/** From 0 at the top to the height of the plot. */
export function yOf({ from, to, height }: Plane, value: number): number {
  // Halved first, as the difference of the ends may overflow.
  const share = to > from ? (value / 2 - from / 2) / (to / 2 - from / 2) : 0.5;
  return tenths(height - Math.min(1, Math.max(0, share)) * height);
}

/**
 * The line through the points, broken at gaps, and a dot for each isolated point. Points within a
 * level stretch are left out, as the line is the same without them.
 */
export function linePaths(points: readonly Point[], plane: Plane, name: string): Html {
  const [lines, dots]: [string[], string[]] = [[], []];
  for (const [index, point] of points.entries()) {
    const y = yOf(plane, point.value);
    const at = `${xOf(plane, point.atMs)} ${y}`;
    const next = points[index + 1];
    const isLast = next?.isAfterGap ?? true;
    const isLevel = !point.isAfterGap && !isLast && next !== undefined &&
      yOf(plane, next.value) === y && yOf(plane, points[index - 1]?.value ?? NaN) === y;
    if (isLevel) continue;
    if (point.isAfterGap && isLast) dots.push(`M${at}h0`);
    else lines.push(`${point.isAfterGap ? 'M' : 'L'}${at}`);
  }
  return html`${path(name, lines.join(''))}${path(`${name} dots`, dots.join(''))}`;
}

/** A path from this program's own numbers; empty for empty data. */
export function path(name: string, data: string): Html {
  if (data === '') return html``;
  return html`<path class="${trusted(name)}" d="${trusted(data)}"></path>`;
}

/** To one decimal, which is finer than a screen shows. */
export function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
