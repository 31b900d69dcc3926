/**
 * What is kept on disk, opened in order: the journal, replayed into the book of episodes, and the
 * reports. And what keeps it within its limits.
 */
import { join } from 'node:path';
import type { Episode } from './episodes/episode.ts';
import { EpisodeBook } from './episodes/episode-book.ts';
import { createEpisodeJournal, type EpisodeJournal } from './episodes/episode-journal.ts';
import { encodeRecord, recordType } from './episodes/records.ts';
import { applyRecord } from './episodes/replay.ts';
import { expiredEpisodes, type RetentionLimits } from './episodes/retention.ts';
import { BelievableClock, lastSteady } from './lib/believable-clock.ts';
import type { Clock } from './lib/clock.ts';
import { nodeFileSystem } from './lib/file-system.ts';
import { Journal } from './queue/journal.ts';
import { RecordingStore } from './report/store/recording-store.ts';
import { ReportStore } from './report/store/report-store.ts';
import type { Logger } from './telemetry/log.ts';
import type { ServiceMetrics } from './telemetry/service-metrics.ts';

export interface Storage {
  readonly book: EpisodeBook;
  readonly reports: ReportStore;
  readonly recordings: RecordingStore;
  readonly episodeJournal: EpisodeJournal;
  /** Episodes whose analysis the last process did not end. */
  readonly pending: readonly Episode[];
  readonly isAvailable: () => boolean;
  /** Resolves with the sequence number once the notification is on disk; else rejects. */
  readonly storeNotification: (parts: readonly Uint8Array[]) => Promise<number>;
  /** Keeps the directory within its limits until `signal` is aborted. */
  readonly maintain: (limits: RetentionLimits, signal: AbortSignal) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface StorageOptions {
  /** Locked for this process already. */
  readonly directory: string;
  /** Of all recordings together; 0 keeps none. */
  readonly recordingBytes: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ServiceMetrics;
  /** A report was stored, in place of another or not. */
  readonly onReport: (fingerprint: string, number: number) => void;
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

/** Opens everything in the directory, however it was left. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const { directory, log } = options;
  const book = new EpisodeBook();
  const upkeep = { isCompactionDue: false };
  const journal = await openJournal(options, book, () => (upkeep.isCompactionDue = true));
  const pending = book.settle();
  logReplay(options, { journal, book, pending });
  const reports = await ReportStore.open({
    directory: join(directory, 'reports'), files: nodeFileSystem,
    onDamage(damaged) {
      options.metrics.damagedReports.inc();
      log.error('A stored report is damaged', { ...damaged });
    },
    onWritten: options.onReport,
  });
  const recordings = await RecordingStore.open({
    directory: join(directory, 'recordings'), files: nodeFileSystem,
    bytesMax: options.recordingBytes,
    onTrouble: (error) => log.warn('Cannot keep a recording', { error }),
  });
  const episodeJournal = createEpisodeJournal(journal.append.bind(journal), book);
  return {
    book,
    reports,
    recordings,
    episodeJournal,
    pending,
    isAvailable: () => journal.isAvailable,
    storeNotification: (parts) => journal.append(recordType.notification, parts),
    maintain: createUpkeep(options, {
      journal, book, reports, recordings, episodeJournal, upkeep,
    }),
    async close() {
      await journal.close();
      await recordings.idle();
    },
  };
}

async function openJournal(
  { directory, clock, log, metrics }: StorageOptions,
  book: EpisodeBook,
  onRecovered: () => void,
): Promise<Journal> {
  const journalDirectory = join(directory, 'journal');
  await nodeFileSystem.mkdir(journalDirectory);
  return Journal.open({
    directory: journalDirectory,
    files: nodeFileSystem,
    clock,
    log: log.with({ component: 'journal' }),
    onSync: (seconds) => metrics.journalSyncDuration.observe(seconds),
    onRecovered,
    onRecord(record) {
      try {
        applyRecord(book, record);
      } catch (error) {
        // A record that makes no sense behind lost ones must not keep the rest from starting.
        metrics.journalDamagedRegions.inc();
        log.error('Cannot apply a journal record', { sequence: record.sequence, error });
      }
    },
  });
}

function logReplay(
  { log, metrics }: StorageOptions,
  { journal, book, pending }: { journal: Journal; book: EpisodeBook; pending: readonly Episode[] },
): void {
  const { damagedRegions, tornTails, missingRecords, bytes, segments } = journal.stats;
  metrics.journalDamagedRegions.inc({}, damagedRegions);
  metrics.journalTornTails.inc({}, tornTails);
  metrics.journalMissingRecords.inc({}, missingRecords);
  log.info('Journal replayed', {
    bytes, segments, damagedRegions, tornTails, missingRecords,
    episodes: book.total, open: book.open.size, pending: pending.length,
  });
}

interface Kept {
  readonly journal: Journal;
  readonly book: EpisodeBook;
  readonly reports: ReportStore;
  readonly recordings: RecordingStore;
  readonly episodeJournal: EpisodeJournal;
  readonly upkeep: { isCompactionDue: boolean };
}

function createUpkeep(
  { clock, log, onForgotten, pace = usualPace }: StorageOptions,
  kept: Kept,
): Storage['maintain'] {
  const { journal, book, reports, recordings, episodeJournal, upkeep } = kept;
  const acceptances = [...book.acceptances()].map(([, { at }]) => at);
  const wallTime = new BelievableClock(clock, lastSteady(acceptances));
  async function compactIfDue(): Promise<void> {
    const { bytes, snapshotBytes } = journal.stats;
    const aliveBytes = book.waitingWeight + book.feedback.weight + book.total * episodeBytes;
    const worthBytes = pace.compactGrowth * Math.max(snapshotBytes, aliveBytes);
    const limit = Math.max(pace.compactFromBytes, worthBytes);
    if (!upkeep.isCompactionDue && bytes < limit) return;
    log.debug('Compacting the journal', { bytes });
    await journal.compact(snapshotOf(book));
    upkeep.isCompactionDue = false;
    log.info('Journal compacted', { bytes: journal.stats.bytes, episodes: book.total });
  }

  async function forgetExpired(
    { ageMs, episodesMax }: RetentionLimits,
    signal: AbortSignal,
  ): Promise<void> {
    const isBelievable = wallTime.isBelievable();
    if (!isBelievable) log.warn('Forgetting nothing by its age: the clock is far ahead of before');
    const limits = { ageMs: isBelievable ? ageMs : Infinity, episodesMax };
    while (!signal.aborted) {
      const expired = expiredEpisodes(book, limits, clock.now());
      if (expired.length === 0) return;
      log.debug('Forgetting old episodes', { episodes: expired.length });
      // All at once, so that the journal takes them in one flush: as many may come in meanwhile.
      await Promise.all(expired.map(async ({ fingerprint, number }) => {
        await reports.remove(fingerprint, number);
        await recordings.remove(fingerprint, number);
        await episodeJournal.forget({ fingerprint, number });
      }));
      log.info('Forgot old episodes', { episodes: expired.length });
      onForgotten();
    }
  }

  function cannotTidyUp(error: unknown): void {
    log.warn('Cannot tidy up the data directory', { error });
  }

  return async (limits, signal) => {
    for (let round = 0; !signal.aborted; round++) {
      await journal.checkPlace().catch(cannotTidyUp);
      await compactIfDue().catch(cannotTidyUp);
      // Where the disk has no room for a snapshot, this makes some.
      const isFull = book.total > limits.episodesMax;
      const isTimely = isFull || round % pace.retentionEveryRounds === 0;
      if (isTimely) await forgetExpired(limits, signal).catch(cannotTidyUp);
      await clock.sleep(pace.everyMs, signal).catch(() => {}); // Aborted: the loop ends.
    }
  };
}

function* snapshotOf(book: EpisodeBook): Iterable<{ type: number; payload: Uint8Array }> {
  for (const record of book.records()) {
    yield { type: recordType.episode, payload: Buffer.concat(encodeRecord(record)) };
  }
}
