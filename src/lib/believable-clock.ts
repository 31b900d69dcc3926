import type { Clock } from './clock.ts';

/** A clock that is ahead of what was expected by more than this has jumped. */
const jumpMs = 24 * 3_600_000;
/** After a jump, the clock is believed once it has run steadily for this long. */
const steadyMs = 3_600_000;

/**
 * The newest moment up to which the clock of the last process can be trusted. `moments` are wall
 * times at which that process is known to have run, in any order. The newest that another follows
 * by an hour or more is taken, else the oldest: later ones may come from a clock that was wrong
 * already. Null when there are none.
 */
export function lastSteady(moments: readonly number[]): number | null {
  let [oldest, newest] = [Infinity, -Infinity];
  for (const moment of moments) {
    oldest = Math.min(oldest, moment);
    newest = Math.max(newest, moment);
  }
  let steady = oldest;
  for (const moment of moments) {
    if (newest - moment >= steadyMs) steady = Math.max(steady, moment);
  }
  return moments.length === 0 ? null : steady;
}

/**
 * Tells whether wall time is to be believed by what cannot be undone. A machine whose clock is
 * suddenly a year ahead would have everything look old; less than a day does no harm worth a delay.
 */
export class BelievableClock {
  readonly #clock: Clock;
  #wall: number;
  #monotonic: number;
  /** Monotonic, since the last jump; null where none was seen. */
  #jumpedAt: number | null = null;

  /**
   * `lastKnown` is when the last process is known to have run, in wall time, or null; see
   * {@linkcode lastSteady}. That may be long ago with a clock that is right, which is believed
   * after the hour as well.
   */
  constructor(clock: Clock, lastKnown: number | null) {
    this.#clock = clock;
    this.#monotonic = clock.monotonic();
    this.#wall = lastKnown ?? clock.now();
  }

  /** To be asked more often than once in {@linkcode jumpMs}. */
  isBelievable(): boolean {
    const [wall, monotonic] = [this.#clock.now(), this.#clock.monotonic()];
    const ahead = wall - this.#wall - (monotonic - this.#monotonic);
    [this.#wall, this.#monotonic] = [wall, monotonic];
    if (ahead > jumpMs) this.#jumpedAt = monotonic;
    return this.#jumpedAt === null || monotonic - this.#jumpedAt >= steadyMs;
  }
}
