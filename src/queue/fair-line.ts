import { Fifo } from './fifo.ts';

interface Entry<T> {
  /** Null once it is taken: it may then still be in the other of the line's two orders. */
  item: T | null;
  /** The round in which it is its turn. */
  readonly turn: number;
  /** Number of entries that came before it. */
  readonly place: number;
  readonly flow: Flow<T>;
}

/** The items of one party, first in, first out. */
interface Flow<T> {
  readonly name: string;
  readonly entries: Fifo<Entry<T>>;
  /** The turn of its last entry. */
  lastTurn: number;
}

/**
 * A line in which parties take turns, however many items each of them has: start-time fair queuing
 * (Goyal, Vin and Cheng, 1996). The clock counts rounds. A party's first item has its turn at the
 * clock's present time, each further one a round after the one before. The first to come is taken
 * of two with the same turn.
 *
 * The clock is a round behind what was taken last, so whoever comes new need not wait for the
 * present round to end. While ever new parties come, the others can wait for ever: `takeOldest`
 * has to be called now and then.
 *
 * Adding and taking need O(log n) steps for n parties, and memory only for what waits.
 */
export class FairLine<T> {
  readonly #flows = new Map<string, Flow<T>>();
  /** One entry of each party, its first unless that was taken by age; a binary heap by turn. */
  readonly #turns: Entry<T>[] = [];
  readonly #byAge = new Fifo<Entry<T>>();
  #clock = 0;
  #places = 0;

  /** What has waited longest; null when nothing waits. */
  get oldest(): T | null {
    return this.#byAge.first?.item ?? null;
  }

  add(party: string, item: T): void {
    const known = this.#flows.get(party);
    const flow = known ?? { name: party, entries: new Fifo(), lastTurn: -Infinity };
    const turn = Math.max(this.#clock, flow.lastTurn + 1);
    const entry: Entry<T> = { item, turn, place: this.#places, flow };
    this.#places += 1;
    flow.lastTurn = turn;
    flow.entries.push(entry);
    this.#byAge.push(entry);
    if (known !== undefined) return;
    this.#flows.set(party, flow);
    pushTo(this.#turns, entry);
  }

  /** Takes the first item of the party whose turn it is; null when nothing waits. */
  takeNext(): T | null {
    return this.#take(this.#turns[0]);
  }

  /** Takes what has waited longest, whosever turn it is; null when nothing waits. */
  takeOldest(): T | null {
    return this.#take(this.#byAge.first);
  }

  /** `entry` is the first of its party. */
  #take(entry: Entry<T> | undefined): T | null {
    const item = entry?.item ?? null;
    if (entry === undefined || item === null) return null;
    entry.item = null;
    entry.flow.entries.shift();
    this.#clock = Math.max(this.#clock, entry.turn - 1);
    if (entry.flow.entries.first === undefined) this.#flows.delete(entry.flow.name);
    while (this.#byAge.first?.item === null) this.#byAge.shift();
    while (this.#turns[0]?.item === null) {
      const next = popFrom(this.#turns)?.flow.entries.first;
      if (next !== undefined) pushTo(this.#turns, next);
    }
    return item;
  }
}

type Turn = Pick<Entry<unknown>, 'turn' | 'place'>;

function isBefore(a: Turn, b: Turn): boolean {
  return a.turn < b.turn || (a.turn === b.turn && a.place < b.place);
}

function pushTo<E extends Turn>(heap: E[], entry: E): void {
  let at = heap.length;
  heap.push(entry);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || !isBefore(entry, above)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = entry;
}

function popFrom<E extends Turn>(heap: E[]): E | undefined {
  const [first] = heap;
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]];
    if (left === undefined) break;
    const isRight = right !== undefined && isBefore(right, left);
    const below = isRight ? right : left;
    if (!isBefore(below, last)) break;
    heap[at] = below;
    at = 2 * at + (isRight ? 2 : 1);
  }
  heap[at] = last;
  return first;
}
