/** Never has to give way, however little room there is: connections bound how many there are. */
const usualBytes = 64 * 1024;

/** A body on its way. */
export interface Arriving {
  /** Bytes received so far. */
  size: number;
  /** Ends it: others need the room. */
  readonly giveWay: () => void;
}

/**
 * What bodies may take together, from their first byte until all that was in them is on disk.
 * Beyond that the largest that is still coming gives way: notifications of usual size are never it,
 * however many huge ones dawdle. One that is alone may take what its own limit allows.
 */
export class BodyRoom {
  readonly #bytesMax: number;
  readonly #arriving = new Set<Arriving>();
  readonly #whole = new Set<Arriving>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  received(body: Arriving, bytes: number): void {
    this.#arriving.add(body);
    body.size += bytes;
    this.#bytes += bytes;
    while (this.#bytes > this.#bytesMax && this.#arriving.size + this.#whole.size > 1) {
      const largest = this.#largest();
      if (largest === null) return;
      this.ended(largest);
      largest.giveWay();
    }
  }

  /** All of it is there, and is worked at: it cannot give way any more. */
  completed(body: Arriving): void {
    if (this.#arriving.delete(body)) this.#whole.add(body);
  }

  /** It is done with, or will never come. */
  ended(body: Arriving): void {
    const isKnown = this.#arriving.delete(body) || this.#whole.delete(body);
    if (isKnown) this.#bytes -= body.size;
  }

  /** Null where all are of usual size. */
  #largest(): Arriving | null {
    let largest: Arriving | null = null;
    for (const body of this.#arriving) {
      if (body.size > (largest?.size ?? usualBytes)) largest = body;
    }
    return largest;
  }
}
