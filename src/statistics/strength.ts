/** Below this |z| a change is not worth a word; from `strongZ` on it is beyond doubt. */
export const notableZ = 4;
export const strongZ = 8;

export type Strength = 'weak' | 'notable' | 'strong';

/** In words how large a deviation is. One quiet series in a hundred, at most, is called notable. */
export function strengthOf(z: number): Strength {
  const size = Math.abs(z);
  return size >= strongZ ? 'strong' : size >= notableZ ? 'notable' : 'weak';
}

/** Share of quiet series that reach `notableZ` by chance, at most; measured on quiet hours. */
export const quietNotableShare = 0.01;
