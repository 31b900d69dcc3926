/**
 * The plain method that the service's ranking grew from, for comparison: a guarded robust z, its
 * agreement with the alert's own series, and a discount for victims. It is a copy, so that
 * neither its results nor its cost change with the service.
 */
import { sortedQuantile } from '../../src/lib/sorted-quantile.ts';
import type { ChangeCandidate } from '../../src/statistics/change-candidate.ts';

interface Incident {
  readonly candidates: readonly ChangeCandidate[];
  readonly split: number;
  readonly own: ChangeCandidate | null;
}

interface Scored {
  readonly candidate: ChangeCandidate;
  readonly score: number;
}

const disagreeing = 0.4;
const victimShare = 0.5;
/** A component of which nothing inside reaches this |z| is a victim. */
const insideMin = 6;

/** The score of each series but the alert's own; a component's is its best. */
export function referenceScores({ candidates, split, own }: Incident): Scored[] {
  const measured = candidates.flatMap((candidate) => {
    const size = candidate.id === own?.id ? null : guardedZ(candidate.values, split);
    return size === null ? [] : [{ candidate, size }];
  });
  const inside = new Map<string, number>();
  for (const { candidate: { component, side }, size } of measured) {
    if (side === 'internal') inside.set(component, Math.max(size, inside.get(component) ?? 0));
  }
  return measured.map(({ candidate, size }) => {
    const { side, component, values } = candidate;
    const agreeing = own === null ? 1 : correlation(values, own.values, split);
    const isVictim = side === 'external' && (inside.get(component) ?? Infinity) < insideMin;
    const score = Math.log1p(size) * (disagreeing + (1 - disagreeing) * agreeing) *
      (isVictim ? victimShare : 1);
    return { candidate, score };
  });
}

/** |z| of the values from `split` on; null with fewer than five values before it. */
function guardedZ(values: Float64Array, split: number): number | null {
  const before = finite(values, 0, split);
  const after = finite(values, split, values.length).sort();
  if (before.length < 5 || after.length === 0) return null;
  const deviation = standardDeviation(before, Math.max(5, Math.ceil(before.length / 2)));
  before.sort();
  const median = sortedQuantile(before, 0.5);
  const deviations = new Float64Array(before.length);
  for (let index = 0; index < before.length; index += 1) {
    deviations[index] = Math.abs((before[index] ?? 0) - median);
  }
  deviations.sort();
  const magnitude = Math.max(
    Math.abs(median), Math.abs(sortedQuantile(before, 0.05)),
    Math.abs(sortedQuantile(before, 0.95)),
  );
  const scale = Math.max(
    (sortedQuantile(before, 0.75) - sortedQuantile(before, 0.25)) / 1.349,
    1.4826 * sortedQuantile(deviations, 0.5), deviation, 0.01 * magnitude,
  );
  if (scale === 0) {
    const differing = after.filter((value) => value !== median).length;
    return 10 * Math.min(1, 2 * differing / after.length);
  }
  return Math.max(
    Math.abs(sortedQuantile(after, 0.75) - median), Math.abs(sortedQuantile(after, 0.25) - median),
  ) / scale;
}

function finite(values: Float64Array, from: number, to: number): Float64Array {
  const found = new Float64Array(to - from);
  let count = 0;
  for (let index = from; index < to; index += 1) {
    const value = values[index] ?? Number.NaN;
    if (!Number.isFinite(value)) continue;
    found[count] = value;
    count += 1;
  }
  return found.subarray(0, count);
}

function standardDeviation(values: Float64Array, count: number): number {
  let [sum, squares] = [0, 0];
  for (let index = 0; index < count; index += 1) sum += values[index] ?? 0;
  for (let index = 0; index < count; index += 1) {
    squares += ((values[index] ?? 0) - sum / count) ** 2;
  }
  return Math.sqrt(squares / count);
}

/** |Pearson| from 30 points before the split on; 0 where too little is known. */
function correlation(x: Float64Array, y: Float64Array, split: number): number {
  let [count, sumX, sumY, sumXX, sumYY, sumXY] = [0, 0, 0, 0, 0, 0];
  let [x0, y0] = [Number.NaN, Number.NaN];
  for (let index = Math.max(0, split - 30); index < x.length; index += 1) {
    const rawX = x[index] ?? Number.NaN;
    const rawY = y[index] ?? Number.NaN;
    if (!Number.isFinite(rawX) || !Number.isFinite(rawY)) continue;
    if (count === 0) {
      x0 = rawX;
      y0 = rawY;
    }
    count += 1;
    sumX += rawX - x0;
    sumY += rawY - y0;
    sumXX += (rawX - x0) ** 2;
    sumYY += (rawY - y0) ** 2;
    sumXY += (rawX - x0) * (rawY - y0);
  }
  if (count < 4) return 0;
  const varianceX = sumXX - sumX ** 2 / count;
  const varianceY = sumYY - sumY ** 2 / count;
  if (!(varianceX > 1e-12 * sumXX && varianceY > 1e-12 * sumYY)) return 0;
  return Math.min(1, Math.abs((sumXY - sumX * sumY / count) / Math.sqrt(varianceX * varianceY)));
}
