import type { Clock } from './clock.ts';

/** A wall clock that is ahead of the expected time by more than this has jumped. */
const jumpMs = 24 * 3_600_000;
/** After a jump, the clock is trusted again once it has run steadily for this long. */
const steadyMs = 3_600_000;

/**
 * The latest time up to which the clock of the last process can be trusted. `moments` are wall
 * times at which that process is known to have run, in any order. Returns the newest that is at
 * least an hour before the latest, else the oldest: anything later may come from a clock that had
 * already jumped. Null when there are none.
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
 * Tells whether wall time can be trusted for something that cannot be undone, such as removing old
 * reports: to a clock that is suddenly a year ahead, everything looks old. A jump of less than a
 * day is ignored, as it does little harm.
 */
export class BelievableClock {
  readonly #clock: Clock;
  #wall: number;
  #monotonic: number;
  /** Monotonic, since the last jump; null where none was seen. */
  #jumpedAt: number | null = null;

  /**
   * `lastKnown` is a wall time at which the last process ran, or null; see {@linkcode lastSteady}.
   * If that was long ago, a correct clock also looks as if it had jumped, for the first hour.
   */
  constructor(clock: Clock, lastKnown: number | null) {
    this.#clock = clock;
    this.#monotonic = clock.monotonic();
    this.#wall = lastKnown ?? clock.now();
  }

  /** Has to be called more often than every {@linkcode jumpMs}. */
  isBelievable(): boolean {
    const [wall, monotonic] = [this.#clock.now(), this.#clock.monotonic()];
    const ahead = wall - this.#wall - (monotonic - this.#monotonic);
    [this.#wall, this.#monotonic] = [wall, monotonic];
    if (ahead > jumpMs) this.#jumpedAt = monotonic;
    return this.#jumpedAt === null || monotonic - this.#jumpedAt >= steadyMs;
  }
}
