/** Bodies up to this size are never evicted; the limit of connections bounds their number. */
const keptBytes = 64 * 1024;

/** A body that is being received or processed. */
export interface TrackedBody {
  /** Bytes received so far. */
  size: number;
  /** Refuses the rest of it, to make room for others. */
  evict: () => void;
}

/**
 * Bounds the memory of all bodies together, from their first byte until their requests are
 * answered. Beyond the bound the largest body still being received is evicted, but never one of
 * usual size, so slow senders of huge bodies cannot crowd out ordinary notifications. A body on its
 * own is bounded only by its own limit.
 */
export class BodyRoom {
  readonly #bytesMax: number;
  /** Arrays, as the outdated hash tables of a set would keep bodies in memory. */
  readonly #incomplete: TrackedBody[] = [];
  readonly #complete: TrackedBody[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  received(body: TrackedBody, bytes: number): void {
    if (body.size === 0) this.#incomplete.push(body);
    body.size += bytes;
    this.#bytes += bytes;
    while (this.#bytes > this.#bytesMax && this.#incomplete.length + this.#complete.length > 1) {
      const largest = this.#largest();
      if (largest === null) return;
      this.ended(largest);
      largest.evict();
    }
  }

  /** The whole body has arrived and is being processed, so it can no longer be evicted. */
  completed(body: TrackedBody): void {
    if (removeFrom(this.#incomplete, body)) this.#complete.push(body);
  }

  /** The body has been processed, or its rest will never come. Safe to call twice, or for none. */
  ended(body: TrackedBody): void {
    if (body.size === 0) return;
    const isKnown = removeFrom(this.#incomplete, body) || removeFrom(this.#complete, body);
    if (isKnown) this.#bytes -= body.size;
  }

  /** The largest body that may be evicted; null when none is larger than usual. */
  #largest(): TrackedBody | null {
    let largest: TrackedBody | null = null;
    for (const body of this.#incomplete) {
      if (body.size > (largest?.size ?? keptBytes)) largest = body;
    }
    return largest;
  }
}

/** Removes the body and moves the last one into its place; returns whether it was in the list. */
function removeFrom(list: TrackedBody[], body: TrackedBody): boolean {
  const at = list.indexOf(body);
  if (at === -1) return false;
  const last = list.pop();
  if (last !== undefined && last !== body) list[at] = last;
  return true;
}
