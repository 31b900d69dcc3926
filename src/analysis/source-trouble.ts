import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../telemetry/log.ts';
import type { SourceCall } from './threads/worker-messages.ts';

interface Standing {
  /** Failed queries since the last answer. */
  unanswered: number;
  isTold: boolean;
  toldAt: number;
  /** When it was last told that a server was given up for another. */
  leftToldAt: number;
}

/** A single failure may be the query's fault. */
const unansweredMax = 3;
/** How often a source that comes and goes is logged. */
const againAfterMs = 10 * 60_000;
/** Queries cancelled after this long count as unanswered; sooner, they were no longer needed. */
const hangsAfterMs = 1_000;

/**
 * Logs when the servers of a source of evidence stop answering, of which one is enough, and when
 * one answers again, and when one is given up for another. Reports say the former too, but whoever
 * runs the service may not read them.
 */
export class SourceTrouble {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #standings = new Map<string, Standing>();

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** A query has ended. */
  asked({ source, servers, server, result, durationMs, failure, left }: SourceCall): void {
    if (result === 'cancelled' && durationMs < hangsAfterMs) return;
    const standing = this.#standingOf(`${source} ${servers.join(' ')}`);
    const now = this.#clock.monotonic();
    if (left !== null && now - standing.leftToldAt >= againAfterMs) {
      standing.leftToldAt = now;
      this.#log.warn('A server of a source gives no usable answer; the next one is asked', {
        source, server: left.server, outcome: left.reason, detail: left.detail,
      });
    }
    if (result === 'ok') {
      if (standing.isTold) this.#log.info('A source answers again', { source, server });
      standing.unanswered = 0;
      standing.isTold = false;
      return;
    }
    standing.unanswered += 1;
    if (standing.unanswered < unansweredMax || standing.isTold) return;
    if (now - standing.toldAt < againAfterMs) return;
    standing.isTold = true;
    standing.toldAt = now;
    // The hint of a cancelled query is for the reader of a report.
    const told = result === 'cancelled'
      ? { detail: `no answer within ${(durationMs / 1000).toFixed(1)} s` } : failure;
    this.#log.warn('A source gives no usable answer; reports are made without its evidence', {
      source, server, outcome: result, ...told,
    });
  }

  #standingOf(key: string): Standing {
    const known = this.#standings.get(key);
    if (known !== undefined) return known;
    const standing = { unanswered: 0, isTold: false, toldAt: -Infinity, leftToldAt: -Infinity };
    this.#standings.set(key, standing);
    return standing;
  }
}
