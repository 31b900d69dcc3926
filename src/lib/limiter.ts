/** Runs at most `tasksMax` tasks at a time; the others wait, first come, first served. */
export class Limiter {
  readonly #tasksMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(tasksMax: number) {
    this.#tasksMax = tasksMax;
  }

  /** Settles as the task does; a failed task frees its slot like any other. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running < this.#tasksMax) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next(); // Hands over the slot, so that no newcomer can take it.
    }
  }
}
