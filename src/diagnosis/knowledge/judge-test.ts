import type { Bounds } from './family.ts';

/**
 * What the samples of a test's answer say about its cause, by the bounds of the test; `undecided`
 * when they lie between the bounds, or when none is finite.
 */
export function judgeTest(
  bounds: Bounds,
  samples: readonly number[],
): 'supported' | 'ruled_out' | 'undecided' {
  const finite = samples.filter(Number.isFinite);
  if (finite.length === 0) return 'undecided';
  const decisive = 'atLeast' in bounds ? Math.max(...finite) : Math.min(...finite);
  if (supports(bounds, decisive)) return 'supported';
  return rulesOut(bounds, decisive) ? 'ruled_out' : 'undecided';
}

/** Whether one sample supports the cause. */
export function supports(bounds: Bounds, sample: number): boolean {
  if ('atLeast' in bounds) return sample >= bounds.atLeast;
  return bounds.atMost !== undefined && sample <= bounds.atMost;
}

function rulesOut(bounds: Bounds, sample: number): boolean {
  if ('atLeast' in bounds) return bounds.notUpTo !== undefined && sample <= bounds.notUpTo;
  return bounds.notFrom !== undefined && sample >= bounds.notFrom;
}
