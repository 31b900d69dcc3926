import { setMaxListeners } from 'node:events';
import { isPending } from '../../episodes/analysis-state.ts';
import type { Episode } from '../../episodes/episode.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ReportStore } from '../../report/store/report-store.ts';
import type { Logger } from '../../telemetry/log.ts';

interface ReportWriterPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly reports: Pick<ReportStore, 'write'>;
}

/** Delay before retrying what could not be written. */
export const storageRetryMs = 1_000;
/** After this, writing a report is given up: it is outdated, and smaller ones may still fit. */
const retryMs = 60_000;
/** How often a disk that stays full is logged. */
const logEveryMs = 60_000;

/**
 * Writes reports. One that cannot be written is kept for a while and retried, so that the sources
 * need not be asked again. Logs that the disk fails, and that it works again.
 */
export class ReportWriter {
  readonly #ports: ReportWriterPorts;
  readonly #stopped = new AbortController();
  #waiting = 0;
  /** Whether a failure was logged since the last success, and when: monotonic ms. */
  #isFailureLogged = false;
  #failureLoggedAt = -Infinity;

  constructor(ports: ReportWriterPorts) {
    this.#ports = ports;
    // Every waiting report adds a listener; Node warns of a leak from the eleventh on.
    setMaxListeners(0, this.#stopped.signal);
  }

  /** How many reports wait to be written again. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Rejects without a retry if the episode has a report: it might be removed in the meantime. */
  async write(episode: Episode, json: string): Promise<void> {
    try {
      await this.#write(episode, json);
    } catch (error) {
      if (!isPending(episode.analysis)) throw error;
      this.#waiting += 1;
      await this.#retry(episode, json, error).finally(() => (this.#waiting -= 1));
    }
  }

  async #retry(episode: Episode, json: string, failure: unknown): Promise<void> {
    const { clock } = this.#ports;
    const { signal } = this.#stopped;
    const until = clock.monotonic() + retryMs;
    let error = failure;
    do {
      this.logFailure(episode, error);
      await clock.sleep(storageRetryMs, signal).catch(() => undefined); // Stopped: one last time.
      try {
        return await this.#write(episode, json);
      } catch (again) {
        error = again;
      }
    } while (!signal.aborted && clock.monotonic() < until);
    throw error;
  }

  #write({ fingerprint, number }: Episode, json: string): Promise<void> {
    return this.#ports.reports.write(fingerprint, number, json);
  }

  logFailure({ fingerprint, number }: Episode, error: unknown): void {
    const { log, clock } = this.#ports;
    if (clock.monotonic() - this.#failureLoggedAt < logEveryMs) return;
    this.#failureLoggedAt = clock.monotonic();
    this.#isFailureLogged = true;
    log.warn('Cannot store an analysis; trying again', { fingerprint, episode: number, error });
  }

  /** To be called when an analysis was stored completely. */
  logSuccess(): void {
    if (this.#isFailureLogged) this.#ports.log.info('Analyses can be stored again');
    this.#isFailureLogged = false;
  }

  /** Ends all waiting after one last try. */
  stop(): void {
    this.#stopped.abort();
  }
}
