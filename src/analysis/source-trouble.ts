import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../telemetry/log.ts';
import type { SourceCall } from './threads/worker-messages.ts';

interface ServerState {
  /** Failed queries since the last answer. */
  unanswered: number;
  isLogged: boolean;
  loggedAt: number;
  /** When it was last logged that a server was given up for another. */
  leftLoggedAt: number;
}

/** A single failure may be the query's fault. */
const unansweredMax = 3;
/** How often a source that comes and goes is logged. */
const againAfterMs = 10 * 60_000;
/** Queries cancelled after this long count as unanswered; sooner, they were no longer needed. */
const hangsAfterMs = 1_000;

/**
 * Logs when all servers of a source of evidence stop answering (one is enough), and when
 * one answers again, and when one is given up for another. Reports say the former too, but whoever
 * runs the service may not read them.
 */
export class SourceTrouble {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #states = new Map<string, ServerState>();

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** A query has ended. */
  asked({ source, servers, server, result, durationMs, failure, left }: SourceCall): void {
    if (result === 'cancelled' && durationMs < hangsAfterMs) return;
    const state = this.#stateOf(`${source} ${servers.join(' ')}`);
    const now = this.#clock.monotonic();
    if (left !== null && now - state.leftLoggedAt >= againAfterMs) {
      state.leftLoggedAt = now;
      this.#log.warn('A source server failed; trying the next one', {
        source, server: left.server, outcome: left.reason, detail: left.detail,
      });
    }
    if (result === 'ok') {
      if (state.isLogged) this.#log.info('A source answers again', { source, server });
      state.unanswered = 0;
      state.isLogged = false;
      return;
    }
    state.unanswered += 1;
    if (state.unanswered < unansweredMax || state.isLogged) return;
    if (now - state.loggedAt < againAfterMs) return;
    state.isLogged = true;
    state.loggedAt = now;
    // The hint of a cancelled query is for the reader of a report.
    const details = result === 'cancelled'
      ? { detail: `no answer within ${(durationMs / 1000).toFixed(1)} s` } : failure;
    this.#log.warn('A source is unavailable; reports omit its evidence', {
      source, server, outcome: result, ...details,
    });
  }

  #stateOf(key: string): ServerState {
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const state = { unanswered: 0, isLogged: false, loggedAt: -Infinity, leftLoggedAt: -Infinity };
    this.#states.set(key, state);
    return state;
  }
}
