import type { Clock } from '../../src/lib/clock.ts';

interface Sleeper {
  readonly dueAt: number;
  readonly wake: () => void;
}

/** A clock that moves only when told to. Sleepers wake in the order they are due. */
export class ManualClock implements Clock {
  #monotonic = 0;
  #wallOffset: number;
  #sleepers: Sleeper[] = [];

  constructor(startAt = 0) {
    this.#wallOffset = startAt;
  }

  now(): number {
    return this.#wallOffset + this.#monotonic;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  /** Moves wall time by `ms`, as an operator or NTP would. Sleepers are not affected. */
  jumpWallTime(ms: number): void {
    this.#wallOffset += ms;
  }

  /** What keeps the process alive is about to be written: that need not be waited for. */
  sleep(ms: number, signal?: AbortSignal, keepsAlive = false): Promise<void> {
    if (keepsAlive) return new Promise((resolve) => setImmediate(resolve));
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const aborted = (): void => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal?.reason as Error);
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', aborted);
        resolve();
      };
      const sleeper = { dueAt: this.#monotonic + ms, wake };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', aborted, { once: true });
    });
  }

  /** Moves time forward, waking each sleeper when it is due and letting it run before going on. */
  async advance(ms: number): Promise<void> {
    const target = this.#monotonic + ms;
    for (;;) {
      const due = this.#sleepers.filter(({ dueAt }) => dueAt <= target);
      const next = due.toSorted((a, b) => a.dueAt - b.dueAt)[0];
      if (next === undefined) break;
      this.#sleepers = this.#sleepers.filter((other) => other !== next);
      this.#monotonic = Math.max(this.#monotonic, next.dueAt);
      next.wake();
      await new Promise(setImmediate);
    }
    this.#monotonic = target;
    await new Promise(setImmediate);
  }
}
