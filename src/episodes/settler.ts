import type { Clock } from '../lib/clock.ts';
import { Turns } from '../lib/turns.ts';
import type { EpisodeBook } from './book/episode-book.ts';

/** Takes less than a millisecond. */
const settledAtOnce = 25;

/** Does what the book puts off, in turns so short that nobody has to wait. */
export class Settler {
  readonly #book: Pick<EpisodeBook, 'settleSome'>;
  readonly #turns: Turns;
  #settling: Promise<void> | null = null;

  constructor(book: Pick<EpisodeBook, 'settleSome'>, clock: Pick<Clock, 'monotonic'>) {
    this.#book = book;
    this.#turns = new Turns(clock);
  }

  /** Begins in the next turn of the event loop; resolves once nothing is left. */
  async settle(): Promise<void> {
    if (this.#book.settleSome(0)) return;
    this.#settling ??= this.#settleAll().finally(() => {
      this.#settling = null;
    });
    await this.#settling;
  }

  /**
   * To be called after each record of a replay. Settles what it brought, so that nothing piles up;
   * the next record waits for the promise, if there is one.
   */
  afterRecord(): Promise<void> | undefined {
    return this.#settleThisTurn() && !this.#turns.isOver ? undefined : this.#settleAll();
  }

  async #settleAll(): Promise<void> {
    do await this.#turns.next();
    while (!this.#settleThisTurn());
  }

  #settleThisTurn(): boolean {
    while (!this.#book.settleSome(settledAtOnce)) if (this.#turns.isOver) return false;
    return true;
  }
}
