import type { Clock } from '../lib/clock.ts';
import type { ModelFailure } from '../model/client/model-error.ts';

export type BreakerState = 'closed' | 'open' | 'half_open';

const failuresMax = 5;
const openMsFirst = 60_000;
const openMsMost = 10 * 60_000;
/** For a wrong setting or an unpaid invoice, which nobody fixes within a minute. */
const openMsRefused = 5 * 60_000;

type BreakerFailure = Pick<ModelFailure, 'kind' | 'type' | 'retryAfterMs' | 'hint'>;

/**
 * A circuit breaker for the model's endpoint. After five failures in a row it opens for a minute,
 * then lets a single probe through; each failed probe doubles the time, up to ten minutes. A wrong
 * setting or an exhausted account opens it at once, and so does a `retry-after` of the endpoint,
 * for as long as that says.
 */
export class Breaker {
  readonly #clock: Clock;
  #failures = 0;
  /** When the next probe is due, by the monotonic clock; null while closed. */
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

  /** What an operator can do about the last failure; empty while closed. */
  get hint(): string {
    return this.#until === null ? '' : this.#hint;
  }

  /** Milliseconds until a request would be let through; 0 unless it is open. */
  get openMsLeft(): number {
    return Math.max(0, Math.ceil((this.#until ?? 0) - this.#clock.monotonic()));
  }

  /** Whether a request may be made now; if so, `succeeded` or `failed` must be called after it. */
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
    // A request that was made before it opened tells nothing new.
    const wasOpen = this.state === 'open';
    const wasProbing = this.#isProbing;
    this.#isProbing = false;
    // The endpoint answered; it only rejected this text.
    if (kind === 'filtered' || kind === 'context') return this.succeeded();
    // Cancelled here, or never sent for lack of tools: says nothing about the endpoint.
    if (kind === 'aborted' || type === 'no_tools') return;
    this.#failures += 1;
    this.#hint = hint;
    const askedMs = retryAfterMs ?? 0;
    // Other requests were accepted, so this one is at fault and not the configuration.
    const isOne = type === 'refused' && this.#hasSucceeded;
    if (!isOne && (kind === 'config' || kind === 'quota')) {
      this.#open(Math.max(askedMs, openMsRefused));
    } else if (!wasOpen && (wasProbing || this.#failures >= failuresMax)) {
      this.#open(Math.max(askedMs, this.#openMs));
      this.#openMs = Math.min(openMsMost, this.#openMs * 2);
    } else if (askedMs > 0) {
      this.#open(askedMs);
    }
  }

  /** Lets a single request through at once, as the cause of the failures may be fixed. */
  tryNow(): void {
    if (this.#until !== null) this.#until = this.#clock.monotonic();
    this.#openMs = openMsFirst;
  }

  #open(ms: number): void {
    this.#until = Math.max(this.#until ?? 0, this.#clock.monotonic() + ms);
  }
}
