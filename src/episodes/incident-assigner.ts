import type { Clock } from '../lib/clock.ts';
import { Turns } from '../lib/turns.ts';
import type { EpisodeBook } from './book/episode-book.ts';

/** Takes less than a millisecond. */
const assignedAtOnce = 25;

/** Does what the book puts off, in turns so short that nobody has to wait. */
export class IncidentAssigner {
  readonly #book: Pick<EpisodeBook, 'assignSome'>;
  readonly #turns: Turns;
  #running: Promise<void> | null = null;

  constructor(book: Pick<EpisodeBook, 'assignSome'>, clock: Pick<Clock, 'monotonic'>) {
    this.#book = book;
    this.#turns = new Turns(clock);
  }

  /** Begins in the next turn of the event loop; resolves once nothing is left. */
  async assignAll(): Promise<void> {
    if (this.#book.assignSome(0)) return;
    this.#running ??= this.#runAllTurns().finally(() => {
      this.#running = null;
    });
    await this.#running;
  }

  /**
   * To be called after each record of a replay. Assigns what it brought, so that nothing piles up;
   * the next record waits for the promise, if there is one.
   */
  afterRecord(): Promise<void> | undefined {
    return this.#runTurn() && !this.#turns.isOver ? undefined : this.#runAllTurns();
  }

  async #runAllTurns(): Promise<void> {
    do await this.#turns.next();
    while (!this.#runTurn());
  }

  #runTurn(): boolean {
    while (!this.#book.assignSome(assignedAtOnce)) if (this.#turns.isOver) return false;
    return true;
  }
}
