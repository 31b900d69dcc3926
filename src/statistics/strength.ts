/** Below this |z| a change is not worth mentioning; from `strongZ` on it is beyond doubt. */
export const notableZ = 4;
export const strongZ = 8;

export type Strength = 'weak' | 'notable' | 'strong';

/**
 * The size of a deviation in words. At most one quiet series in a hundred is called notable: by
 * this alone for steady series, and after the check against earlier days for bursty ones.
 */
export function strengthOf(z: number): Strength {
  const size = Math.abs(z);
  return size >= strongZ ? 'strong' : size >= notableZ ? 'notable' : 'weak';
}

/** Upper bound for the share of quiet series that reach `notableZ` by chance, as measured. */
export const quietNotableShare = 0.01;
