import type { Clock } from '../lib/clock.ts';
import type { ModelFailure } from '../model/client/model-error.ts';

export type BreakerState = 'closed' | 'open' | 'half_open';

const failuresMax = 5;
const openMsFirst = 60_000;
const openMsMost = 10 * 60_000;
/** A wrong setting or an unpaid invoice is not mended within a minute. */
const openMsRefused = 5 * 60_000;

type BreakerFailure = Pick<ModelFailure, 'kind' | 'type' | 'retryAfterMs' | 'hint'>;

/**
 * Keeps requests from an endpoint that fails: after five failures in a row none is made for a
 * minute, then one alone, and twice as long when that fails as well. Where the endpoint itself says
 * how long it wants to be left alone, it is.
 */
export class Breaker {
  readonly #clock: Clock;
  #failures = 0;
  /** Monotonic; null while closed. */
  #until: number | null = null;
  #openMs = openMsFirst;
  #isProbing = false;
  #hasSucceeded = false;
  #hint = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get state(): BreakerState {
    if (this.#until === null) return 'closed';
    return this.#clock.monotonic() < this.#until ? 'open' : 'half_open';
  }

  /** Whether a request would be let through now. */
  get isPassable(): boolean {
    const { state } = this;
    return state === 'closed' || (state === 'half_open' && !this.#isProbing);
  }

  /** What an operator can do about what it last failed with; empty while closed. */
  get hint(): string {
    return this.#until === null ? '' : this.#hint;
  }

  /** Until a request would be let through; 0 unless it is open. */
  get openMsLeft(): number {
    return Math.max(0, Math.ceil((this.#until ?? 0) - this.#clock.monotonic()));
  }

  /** Whether a request may be made now. Its end is to be told with `succeeded` or `failed`. */
  admit(): boolean {
    if (!this.isPassable) return false;
    this.#isProbing = this.state === 'half_open';
    return true;
  }

  succeeded(): void {
    this.#hasSucceeded = true;
    this.#failures = 0;
    this.#until = null;
    this.#openMs = openMsFirst;
    this.#isProbing = false;
  }

  failed({ kind, type, retryAfterMs, hint }: BreakerFailure): void {
    const wasProbing = this.#isProbing;
    this.#isProbing = false;
    // The endpoint answered: it is the text that it does not take.
    if (kind === 'filtered' || kind === 'context') return this.succeeded();
    // Given up by this side, or never sent for want of tools: it tells nothing.
    if (kind === 'aborted' || type === 'no_tools') return;
    this.#failures += 1;
    this.#hint = hint;
    const askedMs = retryAfterMs ?? 0;
    // Where others were taken, what is refused is the request and not how it is configured.
    const isOne = type === 'refused' && this.#hasSucceeded;
    if (!isOne && (kind === 'config' || kind === 'quota')) {
      this.#open(Math.max(askedMs, openMsRefused));
    } else if (wasProbing || this.#failures >= failuresMax) {
      this.#open(Math.max(askedMs, this.#openMs));
      this.#openMs = Math.min(openMsMost, this.#openMs * 2);
    } else if (askedMs > 0) {
      this.#open(askedMs);
    }
  }

  /** What it failed with may be mended: the next request is let through, alone. */
  tryNow(): void {
    if (this.#until !== null) this.#until = this.#clock.monotonic();
    this.#openMs = openMsFirst;
  }

  #open(ms: number): void {
    this.#until = Math.max(this.#until ?? 0, this.#clock.monotonic() + ms);
  }
}
