/** Below this |z| a change is not worth mentioning; from `strongZ` on it is beyond doubt. */
export const notableZ = 4;
export const strongZ = 8;

export type Strength = 'weak' | 'notable' | 'strong';

/**
 * The size of a deviation in words. At most one in a hundred quiet series with some history
 * is called notable: by this alone if they are steady, and after the check against earlier days if
 * they are bursty.
 */
export function strengthOf(z: number): Strength {
  const size = Math.abs(z);
  return size >= strongZ ? 'strong' : size >= notableZ ? 'notable' : 'weak';
}

/** With fewer points before the split, the usual spread of a series is not known well. */
const spreadPointsMin = 15;

/**
 * Upper bound for the share of quiet series that reach `notableZ` by chance, with that many points
 * before the split: measured are 0.8 % with 15 and 2.5 % with 5 (scripts/score-quiet.ts).
 */
export function quietNotableShare(points: number): number {
  return points < spreadPointsMin ? 0.03 : 0.01;
}
