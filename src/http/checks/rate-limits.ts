import type { Clock } from '../../lib/clock.ts';
import { TokenBucket } from '../../lib/token-bucket.ts';
import type { HeaderList } from '../exchange.ts';
import { ClientBuckets } from './client-buckets.ts';

interface RateLimitOptions {
  /** Requests per minute; 0 turns the limit off. */
  readonly perClient: number;
  readonly total: number;
  readonly clock: Clock;
}

/**
 * Two limits on the same requests: one per client, one for all clients together. A request that
 * one of them refuses draws from neither.
 */
export class RateLimits {
  readonly #clients: ClientBuckets | null;
  readonly #total: TokenBucket | null;

  constructor({ perClient, total, clock }: RateLimitOptions) {
    this.#clients = perClient === 0 ? null : new ClientBuckets({ capacity: perClient, clock });
    this.#total = total === 0 ? null : new TokenBucket(total, clock);
  }

  takeFromClient(client: string): boolean {
    return this.#clients?.bucketOf(client).take() ?? true;
  }

  /** Call after {@linkcode takeFromClient}; a refusal returns the client's token. */
  takeFromTotal(client: string): boolean {
    const allowed = this.#total?.take() ?? true;
    if (!allowed) this.giveBackToClient(client);
    return allowed;
  }

  /** Returns what {@linkcode takeFromClient} drew. */
  giveBackToClient(client: string): void {
    this.#clients?.bucketOf(client).giveBack();
  }

  /** The three X-RateLimit fields for the bucket with fewer left; none when both limits are off. */
  headers(client: string): HeaderList {
    const bucket = this.#scarcest(client);
    if (bucket === null) return [];
    return [
      'X-RateLimit-Limit', String(bucket.capacity),
      'X-RateLimit-Remaining', String(bucket.left()),
      'X-RateLimit-Reset', String(Math.ceil(bucket.refillWallTime() / 1000)),
    ];
  }

  retryAfter(client: string): HeaderList {
    const waitMs = this.#scarcest(client)?.refillInMs() ?? 0;
    return ['Retry-After', String(Math.max(1, Math.ceil(waitMs / 1000)))];
  }

  #scarcest(client: string): TokenBucket | null {
    const own = this.#clients?.bucketOf(client) ?? null;
    if (own === null || this.#total === null) return own ?? this.#total;
    return this.#total.left() < own.left() ? this.#total : own;
  }
}
