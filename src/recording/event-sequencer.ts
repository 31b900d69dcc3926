/**
 * Lets the events that an investigation waits for happen one at a time, each in its own turn of the
 * event loop, so that everything that follows from one has happened before the next. That makes the
 * order of events all that a replay has to reproduce.
 */
export class EventSequencer {
  readonly #waiting: (() => void)[] = [];

  pass(happen: () => void): void {
    this.#waiting.push(happen);
    if (this.#waiting.length === 1) this.#turnSoon();
  }

  #turnSoon(): void {
    setImmediate(() => {
      // Removed last, so that `pass`, if called meanwhile, sees that a turn is already due.
      this.#waiting[0]?.();
      this.#waiting.shift();
      if (this.#waiting.length > 0) this.#turnSoon();
    });
  }
}
