/** Thrown instead of running a task when too many are waiting. */
export class LineFullError extends Error {
  override readonly name = 'LineFullError';
}

/** Runs at most `atOnce` tasks at a time; the others wait, first come, first served. */
export class Limiter {
  readonly #atOnce: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** When `waitingMax` tasks wait, one more is refused with LineFullError. */
  constructor(atOnce: number, waitingMax: number = Infinity) {
    this.#atOnce = atOnce;
    this.#waitingMax = waitingMax;
  }

  /**
   * Settles as the task does; a failed task frees its slot like any other. Rejects with the
   * signal's reason if it is aborted before the task's turn.
   */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#running < this.#atOnce) this.#running += 1;
    else await this.#turn(signal);
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next(); // Hands over the slot, so that no newcomer can take it.
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.length >= this.#waitingMax) {
      return Promise.reject(new LineFullError('Too many tasks are waiting'));
    }
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(signal?.reason as Error);
      };
      const start = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      this.#waiting.push(start);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }
}
