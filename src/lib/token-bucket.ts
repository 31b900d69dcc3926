import type { Clock } from './clock.ts';

const periodMs = 60_000;

/**
 * Allows `capacity` draws per minute. The minute begins with the first draw on the full bucket, and
 * at its end the bucket is full again: never more than `capacity` draws between two refills.
 * Counted on the monotonic clock; wall time only says when the refill is due.
 */
export class TokenBucket {
  readonly capacity: number;
  readonly #clock: Clock;
  #left: number;
  #refillAt = 0;
  #refillWallTime = 0;

  constructor(capacity: number, clock: Clock) {
    this.capacity = capacity;
    this.#clock = clock;
    this.#left = capacity;
  }

  /** Draws one token; false, and nothing drawn, when there is none. */
  take(): boolean {
    this.#refillWhenDue();
    if (this.#left === 0) return false;
    if (this.#left === this.capacity) {
      this.#refillAt = this.#clock.monotonic() + periodMs;
      this.#refillWallTime = this.#clock.now() + periodMs;
    }
    this.#left -= 1;
    return true;
  }

  /** Undoes a draw, as if it had not been; for a request that another bucket refused. */
  giveBack(): void {
    this.#refillWhenDue();
    if (this.#left < this.capacity) this.#left += 1;
  }

  left(): number {
    this.#refillWhenDue();
    return this.#left;
  }

  /** Wall time in ms at which the bucket is full again: now, when it was at the last look. */
  refillWallTime(): number {
    return this.#left === this.capacity ? this.#clock.now() : this.#refillWallTime;
  }

  /** Milliseconds until the bucket is full again; 0 when it is. */
  refillInMs(): number {
    return this.left() === this.capacity ? 0 : this.#refillAt - this.#clock.monotonic();
  }

  #refillWhenDue(): void {
    if (this.#left === this.capacity) return;
    if (this.#clock.monotonic() >= this.#refillAt) this.#left = this.capacity;
  }
}
