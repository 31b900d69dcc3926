import type { AskableSource, SourceClient, SourceRequest } from './source-client.ts';

/**
 * A source that answers one investigation a limited number of questions. In front of the cache, so
 * that a shared answer counts for each who asks.
 */
export class QueryBudget implements AskableSource {
  readonly failure: SourceClient['failure'];
  readonly timeoutMs: number;
  readonly #source: AskableSource;
  readonly #max: number;
  #used = 0;

  constructor(source: AskableSource, max: number) {
    this.#source = source;
    this.#max = max;
    this.timeoutMs = source.timeoutMs;
    this.failure = (fault) => source.failure(fault);
  }

  get used(): number {
    return this.#used;
  }

  get left(): number {
    return this.#max - this.#used;
  }

  async ask<T>(request: SourceRequest, read: (body: Buffer) => T): Promise<T> {
    if (this.left <= 0) {
      const detail = `All ${this.#max} queries of the investigation are used`;
      throw this.failure({ reason: 'cancelled', detail });
    }
    this.#used += 1;
    return this.#source.ask(request, read);
  }
}
