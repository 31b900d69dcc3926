import { medianOf } from '../lib/sorted-quantile.ts';

/** No rate is computed across a gap of more steps than this. */
const gapStepsMax = 2.5;

/** A fall to more than this share of the value before is no reset to zero, so it is no counter. */
const restartShareMax = 0.5;

/**
 * Per-second rate of a counter sampled at even steps. NaN at the first point, after a gap longer
 * than 2.5 steps, and at the first point after a reset, as that step was only partly counted. When
 * it resets in consecutive steps, the count since the reset stands for the whole step.
 */
export function counterRate(values: Float64Array, stepSeconds: number): Float64Array {
  return increases(values).map((gain) => gain / stepSeconds);
}

/** A counter's increase per step, averaged over steps with missing points. */
function increases(values: Float64Array): Float64Array {
  const out = new Float64Array(values.length).fill(Number.NaN);
  let last = -1;
  let wasReset = false;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? Number.NaN;
    if (!Number.isFinite(value)) continue;
    const steps = index - last;
    const previous = values[last] ?? Number.NaN;
    const isReset = last >= 0 && value < previous;
    if (last >= 0 && steps <= gapStepsMax) {
      if (!isReset) out[index] = (value - previous) / steps;
      else if (wasReset) out[index] = value / steps;
    }
    wasReset = isReset;
    last = index;
  }
  return out;
}

/**
 * Whether values can be a counter's: never negative, and falling to no more than half, as after a
 * restart, unless points are missing, where it may have counted up again. For metrics that are
 * counters by their name alone.
 */
export function resemblesCounter(values: Float64Array): boolean {
  let previous = Number.NaN;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? Number.NaN;
    if (!Number.isFinite(value)) {
      previous = Number.NaN;
      continue;
    }
    if (value < 0 || (value < previous && value > restartShareMax * previous)) return false;
    previous = value;
  }
  return true;
}

/**
 * Mean observation of a histogram or summary in each step, in its own unit: the increase of its sum
 * divided by that of its count. NaN where nothing was observed.
 */
export function meanOfObserved(sum: Float64Array, count: Float64Array): Float64Array {
  const observed = increases(count);
  return increases(sum).map((gain, index) => {
    const observations = observed[index] ?? Number.NaN;
    return observations > 0 ? gain / observations : Number.NaN;
  });
}

/** One bucket of a classic histogram: cumulative counts of observations up to `upperBound`. */
interface Bucket {
  readonly upperBound: number;
  readonly values: Float64Array;
}

/**
 * Quantile `share` (above 0, to 1) of a classic histogram's observations in each step, interpolated
 * like Prometheus' histogram_quantile: the highest finite bound when it lies in the `+Inf` bucket,
 * NaN when nothing was observed or that bucket is missing.
 */
export function bucketQuantile(buckets: readonly Bucket[], share: number): Float64Array {
  const sorted = buckets.toSorted((a, b) => a.upperBound - b.upperBound);
  const bounds = sorted.map(({ upperBound }) => upperBound);
  const gained = sorted.map(({ values }) => increases(values));
  const total = gained.at(-1);
  const out = new Float64Array(total?.length ?? 0).fill(Number.NaN);
  if (total === undefined || bounds.at(-1) !== Infinity) return out;
  for (let index = 0; index < out.length; index += 1) {
    const observed = total[index] ?? Number.NaN;
    if (observed > 0) out[index] = quantileAt(gained, bounds, { index, rank: share * observed });
  }
  return out;
}

function quantileAt(
  gained: readonly Float64Array[],
  bounds: readonly number[],
  { index, rank }: { readonly index: number; readonly rank: number },
): number {
  let below = 0;
  for (const [place, bucket] of gained.entries()) {
    // Buckets are not read atomically, so their increases need not be cumulative: make them so.
    const counted = Math.max(below, bucket[index] ?? Number.NaN);
    if (Number.isNaN(counted)) return Number.NaN;
    const upper = bounds[place] ?? Infinity;
    if (counted >= rank) {
      if (upper === Infinity) break;
      const lower = place === 0 ? Math.min(0, upper) : (bounds[place - 1] ?? 0);
      return lower + ((upper - lower) * (rank - below)) / (counted - below);
    }
    below = counted;
  }
  return bounds.at(-2) ?? Number.NaN;
}

/** With fewer observations per step, their mean and quantiles are those of single requests. */
const busyObservationsMin = 5;

/** Weight of means and quantiles in the ranking: one half below a median of 5 per step. */
export function trafficWeight(count: Float64Array): number {
  const median = medianOf(increases(count).filter(Number.isFinite));
  return median >= busyObservationsMin ? 1 : 0.5;
}
