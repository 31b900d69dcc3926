import type { Bounds } from './family.ts';

/**
 * What the samples of a test's answer say about its cause, by the bounds of the test; `undecided`
 * when they lie between the bounds, or when none is finite.
 */
export function judgeAnswer(
  { supports, refutes }: Bounds,
  samples: readonly number[],
): 'supported' | 'ruled_out' | 'undecided' {
  const finite = samples.filter((sample) => Number.isFinite(sample));
  if (finite.length === 0) return 'undecided';
  const isLowBad = supports !== null && refutes !== null && supports < refutes;
  const decisive = finite.reduce((a, b) => (isLowBad ? Math.min(a, b) : Math.max(a, b)));
  if (isLowBad) return decisive <= supports ? 'supported' : above(decisive, refutes);
  if (supports !== null && decisive >= supports) return 'supported';
  if (refutes === null) return 'undecided';
  // With only an upper bound against it, a high sample rules the cause out.
  if (supports === null) return above(decisive, refutes);
  return decisive <= refutes ? 'ruled_out' : 'undecided';
}

function above(value: number, bound: number): 'ruled_out' | 'undecided' {
  return value >= bound ? 'ruled_out' : 'undecided';
}
