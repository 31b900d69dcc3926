import { newActivityZ } from './robust-change.ts';

/**
 * The z of a series of zeros and ones with values on both sides of the split. A flip between them
 * has no size: what counts is the share of time that it holds, the less the more often it flipped
 * before. Null for a series with any other value.
 */
export function zOfState(values: Float64Array, split: number): number | null {
  const before = values.subarray(0, split).filter(Number.isFinite);
  const after = values.subarray(split).filter(Number.isFinite);
  if (![...before, ...after].every((value) => value === 0 || value === 1)) return null;
  const wasOne = 2 * before.filter((value) => value === 1).length >= before.length;
  const differing = after.filter((value) => (value === 1) !== wasOne).length / after.length;
  const flips = before.filter((value, at) => at > 0 && value !== before[at - 1]).length;
  const size = newActivityZ * Math.min(1, 2 * differing) / (1 + flips);
  return wasOne ? -size : size;
}
