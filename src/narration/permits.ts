import { cancelled, type Permit, type Permits, type Spent } from '../model/client/meter.ts';
import type { Breaker } from './breaker.ts';
import type { Reservation, TokenBudget } from './token-budget.ts';

/**
 * Permits the requests of one narration, one at a time. The tokens that a request may use are
 * reserved before it is made; a request without an account counts as having used all of them.
 */
export class NarrationPermits implements Permits {
  readonly #budget: TokenBudget;
  readonly #breaker: Breaker;
  #reserved: Reservation | null = null;
  #hasAsked = false;
  #isOver = false;

  constructor(budget: TokenBudget, breaker: Breaker) {
    this.#budget = budget;
    this.#breaker = breaker;
  }

  /** Whether any request was permitted. */
  get hasAsked(): boolean {
    return this.#hasAsked;
  }

  async ask(tokens: number): Promise<Permit> {
    if (!this.#breaker.isPassable) return 'breaker';
    const reserved = await this.#budget.reserve(tokens);
    if (typeof reserved === 'string') return reserved;
    // After `end`, nobody would account for the request.
    if (this.#isOver || !this.#breaker.admit()) {
      this.#budget.account(reserved, 0);
      return 'breaker';
    }
    this.#reserved = reserved;
    this.#hasAsked = true;
    return 'granted';
  }

  account({ tokens, failure }: Spent): void {
    if (this.#reserved === null) return;
    this.#budget.account(this.#reserved, tokens);
    this.#reserved = null;
    if (failure === null) this.#breaker.succeeded();
    else this.#breaker.failed(failure);
  }

  /** To be called when the narration has ended, however it did. */
  end(): void {
    this.#isOver = true;
    if (this.#reserved === null) return;
    this.account({ tokens: this.#reserved.tokens, failure: cancelled });
  }
}
