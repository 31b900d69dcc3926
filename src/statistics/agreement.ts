/** Points before the split that count: enough to see two move together, not their whole past. */
const tailPoints = 30;
const pairsMin = 4;
/** A variance below this share of its sum of squares is a rounding error: the values are equal. */
const varianceFloor = 1e-12;

/**
 * How closely a series moves with the alert's own, 0 to 1: the size of Pearson's correlation over
 * the last 30 points before the split and all after it, of the points both have. 0 with fewer than
 * four of them and for a series that does not move.
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
    if (rawX - rawX !== 0 || rawY - rawY !== 0) continue;
    // Values are taken from the first one on: sums of large ones would lose their last digits.
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
