import type { Clock } from '../lib/clock.ts';
import { TokenBucket } from '../lib/token-bucket.ts';

interface ClientBucketsOptions {
  /** Tokens per client and minute. */
  readonly capacity: number;
  readonly clock: Clock;
  /** Buckets kept at most. */
  readonly clientsMax?: number;
}

const sharedBuckets = 256;
const looksPerNewcomer = 8;

/**
 * A token bucket per client, bounded in memory however many clients come. A full bucket remembers
 * nothing, so forgetting it changes nothing; a bucket in use is never forgotten, so a flood of
 * addresses resets nobody's count. When every place is in use, newcomers share a few buckets.
 */
export class ClientBuckets {
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #shared: readonly TokenBucket[];
  readonly #clientsMax: number;
  readonly #create: () => TokenBucket;

  constructor({ capacity, clock, clientsMax = 100_000 }: ClientBucketsOptions) {
    this.#clientsMax = clientsMax;
    this.#create = () => new TokenBucket(capacity, clock);
    this.#shared = Array.from({ length: sharedBuckets }, this.#create);
  }

  get size(): number {
    return this.#buckets.size;
  }

  bucketOf(client: string): TokenBucket {
    const known = this.#buckets.get(client);
    if (known !== undefined) return known;
    this.#forgetFullOnes();
    if (this.#buckets.size >= this.#clientsMax) return this.#sharedBucketOf(client);
    const bucket = this.#create();
    this.#buckets.set(client, bucket);
    return bucket;
  }

  /**
   * Looks at the few that were looked at longest ago. Several per newcomer, so that the map also
   * shrinks after a flood.
   */
  #forgetFullOnes(): void {
    let looks = 0;
    for (const [client, bucket] of this.#buckets) {
      if (looks === looksPerNewcomer) return;
      looks += 1;
      this.#buckets.delete(client);
      if (bucket.left() < bucket.capacity) this.#buckets.set(client, bucket);
    }
  }

  #sharedBucketOf(client: string): TokenBucket {
    let hash = 0;
    for (let index = 0; index < client.length; index += 1) {
      hash = (Math.imul(hash, 31) + client.charCodeAt(index)) | 0;
    }
    return this.#shared[(hash >>> 0) % sharedBuckets] ?? this.#create();
  }
}
