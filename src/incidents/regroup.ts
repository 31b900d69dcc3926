/**
 * Parts `items` into those that are linked, directly or over others. Each part keeps the order of
 * `items`, and the parts are in the order of their first.
 *
 * @param linkedTo Those of the given others that an item is linked to.
 */
export function connected<T>(
  items: readonly T[], linkedTo: (item: T, others: readonly T[]) => readonly T[],
): T[][] {
  const left = new Set(items);
  const parts: T[][] = [];
  for (const first of items) {
    if (!left.delete(first)) continue;
    const part = new Set([first]);
    for (const item of part) {
      for (const other of linkedTo(item, [...left])) if (left.delete(other)) part.add(other);
    }
    parts.push(items.filter((item) => part.has(item)));
  }
  return parts;
}
