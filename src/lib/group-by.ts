/** Elements by key, in order of first appearance. Node 20 has no `Map.groupBy`. */
export function groupBy<T, K>(
  elements: Iterable<T>,
  keyOf: (element: T) => K,
): Map<K, [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const element of elements) {
    const key = keyOf(element);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [element]);
    else group.push(element);
  }
  return groups;
}
