/** Keeps the data directory within its limits. */
import type { EpisodeBook } from '../episodes/book/episode-book.ts';
import type { Episode } from '../episodes/episode.ts';
import { snapshotOf, type EpisodeJournal } from '../episodes/episode-journal.ts';
import { expiredEpisodes, openBytesMax, type RetentionLimits } from '../episodes/retention.ts';
import type { Clock } from '../lib/clock.ts';
import { BelievableClock, lastSteady } from '../lib/clock-trust.ts';
import type { Journal } from '../queue/journal.ts';
import type { RecordingStore } from '../report/store/recording-store.ts';
import type { ReportStore } from '../report/store/report-store.ts';
import type { Logger } from '../telemetry/log.ts';

interface MaintenanceOptions {
  readonly journal: Pick<Journal, 'stats' | 'checkPlace' | 'compact' | 'removeCopies'>;
  readonly book: EpisodeBook;
  readonly reports: Pick<ReportStore, 'removeOlder' | 'tidy' | 'sparsest' | 'copy'>;
  readonly recordings: Pick<RecordingStore, 'removeOlder' | 'tidy'>;
  readonly episodeJournal: Pick<EpisodeJournal, 'forget' | 'moved'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Resolves once every episode has its incident, which a snapshot has to contain. */
  readonly assignIncidents: () => Promise<void>;
  /** Episodes were removed by retention. */
  readonly onForgotten: () => void;
  readonly pace?: MaintenancePace | undefined;
}

/** How often maintenance runs, and when compaction is worthwhile. */
export interface MaintenancePace {
  readonly everyMs: number;
  /** Too old episodes are removed every so many rounds; too many or too long, in each round. */
  readonly retentionEveryRounds: number;
  /**
   * The journal is replaced by a snapshot when it has at least this length, and at least
   * `compactGrowth` times that of both the last snapshot and its live data: compacting a backlog
   * that waits for analysis would only copy it.
   */
  readonly compactFromBytes: number;
  readonly compactGrowth: number;
  /** How often Alertmanager is asked which alerts it has; five minutes if not given. */
  readonly reconcileEveryMs?: number;
}

const usualPace: MaintenancePace = {
  everyMs: 10_000,
  retentionEveryRounds: 30,
  compactFromBytes: 64 * 1024 * 1024,
  compactGrowth: 1.5,
};
/** Size of an episode in a snapshot, without the text of an alert that waits for analysis. */
const episodeBytes = 512;

/** Compacts the journal when it is due, and removes episodes that are too old or too many. */
export class Maintenance {
  readonly #options: MaintenanceOptions;
  readonly #pace: MaintenancePace;
  readonly #wallTime: BelievableClock;
  /** The journal's count of recoveries from write failures at the last snapshot. */
  #recoveriesCompacted = 0;

  /** The journal has been replayed: its times are what the wall clock is checked against. */
  constructor(options: MaintenanceOptions) {
    const { clock, book, pace = usualPace } = options;
    this.#options = options;
    this.#pace = pace;
    const acceptances = [...book.acceptances()].map(([, { at }]) => at);
    this.#wallTime = new BelievableClock(clock, lastSteady(acceptances));
  }

  /** Maintains the directory until `signal` is aborted. */
  async maintain(limits: RetentionLimits, signal: AbortSignal): Promise<void> {
    const { clock, log, journal, book } = this.#options;
    const { everyMs, retentionEveryRounds } = this.#pace;
    const cannotMaintain = (error: unknown): void => {
      log.warn('Cannot maintain the data directory', { error });
    };
    for (let round = 0; !signal.aborted; round++) {
      await journal.checkPlace().catch(cannotMaintain);
      await this.#compactIfDue().catch(cannotMaintain);
      await this.#tidyStores().catch(cannotMaintain);
      // Comes after compaction: where the disk has no room for a snapshot, this frees some.
      const { episodesMax, openBytes = openBytesMax } = limits;
      const isFull = book.total > episodesMax || book.open.weight > openBytes;
      const isTimely = isFull || round % retentionEveryRounds === 0;
      if (isTimely) await this.#forgetExpired(limits, signal).catch(cannotMaintain);
      await clock.sleep(everyMs, signal).catch(() => {}); // Aborted: the loop ends.
    }
  }

  async #compactIfDue(): Promise<void> {
    const { log, journal, book, assignIncidents } = this.#options;
    const { bytes, recoveries } = journal.stats;
    // After a write failure the journal is compacted at any size, to leave the damage behind.
    if (recoveries === this.#recoveriesCompacted && bytes < this.#compactFromBytes()) return;
    log.debug('Compacting the journal', { bytes });
    await assignIncidents();
    await journal.compact(snapshotOf(book));
    this.#recoveriesCompacted = recoveries;
    log.info('Journal compacted', { bytes: journal.stats.bytes, episodes: book.total });
  }

  async #tidyStores(): Promise<void> {
    const { book, reports, recordings, episodeJournal } = this.#options;
    await recordings.tidy();
    await reports.tidy();
    for (let file = reports.sparsest(); file !== null; file = reports.sparsest()) {
      const inFile = [...book.all()].filter(({ report }) => report?.file === file);
      for (const { fingerprint, number, report: from } of inFile) {
        const key = { fingerprint, number };
        const report = from && await reports.copy(key, from);
        if (report === null) break;
        await episodeJournal.moved({ ...key, from, report });
      }
      await reports.tidy();
    }
  }

  #compactFromBytes(): number {
    const { journal, book } = this.#options;
    const aliveBytes = book.waitingWeight + book.feedback.weight + book.total * episodeBytes;
    const worthBytes = this.#pace.compactGrowth * Math.max(journal.stats.snapshotBytes, aliveBytes);
    return Math.max(this.#pace.compactFromBytes, worthBytes);
  }

  async #forgetExpired(
    { ageMs, ...others }: RetentionLimits,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, log, book, journal, onForgotten } = this.#options;
    const isBelievable = this.#wallTime.isBelievable();
    if (!isBelievable) log.warn('The clock jumped far ahead: no reports are removed for their age');
    const limits = { ageMs: isBelievable ? ageMs : Infinity, ...others };
    // What is damaged holds alerts as well, and is kept no longer than they are.
    await journal.removeCopies(clock.now() - limits.ageMs).catch((error: unknown) => {
      log.warn('Cannot remove old copies of damaged data', { error });
    });
    while (!signal.aborted) {
      const expired = expiredEpisodes(book, limits, clock.now());
      if (expired.length === 0) return;
      log.debug('Removing old episodes', { episodes: expired.length });
      // All at once, so that one flush of the journal covers them.
      await Promise.all(expired.map((episode) => this.#forget(episode)));
      log.info('Removed old episodes', { episodes: expired.length });
      onForgotten();
    }
  }

  async #forget({ fingerprint, number }: Episode): Promise<void> {
    const { reports, recordings, episodeJournal } = this.#options;
    const key = { fingerprint, number };
    await reports.removeOlder(key);
    await recordings.removeOlder(key);
    await episodeJournal.forget(key);
  }
}
