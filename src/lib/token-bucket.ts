import type { Clock } from './clock.ts';

const periodMs = 60_000;

/**
 * Allows `capacity` draws per minute. The minute starts with the first draw from the full bucket;
 * at its end the bucket is refilled at once, so there are never more than `capacity` draws between
 * two refills. Measured on the monotonic clock; wall time is only for telling clients.
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

  /** Draws one token; returns false when none is left. */
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

  /** Returns a drawn token, for a request that another bucket refused. */
  giveBack(): void {
    this.#refillWhenDue();
    if (this.#left < this.capacity) this.#left += 1;
  }

  left(): number {
    this.#refillWhenDue();
    return this.#left;
  }

  /** Wall time in ms of the next refill; now if the bucket was full when last used. */
  refillWallTime(): number {
    return this.#left === this.capacity ? this.#clock.now() : this.#refillWallTime;
  }

  /** Milliseconds until the next refill; 0 if the bucket is full. */
  refillInMs(): number {
    return this.left() === this.capacity ? 0 : this.#refillAt - this.#clock.monotonic();
  }

  #refillWhenDue(): void {
    if (this.#left === this.capacity) return;
    if (this.#clock.monotonic() >= this.#refillAt) this.#left = this.capacity;
  }
}
