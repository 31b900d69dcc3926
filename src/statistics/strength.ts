/** Below this |z| a change is not worth a word; from `strongZ` on it is beyond doubt. */
export const notableZ = 4;
export const strongZ = 8;

export type Strength = 'weak' | 'notable' | 'strong';

/**
 * In words how large a deviation is. At most one quiet series in a hundred is called notable: with
 * an hour of points by this alone, where it comes in bursts after the check against earlier days.
 */
export function strengthOf(z: number): Strength {
  const size = Math.abs(z);
  return size >= strongZ ? 'strong' : size >= notableZ ? 'notable' : 'weak';
}

/** Share of quiet series that reach `notableZ` by chance, at most; measured on quiet hours. */
export const quietNotableShare = 0.01;
