/**
 * A few things under way, each found by its number, in the order in which they began.
 *
 * A map from which everything is soon deleted is rebuilt every few deletions, and each dead table
 * refers to the next: once one of them is in the old generation, all that the later ones held
 * stays until the next full collection. A list this short is searched as fast.
 */
export class Roster<T extends { readonly id: number }> implements Iterable<T> {
  readonly #entries: T[] = [];

  get size(): number {
    return this.#entries.length;
  }

  add(entry: T): void {
    this.#entries.push(entry);
  }

  find(id: number): T | undefined {
    return this.#entries.find((entry) => entry.id === id);
  }

  /** Returns what was removed, if it was there. */
  remove(id: number): T | undefined {
    const index = this.#entries.findIndex((entry) => entry.id === id);
    return index < 0 ? undefined : this.#entries.splice(index, 1)[0];
  }

  /** Goes on over a copy: what is under way may end while somebody looks at it. */
  *[Symbol.iterator](): Iterator<T> {
    yield* [...this.#entries];
  }
}
