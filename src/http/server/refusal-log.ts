import type { Clock } from '../../lib/clock.ts';
import { FormatError } from '../../lib/parse.ts';
import type { Logger } from '../../telemetry/log.ts';
import { HttpError, reasonOf, type RefusalReason } from '../exchange.ts';

export interface Refused {
  readonly requestId: string;
  /** The pattern, never the path, which strangers choose; left out where there is none. */
  readonly route?: string | undefined;
  readonly status: number;
  readonly client: string;
  readonly error: unknown;
  /** Whether somebody has to know of it without having looked for it. */
  readonly isWarning: boolean;
}

const intervalMs = 10_000;

/**
 * Tells why requests were refused: an answer says only that. Warnings of one reason come once in
 * ten seconds, as whoever can reach the port can cause them; what that leaves out is counted, and
 * logged for debugging as all other refusals are.
 */
export class RefusalLog {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #warned = new Map<RefusalReason, { readonly at: number; leftOut: number }>();

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = clock;
    this.#log = log;
  }

  refused({ requestId, route, status, client, error, isWarning }: Refused): void {
    const reason = reasonOf(error);
    if (reason === 'internal') {
      this.#log.error('Cannot answer a request', { requestId, route, error });
      return;
    }
    const fields = { requestId, route, status, reason, why: whyOf(error), client };
    const now = this.#clock.monotonic();
    const last = this.#warned.get(reason);
    if (!isWarning) {
      this.#log.debug('Refused a request', fields);
    } else if (last !== undefined && now - last.at < intervalMs) {
      last.leftOut += 1;
      this.#log.debug('Refused a request', fields);
    } else {
      this.#warned.set(reason, { at: now, leftOut: 0 });
      const leftOut = last?.leftOut || undefined;
      this.#log.warn('Refused a request', { ...fields, leftOut });
    }
  }
}

/** Only texts of ours: the message of another error may quote what was sent. */
function whyOf(error: unknown): string | undefined {
  const cause = error instanceof HttpError ? error.cause : undefined;
  if (typeof cause === 'string') return cause;
  return cause instanceof FormatError ? cause.message : undefined;
}
