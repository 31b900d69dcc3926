import { loggedKey, type EpisodeKey } from '../alert/episode-key.ts';
import type { Clock } from '../lib/clock.ts';
import type { ModelFailure } from '../model/client/model-error.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Breaker, BreakerState } from './breaker.ts';

interface TroubleLogPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly breaker: Pick<Breaker, 'state' | 'openMsLeft'>;
}

/** The same failure is logged again after this. */
const againAfterMs = 60 * 60_000;

/** Logs failures of the model, each kind once an hour, and whenever the breaker opens. */
export class TroubleLog {
  readonly #ports: TroubleLogPorts;
  /** When a type of failure or a sentence of a report was last logged, by the monotonic clock. */
  readonly #loggedAt = new Map<string, number>();

  constructor(ports: TroubleLogPorts) {
    this.#ports = ports;
  }

  /** To be called when a request has ended and the breaker knows; `before` is its state before. */
  ended(failure: ModelFailure | null, before: BreakerState): void {
    const { log, breaker } = this.#ports;
    if (failure === null) {
      if (before !== 'closed') log.info('The model answers again');
      return;
    }
    const { type, message: error, hint } = failure;
    if (type === 'aborted') return;
    const isNews = this.#isNews(type);
    if (breaker.state === 'open' && before !== 'open') {
      const seconds = Math.ceil(breaker.openMsLeft / 1000);
      log.warn('The model keeps failing and is paused', { seconds, type, error, hint });
    } else if (isNews) log.warn('The model failed', { type, error, hint });
  }

  /** To be called when a report got no narrative, with the reason. */
  withoutNarrative(detail: string, key: EpisodeKey): void {
    if (!this.#isNews(detail)) return;
    this.#ports.log.warn('Report has no narrative', { detail, ...loggedKey(key) });
  }

  #isNews(what: string): boolean {
    const now = this.#ports.clock.monotonic();
    for (const [logged, at] of this.#loggedAt) {
      if (now - at >= againAfterMs) this.#loggedAt.delete(logged);
    }
    if (this.#loggedAt.has(what)) return false;
    this.#loggedAt.set(what, now);
    return true;
  }
}
