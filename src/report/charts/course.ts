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

/** Beyond these a difference of two values overflows, or a step between them is lost. */
const sizeMax = 1e300;
const sizeMin = 1e-280;

/**
 * The samples of stretches that follow each other, earliest first. Where two stretches overlap,
 * the first has its way. What is no finite number is a gap.
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
  const buckets = Math.max(1, Math.floor(max / 2));
  const widthMs = (last.atMs - first.atMs + 1) / buckets;
  const kept: Point[] = [];
  let isAfterGap = false;
  for (const { low, high, at } of extremesOf(points, (atMs) => (atMs - first.atMs) / widthMs)) {
    for (const [index, point] of points.slice(at.from, at.to).entries()) {
      isAfterGap ||= point.isAfterGap;
      if (at.from + index !== low && at.from + index !== high) continue;
      kept.push({ ...point, isAfterGap });
      isAfterGap = false;
    }
  }
  return kept;
}

interface Share {
  readonly at: { readonly from: number; to: number };
  low: number;
  high: number;
}

function extremesOf(points: readonly Point[], shareAt: (atMs: number) => number): Share[] {
  const shares: Share[] = [];
  let current = -1;
  for (const [index, { atMs, value }] of points.entries()) {
    const number = Math.floor(shareAt(atMs));
    const share = shares.at(-1);
    if (number !== current || share === undefined) {
      shares.push({ at: { from: index, to: index + 1 }, low: index, high: index });
      current = number;
      continue;
    }
    share.at.to = index + 1;
    if (value < (points[share.low]?.value ?? value)) share.low = index;
    if (value > (points[share.high]?.value ?? value)) share.high = index;
  }
  return shares;
}

/** The middle value, or the mean of the two in the middle; null without any value. */
export function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return low === undefined || high === undefined ? null : low + (high - low) / 2;
}
