import type { Clock } from '../lib/clock.ts';
import type { ModelFailure } from '../model/client/model-error.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Breaker, BreakerState } from './breaker.ts';

export interface TroubleLogPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly breaker: Pick<Breaker, 'state' | 'openMsLeft'>;
}

/** The same trouble is told again after so long. */
const againAfterMs = 60 * 60_000;

/** Tells the log what the model fails with, each kind once an hour, and when it is left alone. */
export class TroubleLog {
  readonly #ports: TroubleLogPorts;
  /** By kinds of failures and sentences of reports: there are few of either. */
  readonly #toldAt = new Map<string, number>();

  constructor(ports: TroubleLogPorts) {
    this.#ports = ports;
  }

  /** A request has ended, and the breaker was told, which stood so before. */
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
      log.warn('The model fails and is left alone', { seconds, type, error, hint });
    } else if (isNews) log.warn('The model failed', { type, error, hint });
  }

  /** A report was left without a narrative, for this reason. */
  withoutNarrative(detail: string, report: { fingerprint: string; episode: number }): void {
    if (this.#isNews(detail)) this.#ports.log.warn('No narrative', { detail, ...report });
  }

  #isNews(what: string): boolean {
    const now = this.#ports.clock.monotonic();
    const toldAt = this.#toldAt.get(what);
    if (toldAt !== undefined && now - toldAt < againAfterMs) return false;
    this.#toldAt.set(what, now);
    return true;
  }
}
