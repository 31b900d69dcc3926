/** What keeps the data directory within its limits. */
import type { Episode } from './episodes/episode.ts';
import type { EpisodeBook } from './episodes/book/episode-book.ts';
import type { EpisodeJournal } from './episodes/episode-journal.ts';
import { encodeRecord, recordType } from './episodes/records.ts';
import { expiredEpisodes, type RetentionLimits } from './episodes/retention.ts';
import { BelievableClock, lastSteady } from './lib/believable-clock.ts';
import type { Clock } from './lib/clock.ts';
import type { Journal } from './queue/journal.ts';
import type { RecordingStore } from './report/store/recording-store.ts';
import type { ReportStore } from './report/store/report-store.ts';
import type { Logger } from './telemetry/log.ts';

interface UpkeepOptions {
  readonly journal: Pick<Journal, 'stats' | 'checkPlace' | 'compact'>;
  readonly book: EpisodeBook;
  readonly reports: Pick<ReportStore, 'remove'>;
  readonly recordings: Pick<RecordingStore, 'remove'>;
  readonly episodeJournal: Pick<EpisodeJournal, 'forget'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Episodes were forgotten. */
  readonly onForgotten: () => void;
  readonly pace?: UpkeepPace | undefined;
}

/** How often the directory is looked after, and how much there must be to do. */
export interface UpkeepPace {
  readonly everyMs: number;
  /** Retention looks every so many rounds for what is too old; for what is too much, in each. */
  readonly retentionEveryRounds: number;
  /**
   * The journal is replaced by a snapshot when it is this long, and so many times as long as the
   * last snapshot and as what is alive in it: a backlog that waits for analysis would only be
   * copied.
   */
  readonly compactFromBytes: number;
  readonly compactGrowth: number;
}

const usualPace: UpkeepPace = {
  everyMs: 10_000,
  retentionEveryRounds: 30,
  compactFromBytes: 64 * 1024 * 1024,
  compactGrowth: 1.5,
};
/** What an episode takes in a snapshot, beside the text of an alert that waits. */
const episodeBytes = 512;

/** Replaces the journal by a snapshot in time, and forgets what is too old or too much. */
export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #pace: UpkeepPace;
  readonly #wallTime: BelievableClock;
  /** Failures of the journal whose segments a snapshot has replaced. */
  #recoveriesCompacted = 0;

  /** The journal is replayed by now: what it tells of time is what the clock is held against. */
  constructor(options: UpkeepOptions) {
    const { clock, book, pace = usualPace } = options;
    this.#options = options;
    this.#pace = pace;
    const acceptances = [...book.acceptances()].map(([, { at }]) => at);
    this.#wallTime = new BelievableClock(clock, lastSteady(acceptances));
  }

  /** Looks after the directory until `signal` is aborted. */
  async maintain(limits: RetentionLimits, signal: AbortSignal): Promise<void> {
    const { clock, log, journal, book } = this.#options;
    const { everyMs, retentionEveryRounds } = this.#pace;
    const cannotTidyUp = (error: unknown): void => {
      log.warn('Cannot tidy up the data directory', { error });
    };
    for (let round = 0; !signal.aborted; round++) {
      await journal.checkPlace().catch(cannotTidyUp);
      await this.#compactIfDue().catch(cannotTidyUp);
      // Where the disk has no room for a snapshot, this makes some.
      const isFull = book.total > limits.episodesMax;
      const isTimely = isFull || round % retentionEveryRounds === 0;
      if (isTimely) await this.#forgetExpired(limits, signal).catch(cannotTidyUp);
      await clock.sleep(everyMs, signal).catch(() => {}); // Aborted: the loop ends.
    }
  }

  async #compactIfDue(): Promise<void> {
    const { log, journal, book } = this.#options;
    const { bytes, recoveries } = journal.stats;
    // What lies around a failure is left behind, however little it is.
    if (recoveries === this.#recoveriesCompacted && bytes < this.#compactFromBytes()) return;
    log.debug('Compacting the journal', { bytes });
    await journal.compact(snapshotOf(book));
    this.#recoveriesCompacted = recoveries;
    log.info('Journal compacted', { bytes: journal.stats.bytes, episodes: book.total });
  }

  #compactFromBytes(): number {
    const { journal, book } = this.#options;
    const aliveBytes = book.waitingWeight + book.feedback.weight + book.total * episodeBytes;
    const worthBytes = this.#pace.compactGrowth * Math.max(journal.stats.snapshotBytes, aliveBytes);
    return Math.max(this.#pace.compactFromBytes, worthBytes);
  }

  async #forgetExpired(
    { ageMs, episodesMax }: RetentionLimits,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, log, book, onForgotten } = this.#options;
    const isBelievable = this.#wallTime.isBelievable();
    if (!isBelievable) log.warn('No report is removed for its age: the clock has jumped far ahead');
    const limits = { ageMs: isBelievable ? ageMs : Infinity, episodesMax };
    while (!signal.aborted) {
      const expired = expiredEpisodes(book, limits, clock.now());
      if (expired.length === 0) return;
      log.debug('Forgetting old episodes', { episodes: expired.length });
      // All at once, so that the journal takes them in one flush: as many may come in meanwhile.
      await Promise.all(expired.map((episode) => this.#forget(episode)));
      log.info('Forgot old episodes', { episodes: expired.length });
      onForgotten();
    }
  }

  async #forget({ fingerprint, number }: Episode): Promise<void> {
    const { reports, recordings, episodeJournal } = this.#options;
    await reports.remove(fingerprint, number);
    await recordings.remove(fingerprint, number);
    await episodeJournal.forget({ fingerprint, number });
  }
}

function* snapshotOf(book: EpisodeBook): Iterable<{ type: number; payload: Uint8Array }> {
  for (const record of book.records()) {
    yield { type: recordType.episode, payload: Buffer.concat(encodeRecord(record)) };
  }
}
