import { setMaxListeners } from 'node:events';
import { isPending } from '../../episodes/analysis-state.ts';
import type { Episode } from '../../episodes/episode.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../telemetry/log.ts';

export interface ReportWriterPorts {
  readonly clock: Clock;
  readonly log: Logger;
  /** Stores the report's text, whole or not at all. Rejects when the disk refuses. */
  readonly writeReport: (episode: Episode, json: string) => Promise<void>;
}

/** How long to wait before trying again what the disk refused. */
export const storageRetryMs = 1_000;
/** After this a report is given up: it is old by now, and others may fit where it does not. */
const insistMs = 60_000;
/** How often the log is told of a disk that stays full. */
const toldEveryMs = 60_000;

/**
 * Writes reports. One that the disk refuses is kept for a while and tried again, so that the
 * sources need not be asked once more for it. Tells the log of a disk that refuses.
 */
export class ReportWriter {
  readonly #ports: ReportWriterPorts;
  readonly #stopped = new AbortController();
  #waiting = 0;
  /** Whether the log was told last that the disk refuses, and since when by the monotonic clock. */
  #isRefusalTold = false;
  #refusalToldAt = -Infinity;

  constructor(ports: ReportWriterPorts) {
    this.#ports = ports;
    // Every report that waits listens to it: from the eleventh on Node would warn of a leak.
    setMaxListeners(0, this.#stopped.signal);
  }

  /** Reports that the disk has refused and may still take. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Rejects at once where the episode has a report: it might be forgotten before the next try. */
  async write(episode: Episode, json: string): Promise<void> {
    try {
      await this.#ports.writeReport(episode, json);
    } catch (error) {
      if (!isPending(episode.analysis)) throw error;
      this.#waiting += 1;
      await this.#insist(episode, json, error).finally(() => (this.#waiting -= 1));
    }
  }

  async #insist(episode: Episode, json: string, refusal: unknown): Promise<void> {
    const { clock, writeReport } = this.#ports;
    const { signal } = this.#stopped;
    const until = clock.monotonic() + insistMs;
    let error = refusal;
    do {
      this.tellRefusal(episode, error);
      await clock.sleep(storageRetryMs, signal).catch(() => undefined); // Stopped: one last time.
      try {
        return await writeReport(episode, json);
      } catch (again) {
        error = again;
      }
    } while (!signal.aborted && clock.monotonic() < until);
    throw error;
  }

  tellRefusal({ fingerprint, number }: Episode, error: unknown): void {
    const { log, clock } = this.#ports;
    if (clock.monotonic() - this.#refusalToldAt < toldEveryMs) return;
    this.#refusalToldAt = clock.monotonic();
    this.#isRefusalTold = true;
    log.warn('Cannot store an analysis; trying again', { fingerprint, episode: number, error });
  }

  /** An analysis is stored, its report and all. */
  tellStored(): void {
    if (this.#isRefusalTold) this.#ports.log.info('Analyses can be stored again');
    this.#isRefusalTold = false;
  }

  /** Lets none wait any longer. */
  stop(): void {
    this.#stopped.abort();
  }
}
