/** Points before the split that are compared: enough to see both move, not their whole past. */
const tailPoints = 30;
const pairsMin = 4;
/** A variance below this share of the sum of squares is rounding error: the values are equal. */
const varianceFloor = 1e-12;

/**
 * Whether the alert's own series can agree with anything: it has values on both sides of the split
 * and they differ. One that exists only while the alert holds, as `count(up == 0)`, cannot.
 */
export function canAgree(own: Float64Array, split: number): boolean {
  const from = Math.max(0, split - tailPoints);
  const before = own.subarray(from, split).filter(Number.isFinite);
  const after = own.subarray(split).filter(Number.isFinite);
  const [first] = before;
  if (first === undefined || before.length + after.length < pairsMin) return false;
  return after.length > 0 && [...before, ...after].some((value) => value !== first);
}

/**
 * How closely a series moves with the alert's own, 0 to 1: the absolute Pearson correlation of the
 * points that both have, from 30 points before the split to the end. 0 with fewer than four common
 * points, and where either series is constant.
 */
export function agreement(series: Float64Array, own: Float64Array, split: number): number {
  const end = Math.min(series.length, own.length);
  let count = 0;
  let x0 = 0;
  let y0 = 0;
  let sumX = 0;
  let sumY = 0;
  let sumXX = 0;
  let sumYY = 0;
  let sumXY = 0;
  for (let index = Math.max(0, split - tailPoints); index < end; index += 1) {
    const rawX = series[index] ?? Number.NaN;
    const rawY = own[index] ?? Number.NaN;
    if (!Number.isFinite(rawX) || !Number.isFinite(rawY)) continue;
    // Sums are of offsets from the first value: those of large values would lose precision.
    if (count === 0) [x0, y0] = [rawX, rawY];
    const x = rawX - x0;
    const y = rawY - y0;
    count += 1;
    sumX += x;
    sumY += y;
    sumXX += x * x;
    sumYY += y * y;
    sumXY += x * y;
  }
  if (count < pairsMin) return 0;
  const varianceX = sumXX - (sumX * sumX) / count;
  const varianceY = sumYY - (sumY * sumY) / count;
  if (!(varianceX > varianceFloor * sumXX && varianceY > varianceFloor * sumYY)) return 0;
  const covariance = sumXY - (sumX * sumY) / count;
  const size = Math.abs(covariance / Math.sqrt(varianceX) / Math.sqrt(varianceY));
  return Number.isFinite(size) ? Math.min(1, size) : 0;
}
