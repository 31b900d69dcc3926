import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../telemetry/log.ts';

/** The report of one episode. */
export interface ReportKey {
  readonly fingerprint: string;
  readonly number: number;
}

export type DeliveryOutcome = 'delivered' | 'failed' | 'dropped';

/** Why the receiver did not take what was posted. */
export interface Refusal {
  /** Short, one line, without secrets and addresses. */
  readonly detail: string;
  /** Whether the same may well be taken later. */
  readonly isTransient: boolean;
  /** How long the receiver asks to wait; null where it does not say. */
  readonly retryAfterMs: number | null;
}

/** What is to be posted of a report. */
export interface Delivery {
  readonly body: string;
  /** The receiver has taken it. */
  readonly onTaken?: () => void;
}

export interface DeliveryPorts {
  readonly clock: Clock;
  readonly log: Logger;
  /** The name of the setting, for the log. */
  readonly setting: string;
  /** What to post of the report as it is now; null for nothing. Rejects when it cannot be read. */
  readonly deliveryOf: (key: ReportKey) => Promise<Delivery | null>;
  /** Resolves to null once the receiver has taken it, and never rejects. */
  readonly post: (body: string, signal: AbortSignal) => Promise<Refusal | null>;
  readonly count: (outcome: DeliveryOutcome) => void;
  /** From one post to the next, for receivers that ask for it. */
  readonly pauseMs: number;
}

/** As many alerts may wait for their analysis. The oldest goes when one more comes. */
const waitingMax = 10_000;
/** A report that waited for so long is given up. */
const insistMs = 3_600_000;
const retryMinMs = 2_000;
const retryMaxMs = 60_000;

interface Waiting {
  readonly key: ReportKey;
  /** Monotonic. */
  readonly since: number;
}

/**
 * Posts reports to one receiver, one after the other. A report is read when its turn comes, so that
 * one which changes while it waits is posted once, as it is then. What the receiver does not take
 * goes to the end and is tried again, for an hour; in between nothing is posted, for longer each
 * time or as long as the receiver asks, for a minute at most. Nothing of this is on disk: a restart
 * forgets what waits.
 */
export class Deliveries {
  readonly #ports: DeliveryPorts;
  readonly #waiting = new Map<string, Waiting>();
  readonly #stopped = new AbortController();
  #run: Promise<void> | null = null;
  #retryMs = retryMinMs;
  #isTroubleTold = false;

  constructor(ports: DeliveryPorts) {
    this.#ports = ports;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** The report was stored anew. */
  offer(key: ReportKey): void {
    this.#add({ key, since: this.#ports.clock.monotonic() });
    this.#run ??= this.#deliverAll();
  }

  /** Breaks off what is under way. */
  async stop(): Promise<void> {
    const { log, setting } = this.#ports;
    this.#stopped.abort();
    await this.#run;
    const { size } = this.#waiting;
    if (size > 0) log.warn('Reports were not delivered', { setting, reports: size });
  }

  #add(waiting: Waiting): void {
    const { fingerprint, number } = waiting.key;
    const name = `${number} ${fingerprint}`;
    if (this.#waiting.has(name)) return;
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size >= waitingMax && oldest !== undefined) {
      this.#waiting.delete(oldest);
      this.#ports.count('dropped');
    }
    this.#waiting.set(name, waiting);
  }

  async #deliverAll(): Promise<void> {
    const { clock } = this.#ports;
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const [next] = this.#waiting;
      if (next === undefined) break;
      const [name, waiting] = next;
      // Before it is read: what is stored anew from now on is offered again.
      this.#waiting.delete(name);
      const restMs = await this.#deliver(waiting);
      if (restMs > 0) await clock.sleep(restMs, signal).catch(() => undefined);
    }
    this.#run = null;
  }

  /** Resolves to how long to rest before the next one: not at all where nothing was posted. */
  async #deliver(waiting: Waiting): Promise<number> {
    const { clock, count, post, log, setting, pauseMs } = this.#ports;
    const { signal } = this.#stopped;
    // A receiver that comes back is not told what is long past.
    if (clock.monotonic() - waiting.since >= insistMs) {
      count('failed');
      return 0;
    }
    const delivery = await this.#deliveryOf(waiting.key);
    if (delivery === null) return 0;
    const refusal = await post(delivery.body, signal);
    if (refusal === null) {
      if (this.#isTroubleTold) log.info('Reports are delivered again', { setting });
      this.#isTroubleTold = false;
      this.#retryMs = retryMinMs;
      count('delivered');
      delivery.onTaken?.();
      return pauseMs;
    }
    if (signal.aborted || refusal.isTransient) this.#add(waiting);
    else count('failed');
    if (signal.aborted) return 0;
    this.#tell(refusal);
    const restMs = Math.max(this.#retryMs, Math.min(retryMaxMs, refusal.retryAfterMs ?? 0));
    this.#retryMs = Math.min(retryMaxMs, this.#retryMs * 2);
    return restMs;
  }

  async #deliveryOf(key: ReportKey): Promise<Delivery | null> {
    const { deliveryOf, log, count } = this.#ports;
    try {
      return await deliveryOf(key);
    } catch (error) {
      log.warn('Cannot read a report to deliver it', {
        fingerprint: key.fingerprint, episode: key.number, error,
      });
      count('failed');
      return null;
    }
  }

  /** Once, until something is taken again. */
  #tell({ detail, isTransient }: Refusal): void {
    const { log, setting } = this.#ports;
    if (this.#isTroubleTold) return;
    this.#isTroubleTold = true;
    const then = isTransient ? 'tried again for an hour' : 'given up';
    log.warn('The receiver did not take a report', { setting, detail, then });
  }
}
