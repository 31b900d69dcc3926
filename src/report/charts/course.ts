/** Values at even steps, as evidence holds them; null where there is no sample. */
export interface Stretch {
  readonly startMs: number;
  readonly stepMs: number;
  readonly values: readonly (number | null)[];
}

/** One sample that can be drawn. */
export interface Point {
  readonly atMs: number;
  readonly value: number;
  /** Whether samples are missing before it, so that no line leads to it. */
  readonly isAfterGap: boolean;
}

/** Samples further apart than this many steps are not joined. */
const gapSteps = 1.5;

/** Larger values would overflow when subtracted; smaller ones are drawn as 0. */
const sizeMax = 1e300;
const sizeMin = 1e-280;

/**
 * The samples of stretches that follow each other, earliest first. Where two stretches overlap,
 * those of the first count. What is no finite number, or too large to draw, is a gap.
 */
export function pointsOf(stretches: readonly Stretch[]): Point[] {
  const points: Point[] = [];
  let last = { atMs: -Infinity, stepMs: 0 };
  for (const { startMs, stepMs, values } of stretches) {
    for (const [index, value] of values.entries()) {
      const atMs = startMs + index * stepMs;
      if (value === null || !isDrawable(value) || atMs <= last.atMs) continue;
      const isAfterGap = atMs - last.atMs > gapSteps * Math.max(stepMs, last.stepMs);
      points.push({ atMs, value: Math.abs(value) < sizeMin ? 0 : value, isAfterGap });
      last = { atMs, stepMs };
    }
  }
  return points;
}

function isDrawable(value: number): boolean {
  return Number.isFinite(value) && Math.abs(value) <= sizeMax;
}

/** The points of a span of time, both ends included; the first of them follows a gap. */
export function pointsWithin(
  points: readonly Point[],
  fromMs: number,
  toMs: number,
): Point[] {
  return points.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
    .map((point, index) => (index === 0 ? { ...point, isAfterGap: true } : point));
}

/**
 * At most `max` of the points: the lowest and the highest of each equal share of the time, so that
 * no peak is lost. What was a gap is one still.
 */
export function thinned(points: readonly Point[], max: number): readonly Point[] {
  const [first, last] = [points[0], points.at(-1)];
  if (points.length <= max || first === undefined || last === undefined) return points;
  const shares = Math.max(1, Math.floor(max / 2));
  const widthMs = (last.atMs - first.atMs + 1) / shares;
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

/** The first of the lowest and the first of the highest points of each share. */
function extremesOf(
  points: readonly Point[],
  shareOf: (point: Point) => number,
): ReadonlySet<Point> {
  const [lowest, highest] = [new Map<number, Point>(), new Map<number, Point>()];
  for (const point of points) {
    const share = shareOf(point);
    const [low, high] = [lowest.get(share), highest.get(share)];
    if (low === undefined || point.value < low.value) lowest.set(share, point);
    if (high === undefined || point.value > high.value) highest.set(share, point);
  }
  return new Set([...lowest.values(), ...highest.values()]);
}

/** The middle value, or the mean of the two in the middle; null without any value. */
export function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return low === undefined || high === undefined ? null : low + (high - low) / 2;
}
