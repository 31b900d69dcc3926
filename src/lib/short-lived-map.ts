interface Box<V> {
  value: V | undefined;
}

/**
 * A map, in insertion order, for large values that are added and deleted at a high rate.
 *
 * V8 rebuilds a `Map` every few deletions, and each dead table refers to the next. Once one of them
 * is in the old generation, everything that later ones held stays in memory until the next full
 * garbage collection. Here the tables hold only boxes, which are emptied on deletion.
 */
export class ShortLivedMap<K, V extends object> implements Iterable<readonly [K, V]> {
  readonly #boxes = new Map<K, Box<V>>();

  get size(): number {
    return this.#boxes.size;
  }

  get(key: K): V | undefined {
    return this.#boxes.get(key)?.value;
  }

  /** Replacing a value keeps its place in the order. */
  set(key: K, value: V): void {
    const box = this.#boxes.get(key);
    if (box === undefined) this.#boxes.set(key, { value });
    else box.value = value;
  }

  /** Returns the deleted value. */
  delete(key: K): V | undefined {
    const box = this.#boxes.get(key);
    if (box === undefined) return undefined;
    this.#boxes.delete(key);
    const { value } = box;
    box.value = undefined;
    return value;
  }

  *[Symbol.iterator](): Iterator<readonly [K, V]> {
    for (const [key, { value }] of this.#boxes) if (value !== undefined) yield [key, value];
  }

  /** A copy, so that entries may be deleted while iterating over it. */
  values(): V[] {
    return [...this].map(([, value]) => value);
  }
}
