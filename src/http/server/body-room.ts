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
  /** Lists: the dead tables of a set would hold what was in the bodies. */
  readonly #arriving: Arriving[] = [];
  readonly #whole: Arriving[] = [];
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
    while (this.#bytes > this.#bytesMax && this.#arriving.length + this.#whole.length > 1) {
      const largest = this.#largest();
      if (largest === null) return;
      this.ended(largest);
      largest.giveWay();
    }
  }

  /** All of it is there, and is worked at: it cannot give way any more. */
  completed(body: Arriving): void {
    if (removed(this.#arriving, body)) this.#whole.push(body);
  }

  /** It is done with, or will never come. */
  ended(body: Arriving): void {
    const isKnown = removed(this.#arriving, body) || removed(this.#whole, body);
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

/** Whether it was in the list, where the last then takes its place. */
function removed(list: Arriving[], body: Arriving): boolean {
  const at = list.indexOf(body);
  if (at === -1) return false;
  const last = list.pop();
  if (last !== undefined && last !== body) list[at] = last;
  return true;
}
