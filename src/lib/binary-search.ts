/**
 * The index of the first element for which `isBeyond` holds, or the length; it must hold for all
 * after it too. Looks at few of them: a flapping alert has 40 000 episodes.
 */
export function firstIndexWhere<T>(
  sorted: readonly T[],
  isBeyond: (element: T) => boolean,
): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBeyond(sorted[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
