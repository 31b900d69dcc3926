import type { Clock } from '../../lib/clock.ts';
import { TokenBucket } from '../../lib/token-bucket.ts';

interface ClientBucketsOptions {
  /** Tokens per client per minute. */
  readonly capacity: number;
  readonly clock: Clock;
  /** Buckets kept at most. */
  readonly clientsMax?: number;
}

const sharedBuckets = 256;
const checksPerNewcomer = 8;

/**
 * A token bucket per client, bounded in memory however many clients there are. A full bucket holds
 * no state and can be dropped; a bucket in use is never dropped, so a flood of addresses resets
 * nobody's count. When every place is taken, new clients share a few buckets.
 */
export class ClientBuckets {
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #shared: readonly TokenBucket[];
  readonly #clientsMax: number;
  readonly #create: () => TokenBucket;
  /** Round-robin: starting from the front would walk over the holes of earlier deletions. */
  #next: Iterator<[string, TokenBucket]> = this.#buckets.entries();

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
    this.#dropFullOnes();
    if (this.#buckets.size >= this.#clientsMax) return this.#sharedBucketOf(client);
    const bucket = this.#create();
    this.#buckets.set(client, bucket);
    return bucket;
  }

  /** Checks the next few. More than one per new client, so that the map shrinks after a flood. */
  #dropFullOnes(): void {
    for (let checks = 0; checks < checksPerNewcomer; checks += 1) {
      const { done, value } = this.#next.next();
      if (done === true) {
        this.#next = this.#buckets.entries();
        return;
      }
      const [client, bucket] = value;
      if (bucket.left() === bucket.capacity) this.#buckets.delete(client);
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
