/** Thrown instead of running a query when too many are waiting. */
export class GateFullError extends Error {
  override readonly name = 'GateFullError';
}

interface GateOptions {
  readonly atOnce: number;
  /** How many may wait; one more is refused with GateFullError. */
  readonly waitingMax: number;
}

/** Limits how many queries run at one source at once; first come, first served. */
export class QueryGate {
  readonly #options: GateOptions;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /**
   * Runs a query when its turn comes; resolves and rejects as the query does. Rejects with the
   * signal's reason if it is aborted before the query's turn.
   */
  async run<T>(query: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#running < this.#options.atOnce) this.#running += 1;
    else await this.#turn(signal);
    try {
      return await query();
    } finally {
      this.#leave();
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.length >= this.#options.waitingMax) {
      return Promise.reject(new GateFullError('Too many queries are waiting'));
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

  /** Hands the slot straight to the next in line, so that no newcomer can take it. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}
