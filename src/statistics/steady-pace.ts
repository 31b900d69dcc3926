import { medianDeviation, medianOf, sigmaPerMad, sortedQuantile } from '../lib/sorted-quantile.ts';
import { minuteMs } from '../lib/time-units.ts';

/** The stretches that may show a steady pace, the longest first. */
const stretchesMs = [60 * minuteMs, 30 * minuteMs, 15 * minuteMs] as const;
/** A stretch needs this many points, and points over this share of it. */
const pointsMin = 8;
const coveredMin = 0.8;
/** The scatter around the line is at most this share of the whole movement. */
const scatterShareMax = 0.1;
/** The newest points are this close to the line, in scatters or as a share of the movement. */
const newestPoints = 3;
const newestScatters = 3;
const newestShareMax = 0.03;
/** The pace of each half is within this factor of the whole stretch's pace. */
const paceFactorMax = 2;
/** A pace is extrapolated for at most this many times the stretch that showed it. */
const horizonStretches = 12;
/** A value turned back if it lost this share of the stretch's movement again. */
const turnShare = 0.5;
/** It had got to the level if it was this close, as a share of what it then lost. */
const arrivedShare = 0.1;

export interface PacePoint {
  readonly atMs: number;
  readonly value: number;
}

/** When a value gets to a level. */
export interface Arrival {
  /** When the value gets to the level, in the time of the points. */
  readonly atMs: number;
  /** Length of the stretch that showed the pace. */
  readonly stretchMs: number;
}

/**
 * When a value that has been moving at a steady pace gets to `level`, counted on from the last
 * point; null when its pace is not steady, when it moves away, when it came as close before and
 * turned back repeatedly, and when it would take longer than 12 times the stretch seen. The pace is
 * the Theil–Sen slope, the median of all pairs of points. `points` are finite and in order of time.
 */
export function arrivalAt(points: readonly PacePoint[], level: number): Arrival | null {
  const last = points.at(-1);
  if (last === undefined) return null;
  for (const stretchMs of stretchesMs) {
    const stretch = points.filter(({ atMs }) => atMs >= last.atMs - stretchMs);
    const line = steadyLine(stretch, stretchMs);
    if (line === null) continue;
    const aheadMs = (level - line.end) / line.pace;
    if (aheadMs > 0 && aheadMs <= horizonStretches * stretchMs) {
      const movement = Math.abs(line.pace) * stretchMs;
      const lefts = points.map(({ value }) => (level - value) * Math.sign(line.pace));
      if (turnedBack(lefts, { now: Math.abs(level - line.end), movement })) return null;
      return { atMs: last.atMs + aheadMs, stretchMs };
    }
  }
  return null;
}

/**
 * Whether a value came as close to its level before and turned back on the way more than once, as
 * memory does that is freed again and again, but no disk that was cleaned. `lefts` is what was left
 * to go at each point, `now` what is.
 */
function turnedBack(
  lefts: readonly number[],
  { now, movement }: { readonly now: number; readonly movement: number },
): boolean {
  let [least, turns, isTurning] = [Infinity, 0, false];
  // Medians of three, so that a single point far off is no turn.
  for (let index = 2; index < lefts.length; index += 1) {
    const left = medianOf(lefts.slice(index - 2, index + 1));
    // A turn ends where more is left than now.
    if (isTurning && left <= now) continue;
    least = isTurning ? left : Math.min(least, left);
    const lost = left - least;
    isTurning = least <= now && lost >= turnShare * movement;
    if (isTurning && least > arrivedShare * lost) turns += 1;
  }
  return turns > 1;
}

interface Line {
  /** Change per millisecond. */
  readonly pace: number;
  /** The line's value at the last point. */
  readonly end: number;
}

/** The line through a stretch; null when its points do not keep to one. */
function steadyLine(points: readonly PacePoint[], stretchMs: number): Line | null {
  const [first, last] = [points[0], points.at(-1)];
  if (points.length < pointsMin || first === undefined || last === undefined) return null;
  const spanMs = last.atMs - first.atMs;
  if (spanMs < coveredMin * stretchMs) return null;
  const pace = slopeOf(points);
  const half = Math.floor(points.length / 2);
  const paces = [slopeOf(points.slice(0, half)), slopeOf(points.slice(-half))];
  const isSteady = paces.every((each) => {
    const factor = each / pace;
    return factor >= 1 / paceFactorMax && factor <= paceFactorMax;
  });
  if (!isSteady) return null;
  const offsets = points.map(({ atMs, value }) => value - pace * (atMs - last.atMs));
  const sorted = Float64Array.from(offsets).sort();
  const end = sortedQuantile(sorted, 0.5);
  const scatter = sigmaPerMad * medianDeviation(sorted, end);
  const movement = Math.abs(pace) * spanMs;
  const newest = Math.abs(medianOf(offsets.slice(-newestPoints)) - end);
  const isOnLine = scatter <= scatterShareMax * movement &&
    newest <= Math.max(newestScatters * scatter, newestShareMax * movement);
  return isOnLine ? { pace, end } : null;
}

function slopeOf(points: readonly PacePoint[]): number {
  const slopes = points.flatMap((one, index) =>
    points.slice(index + 1).map((other) => (other.value - one.value) / (other.atMs - one.atMs)));
  return medianOf(slopes);
}
