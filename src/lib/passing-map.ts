interface Box<V> {
  value: V | undefined;
}

/**
 * A map of what comes and goes, in order of its coming.
 *
 * A `Map` from which everything is soon deleted is rebuilt every few deletions, and each dead table
 * refers to the next: once one of them is in the old generation, all that the later ones held
 * stays until the next full collection. Here they hold boxes, which are emptied when what is in
 * them goes.
 */
export class PassingMap<K, V extends object> implements Iterable<readonly [K, V]> {
  readonly #boxes = new Map<K, Box<V>>();

  get size(): number {
    return this.#boxes.size;
  }

  get(key: K): V | undefined {
    return this.#boxes.get(key)?.value;
  }

  /** What takes the place of another stands where that stood. */
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

  /** As they are now: each may be deleted by whoever looks at it. */
  values(): V[] {
    return [...this].map(([, value]) => value);
  }
}
