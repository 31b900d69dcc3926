import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from './clock.ts';

/** Longer turns would be noticed by whoever waits for an answer. */
const turnMsMax = 10;

/**
 * Divides long work into short turns of the event loop, so that everything else goes on meanwhile:
 * `if (turns.isOver) await turns.next();` after each small step.
 */
export class Turns {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #beganAt: number;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#beganAt = clock.monotonic();
  }

  /** Whether the turn has taken long enough. */
  get isOver(): boolean {
    return this.#clock.monotonic() - this.#beganAt >= turnMsMax;
  }

  /** Resolves at the beginning of the next turn. */
  async next(): Promise<void> {
    await nextTurn();
    this.#beganAt = this.#clock.monotonic();
  }
}
