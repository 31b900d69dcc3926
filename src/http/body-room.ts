/** A body on its way. */
export interface Arriving {
  /** Bytes received so far. */
  size: number;
  /** Ends it: others need the room. */
  readonly giveWay: () => void;
}

/**
 * What the bodies on their way may take together. Beyond that the largest of them gives way:
 * notifications of usual size are never it, however many huge ones dawdle. One that is alone may
 * take what its own limit allows.
 */
export class BodyRoom {
  readonly #bytesMax: number;
  readonly #arriving: Arriving[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  received(body: Arriving, bytes: number): void {
    if (body.size === 0) this.#arriving.push(body);
    body.size += bytes;
    this.#bytes += bytes;
    while (this.#bytes > this.#bytesMax && this.#arriving.length > 1) {
      const largest = this.#largest();
      if (largest === null) return;
      this.ended(largest);
      largest.giveWay();
    }
  }

  /** It is there, or will never be. */
  ended(body: Arriving): void {
    const at = this.#arriving.indexOf(body);
    if (at === -1) return;
    this.#arriving.splice(at, 1);
    this.#bytes -= body.size;
  }

  #largest(): Arriving | null {
    let largest: Arriving | null = null;
    for (const body of this.#arriving) {
      if (largest === null || body.size > largest.size) largest = body;
    }
    return largest;
  }
}
