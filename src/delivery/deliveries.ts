import { loggedKey, type EpisodeKey } from '../alert/episode-key.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../telemetry/log.ts';

export type DeliveryOutcome = 'delivered' | 'failed' | 'dropped';

/** Why the receiver did not accept a post. */
export interface Rejection {
  /** Short, one line, without secrets or addresses. */
  readonly detail: string;
  /** Whether a retry may succeed. */
  readonly isTransient: boolean;
  /** How long the receiver asks to wait; null if it does not say. */
  readonly retryAfterMs: number | null;
}

export interface Delivery {
  readonly body: string;
  /** Called once the receiver has accepted it. */
  readonly onTaken?: () => void;
  /** Pause before the next post, instead of the usual one. */
  readonly pauseMs?: number;
}

/** Who gets reports, and what of them. */
export interface Receiver {
  /** Minimum pause between posts, in ms, for those with a rate limit. */
  readonly pauseMs: number;
  /** The order of reports that wait: a lower rank goes first, and within a rank what came first. */
  rankOf(key: EpisodeKey): number;
  /**
   * What to post about the current report, and about the others that wait if the post says so;
   * null for nothing. Rejects if it cannot be read.
   */
  deliveryOf(key: EpisodeKey, others: () => readonly EpisodeKey[]): Promise<Delivery | null>;
}

interface DeliveryPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly receiver: Receiver;
  /** Name of the setting with the receiver's address, for the log. */
  readonly setting: string;
  /** Resolves to null once the receiver has accepted it; never rejects. */
  readonly post: (body: string, signal: AbortSignal) => Promise<Rejection | null>;
  readonly count: (outcome: DeliveryOutcome) => void;
}

/** The same as the default QUEUE_LIMIT. Beyond it the oldest report is dropped. */
const waitingMax = 10_000;
/** A report that has waited this long since its last change is given up. */
const giveUpAfterMs = 3_600_000;
const retryMinMs = 2_000;
const retryMaxMs = 60_000;

interface Waiting {
  readonly key: EpisodeKey;
  /** Each failure adds one, so that no report holds up the others. */
  readonly rank: number;
  /** When it was last offered, on the monotonic clock. */
  readonly since: number;
}

/**
 * Posts reports to one receiver, one at a time. A report is read when its turn comes, so one that
 * changes while it waits is posted once, in its latest form. After a transient failure the report
 * lets others go first, and is retried until an hour after its last change. After any
 * failure posting pauses, with exponential backoff or for as long as the receiver asks, but at most
 * a minute. Delivery is best effort: the queue is not on disk, so a restart loses it.
 */
export class Deliveries {
  readonly #ports: DeliveryPorts;
  readonly #waiting = new Map<string, Waiting>();
  readonly #stopped = new AbortController();
  #run: Promise<void> | null = null;
  #retryMs = retryMinMs;
  /** What has been logged since the last success: whether reports are retried, or not. */
  readonly #logged = new Set<string>();

  constructor(ports: DeliveryPorts) {
    this.#ports = ports;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Queues a report that was stored, new or changed. */
  offer(key: EpisodeKey): void {
    const { clock, receiver } = this.#ports;
    this.#add({ key, rank: receiver.rankOf(key), since: clock.monotonic() });
    this.#run ??= this.#deliverAll();
  }

  /** Aborts the post under way. */
  async stop(): Promise<void> {
    const { log, setting } = this.#ports;
    this.#stopped.abort();
    await this.#run;
    const { size } = this.#waiting;
    if (size > 0) log.warn('Stopped before all reports were delivered', { setting, reports: size });
  }

  #add(waiting: Waiting): void {
    const { fingerprint, number } = waiting.key;
    const name = `${number} ${fingerprint}`;
    const known = this.#waiting.get(name);
    if (known !== undefined && known.since > waiting.since) return; // Offered while it was posted.
    const [oldest] = this.#waiting.keys();
    if (known === undefined && this.#waiting.size >= waitingMax && oldest !== undefined) {
      this.#waiting.delete(oldest);
      this.#ports.count('dropped');
    }
    this.#waiting.set(name, waiting);
  }

  async #deliverAll(): Promise<void> {
    const { clock } = this.#ports;
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const next = this.#next();
      if (next === null) break;
      const [name, waiting] = next;
      // Before the report is read: if it changes from now on, it is offered again.
      this.#waiting.delete(name);
      const restMs = await this.#deliver(waiting);
      if (restMs > 0) await clock.sleep(restMs, signal).catch(() => undefined);
    }
    this.#run = null;
  }

  #next(): [name: string, waiting: Waiting] | null {
    let first: [string, Waiting] | null = null;
    for (const each of this.#waiting) {
      if (first === null || each[1].rank < first[1].rank) first = each;
      if (first[1].rank === 0) break;
    }
    return first;
  }

  /** Resolves to the pause before the next report, in ms: 0 if nothing was posted. */
  async #deliver(waiting: Waiting): Promise<number> {
    const { clock, count, post, log, setting, receiver } = this.#ports;
    const { signal } = this.#stopped;
    // A receiver that comes back gets no old news.
    if (clock.monotonic() - waiting.since >= giveUpAfterMs) {
      count('failed');
      return 0;
    }
    const delivery = await this.#deliveryOf(waiting.key);
    if (delivery === null) return 0;
    const refusal = await post(delivery.body, signal);
    if (refusal === null) {
      if (this.#logged.size > 0) log.info('Reports are delivered again', { setting });
      this.#logged.clear();
      this.#retryMs = retryMinMs;
      count('delivered');
      delivery.onTaken?.();
      return delivery.pauseMs ?? receiver.pauseMs;
    }
    if (refusal.isTransient) this.#add({ ...waiting, rank: waiting.rank + 1 });
    else count('failed');
    if (signal.aborted) return 0;
    this.#logFailure(refusal);
    const restMs = Math.max(this.#retryMs, Math.min(retryMaxMs, refusal.retryAfterMs ?? 0));
    this.#retryMs = Math.min(retryMaxMs, this.#retryMs * 2);
    return restMs;
  }

  async #deliveryOf(key: EpisodeKey): Promise<Delivery | null> {
    const { receiver, log, count } = this.#ports;
    try {
      const others = () => [...this.#waiting.values()].map((each) => each.key);
      return await receiver.deliveryOf(key, others);
    } catch (error) {
      log.warn('Cannot read a report to deliver it', { ...loggedKey(key), error });
      count('failed');
      return null;
    }
  }

  /** Logs the first failure of either kind after a success. */
  #logFailure({ detail, isTransient }: Rejection): void {
    const { log, setting } = this.#ports;
    const then = isTransient ? 'it is retried for an hour' : 'it is not retried';
    if (this.#logged.has(then)) return;
    this.#logged.add(then);
    log.warn('Cannot deliver a report', { setting, detail, then });
  }
}
