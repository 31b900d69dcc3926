/** Runs at most so many tasks at a time; the others wait their turn, first come, first served. */
export class Limiter {
  readonly #tasksMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(tasksMax: number) {
    this.#tasksMax = tasksMax;
  }

  /** Settles as the task does; a task that fails makes room like any other. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running < this.#tasksMax) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next(); // It takes over the place, so nobody else can slip in.
    }
  }
}
