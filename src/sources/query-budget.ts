import type { SourceIdentity } from './source-access.ts';
import type { AskableSource, SourceRequest } from './source-client.ts';
import { SourceFailure } from './source-failure.ts';

/**
 * A source that answers one investigation a limited number of questions. In front of the cache, so
 * that a shared answer counts for each who asks.
 */
export class QueryBudget implements AskableSource {
  readonly identity: SourceIdentity;
  readonly timeoutMs: number;
  readonly #source: AskableSource;
  readonly #max: number;
  #used = 0;

  constructor(source: AskableSource, max: number) {
    this.identity = source.identity;
    this.#source = source;
    this.#max = max;
    this.timeoutMs = source.timeoutMs;
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
      throw new SourceFailure(this.identity, { reason: 'cancelled', detail });
    }
    this.#used += 1;
    return this.#source.ask(request, read);
  }
}
