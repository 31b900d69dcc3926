interface Box<V> {
  value: V | undefined;
}

/**
 * A map whose entries come and go quickly, in the order they came.
 *
 * V8 rebuilds a `Map` every few deletions, and each dead table refers to the next: once one of
 * them is in the old generation, whatever the later ones held stays in memory until the next full
 * collection. Here the tables hold boxes only, and a box is emptied when its entry is deleted.
 */
export class PassingMap<K, V extends object> implements Iterable<readonly [K, V]> {
  readonly #boxes = new Map<K, Box<V>>();

  get size(): number {
    return this.#boxes.size;
  }

  get(key: K): V | undefined {
    return this.#boxes.get(key)?.value;
  }

  /** A value that replaces another keeps its place in the order. */
  set(key: K, value: V): void {
    const box = this.#boxes.get(key);
    if (box === undefined) this.#boxes.set(key, { value });
    else box.value = value;
  }

  /** Returns what was there. */
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

  /** A copy, so that entries may be deleted while it is gone through. */
  values(): V[] {
    return [...this].map(([, value]) => value);
  }
}
