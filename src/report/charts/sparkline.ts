import { html, type Html } from '../html.ts';
import { drawnFrom } from './drawn-from.ts';
import { pointsWithin, thinned } from './line.ts';
import { linePaths, path, plotWidth, xOf, yOf, type Plane } from './plot.ts';
import type { SeriesRead } from './read-series.ts';
import { seriesDescription } from './series-words.ts';

const height = 40;
/** Room above and below, so that a line at the edge is not clipped. */
const margin = 3;
const pointsMax = 60;
/** Least spread of the axis as a share of the level, so that noise does not look dramatic. */
const spreadShareMin = 0.3;
/** A threshold further from the values than this many times their range is left out. */
const spreadsMax = 2;

/**
 * A series as a line two lines of text high, without axes: with the threshold and the moment it
 * began to move, or else the first that counts as after. Empty without at least two points.
 */
export function sparkline(series: SeriesRead | undefined): Html {
  if (series === undefined) return html``;
  const { splitMs, onsetMs, threshold } = series;
  const movedMs = onsetMs ?? splitMs;
  const points = pointsWithin(series.points, drawnFrom(series, movedMs), series.toMs);
  const [first, last] = [points[0], points.at(-1)];
  if (points.length < 2 || first === undefined || last === undefined) return html``;
  const values = points.map(({ value }) => value);
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const reach = Math.min(Number.MAX_VALUE, spreadsMax * (highest - lowest));
  const isNear = threshold !== null && threshold <= highest + reach && threshold >= lowest - reach;
  const ends = isNear ? [Math.min(lowest, threshold), Math.max(highest, threshold)] as const
    : calmEnds(lowest, highest);
  const plane: Plane = {
    fromMs: first.atMs, toMs: last.atMs, from: ends[0], to: ends[1], height: height - 2 * margin,
  };
  const hasMoved = movedMs !== null && movedMs > first.atMs && movedMs < last.atMs;
  // The HTML parser restores the capitals in viewBox and preserveAspectRatio.
  return html`<svg class="spark" role="img" viewbox="0 ${-margin} ${plotWidth} ${
    height}" preserveaspectratio="none"><title>${
    seriesDescription(points, series)}</title>${
    hasMoved && path('moved', `M${xOf(plane, movedMs)} ${-margin}v${height}`)}${
    isNear && path('limit', `M0 ${yOf(plane, threshold)}H${plotWidth}`)}${
    linePaths(thinned(points, pointsMax), plane, 'course')}</svg>`;
}

function calmEnds(lowest: number, highest: number): readonly [number, number] {
  const level = Math.max(Math.abs(lowest), Math.abs(highest));
  const half = Math.max(highest / 2 - lowest / 2, level * (spreadShareMin / 2));
  const middle = highest / 2 + lowest / 2;
  return [middle - half, middle + half];
}
