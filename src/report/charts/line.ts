/** Evenly spaced values as evidence holds them; null where there is no sample. */
export interface Stretch {
  readonly startMs: number;
  readonly stepMs: number;
  readonly values: readonly (number | null)[];
}

/** One sample that can be drawn. */
export interface Point {
  readonly atMs: number;
  readonly value: number;
  /** Whether samples are missing before it, so that no line is drawn to it. */
  readonly isAfterGap: boolean;
}

/** A line with a name. */
export interface NamedLine {
  readonly name: string;
  readonly points: readonly Point[];
}

/** Samples further apart than this many steps are not connected. */
const gapSteps = 1.5;

/** Larger values would overflow when subtracted; smaller ones are drawn as 0. */
const sizeMax = 1e300;
const sizeMin = 1e-280;

/**
 * The samples of consecutive stretches, earliest first; where stretches overlap, the earlier one
 * counts. Values that are not finite or too large to draw become gaps.
 */
export function pointsOf(stretches: readonly Stretch[]): Point[] {
  const points: Point[] = [];
  let last = { atMs: -Infinity, stepMs: 0 };
  for (const { startMs, stepMs, values } of stretches) {
    for (const [index, value] of values.entries()) {
      const atMs = startMs + index * stepMs;
      const isDrawable = value !== null && Math.abs(value) <= sizeMax;
      if (!isDrawable || atMs <= last.atMs) continue;
      const isAfterGap = atMs - last.atMs > gapSteps * Math.max(stepMs, last.stepMs);
      points.push({ atMs, value: Math.abs(value) < sizeMin ? 0 : value, isAfterGap });
      last = { atMs, stepMs };
    }
  }
  return points;
}

/** A level line over a time span; empty for a value that is too large to draw. */
export function levelAt(value: number, fromMs: number, toMs: number): Point[] {
  return pointsOf([{ startMs: fromMs, stepMs: toMs - fromMs, values: [value, value] }]);
}

/** The points within a time span, both ends included; the first counts as after a gap. */
export function pointsWithin(points: readonly Point[], fromMs: number, toMs: number): Point[] {
  return points.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
    .map((point, index) => (index === 0 ? { ...point, isAfterGap: true } : point));
}

/**
 * At most `max` of the points: the lowest and highest in each of equal time slices, so that no peak
 * is lost. Gaps are preserved.
 */
export function thinned(points: readonly Point[], max: number): readonly Point[] {
  const [first, last] = [points[0], points.at(-1)];
  if (points.length <= max || first === undefined || last === undefined) return points;
  const slices = Math.max(1, Math.floor(max / 2));
  const widthMs = (last.atMs - first.atMs + 1) / slices;
  const kept: Point[] = [];
  let isAfterGap = false;
  const extremes = extremesOf(points, ({ atMs }) => Math.floor((atMs - first.atMs) / widthMs));
  for (const point of points) {
    isAfterGap ||= point.isAfterGap;
    if (!extremes.has(point)) continue;
    kept.push({ ...point, isAfterGap });
    isAfterGap = false;
  }
  return kept;
}

/** The first lowest and the first highest point of each slice. */
function extremesOf(
  points: readonly Point[],
  sliceOf: (point: Point) => number,
): ReadonlySet<Point> {
  const [lowest, highest] = [new Map<number, Point>(), new Map<number, Point>()];
  for (const point of points) {
    const slice = sliceOf(point);
    const [low, high] = [lowest.get(slice), highest.get(slice)];
    if (low === undefined || point.value < low.value) lowest.set(slice, point);
    if (high === undefined || point.value > high.value) highest.set(slice, point);
  }
  return new Set([...lowest.values(), ...highest.values()]);
}
