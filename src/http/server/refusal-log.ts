import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../telemetry/log.ts';
import { HttpError, reasonOf, type RefusalReason } from '../http-errors.ts';

interface Refused {
  readonly requestId: string;
  /** The route's pattern, never the actual path, which anybody can choose. */
  readonly route?: string | undefined;
  readonly status: number;
  readonly client: string;
  readonly error: unknown;
  /** Whether Alertmanager posted to another path than the webhook's. */
  readonly isMisdirected: boolean;
  /** Whether operators should see it at the default log level. */
  readonly isWarning: boolean;
}

const intervalMs = 10_000;

/** The answer does not say so: it is the same for every unknown path. */
const misdirected = 'Alertmanager posts to another path than /webhook, so its alerts get no ' +
  'reports: correct the url in its webhook_configs';

/**
 * Logs why requests were refused, which the answers do not say. Each reason is logged as a warning
 * at most once in ten seconds, since anybody who can reach the port can cause it. Further ones are
 * counted and, like all other refusals, logged at debug level.
 */
export class RefusalLog {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #warned = new Map<RefusalReason, { readonly at: number; suppressed: number }>();

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = clock;
    this.#log = log;
  }

  refused(
    { requestId, route, status, client, error, isMisdirected, isWarning }: Refused,
  ): void {
    const reason = reasonOf(error);
    if (reason === 'internal') {
      this.#log.error('Cannot answer a request', { requestId, route, error });
      return;
    }
    const given = error instanceof HttpError ? error.why : undefined;
    const why = isMisdirected ? misdirected : given;
    const fields = { requestId, route, status, reason, why, client };
    const now = this.#clock.monotonic();
    const last = this.#warned.get(reason);
    if (!isWarning && !(error instanceof HttpError && error.isWarning)) {
      this.#log.debug('Refused a request', fields);
    } else if (last !== undefined && now - last.at < intervalMs) {
      last.suppressed += 1;
      this.#log.debug('Refused a request', fields);
    } else {
      this.#warned.set(reason, { at: now, suppressed: 0 });
      const suppressed = last?.suppressed || undefined;
      this.#log.warn('Refused a request', { ...fields, suppressed });
    }
  }
}
