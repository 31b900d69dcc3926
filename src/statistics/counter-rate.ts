/** Over a gap of more steps than this nothing is known, so there is no rate. */
const gapStepsMax = 2.5;

/** What falls to more than this share did not begin again at zero, so it is no counter. */
const restartShareMax = 0.5;

/**
 * Per-second rate of a counter sampled at even steps. NaN at the first point, after a gap longer
 * than 2.5 steps, and at the first point after a reset, whose step is only partly counted. Only
 * where it resets in every step, what was counted since the reset stands for the whole step.
 */
export function counterRate(values: Float64Array, stepSeconds: number): Float64Array {
  return increases(values).map((gain) => gain / stepSeconds);
}

/** What a counter gained per step, averaged over the steps where points are missing. */
function increases(values: Float64Array): Float64Array {
  const out = new Float64Array(values.length).fill(Number.NaN);
  let last = -1;
  let wasReset = false;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? Number.NaN;
    if (value - value !== 0) continue;
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

/** Where a counter began again, as after a restart of what counts. */
export function resetIndexes(values: Float64Array): number[] {
  const found: number[] = [];
  let previous = Number.NaN;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? Number.NaN;
    if (value - value !== 0) continue;
    if (value < previous) found.push(index);
    previous = value;
  }
  return found;
}

/**
 * Whether values can be a counter's: never negative, and falling only to less than half, as after a
 * restart. For names that end like a counter's without anybody having said that they are.
 */
export function looksLikeCounter(values: Float64Array): boolean {
  let previous = Number.NaN;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? Number.NaN;
    if (value - value !== 0) continue;
    if (value < 0 || (value < previous && value > restartShareMax * previous)) return false;
    previous = value;
  }
  return true;
}

/**
 * Mean of what a histogram or summary observed in each step, in its own unit: the gain of its sum
 * over that of its count. NaN where nothing was observed.
 */
export function meanOfObserved(sum: Float64Array, count: Float64Array): Float64Array {
  const observed = increases(count);
  return increases(sum).map((gain, index) => {
    const times = observed[index] ?? Number.NaN;
    return times > 0 ? gain / times : Number.NaN;
  });
}

/** One bucket of a classic histogram: how many were at most `upperBound`, counted up. */
export interface Bucket {
  readonly upperBound: number;
  readonly values: Float64Array;
}

/**
 * Quantile `share` of what a classic histogram observed in each step, interpolated within its
 * bucket as Prometheus' histogram_quantile does: the highest finite bound where it lies above that,
 * NaN where nothing was observed or the bucket without a bound is missing.
 */
export function bucketQuantile(buckets: readonly Bucket[], share: number): Float64Array {
  const sorted = buckets.toSorted((a, b) => a.upperBound - b.upperBound);
  const bounds = sorted.map(({ upperBound }) => upperBound);
  const gained = sorted.map(({ values }) => increases(values));
  const total = gained.at(-1);
  const out = new Float64Array(total?.length ?? 0).fill(Number.NaN);
  if (total === undefined || bounds.at(-1) !== Infinity || bounds.length < 2) return out;
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
    // Scraped one after another, buckets need not agree; the counts are made to rise.
    const counted = Math.max(below, bucket[index] ?? Number.NaN);
    if (Number.isNaN(counted)) return Number.NaN;
    const upper = bounds[place] ?? Infinity;
    if (counted >= rank && counted > 0) {
      const highest = bounds.at(-2) ?? Number.NaN;
      if (upper === Infinity) return highest;
      const lower = place === 0 ? Math.min(0, upper) : (bounds[place - 1] ?? 0);
      if (place === 0 && upper <= 0) return upper;
      return lower + ((upper - lower) * (rank - below)) / (counted - below);
    }
    below = counted;
  }
  return bounds.at(-2) ?? Number.NaN;
}

/** Observations per step below which a quantile of them is one slow request. */
const busyObservationsMin = 5;

/** Weight of a quantile by how many observations a step has: one half below five, as a median. */
export function trafficWeight(count: Float64Array): number {
  const known = increases(count).filter((gain) => !Number.isNaN(gain)).sort();
  const median = known[Math.floor((known.length - 1) / 2)] ?? 0;
  return median < busyObservationsMin ? 0.5 : 1;
}
