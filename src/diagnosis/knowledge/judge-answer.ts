import type { Bounds } from './family.ts';

/**
 * What the samples of a test's answer say about its cause, by the bounds of the test; `undecided`
 * when they lie between the bounds, or when none is finite.
 */
export function judgeAnswer(
  { supports = -Infinity, refutes = -Infinity }: Bounds,
  samples: readonly number[],
): 'supported' | 'ruled_out' | 'undecided' {
  const finite = samples.filter(Number.isFinite);
  if (finite.length === 0) return 'undecided';
  if (supports < refutes) {
    const lowest = Math.min(...finite);
    return lowest <= supports ? 'supported' : lowest >= refutes ? 'ruled_out' : 'undecided';
  }
  const highest = Math.max(...finite);
  return highest >= supports ? 'supported' : highest <= refutes ? 'ruled_out' : 'undecided';
}
