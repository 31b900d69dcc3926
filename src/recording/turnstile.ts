/**
 * Lets what an investigation waits for happen one at a time, each in a turn of the event loop of
 * its own: all that follows from one has then happened before the next. This is what makes the
 * order of answers the only thing that a replay has to repeat.
 */
export class Turnstile {
  readonly #waiting: (() => void)[] = [];

  pass(happen: () => void): void {
    this.#waiting.push(happen);
    if (this.#waiting.length === 1) this.#turnSoon();
  }

  #turnSoon(): void {
    setImmediate(() => {
      // Taken away last, so that whoever comes meanwhile knows that a turn is due.
      this.#waiting[0]?.();
      this.#waiting.shift();
      if (this.#waiting.length > 0) this.#turnSoon();
    });
  }
}
