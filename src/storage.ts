/**
 * What is kept on disk, opened in order: the journal, replayed into the book of episodes, and the
 * reports.
 */
import { join } from 'node:path';
import { EpisodeBook } from './episodes/book/episode-book.ts';
import type { Episode } from './episodes/episode.ts';
import { createEpisodeJournal, type EpisodeJournal } from './episodes/episode-journal.ts';
import { recordType } from './episodes/records.ts';
import { applyRecord } from './episodes/replay.ts';
import type { RetentionLimits } from './episodes/retention.ts';
import type { Clock } from './lib/clock.ts';
import { nodeFileSystem } from './lib/file-system.ts';
import { Journal } from './queue/journal.ts';
import { RecordingStore } from './report/store/recording-store.ts';
import { ReportStore } from './report/store/report-store.ts';
import type { Logger } from './telemetry/log.ts';
import type { ServiceMetrics } from './telemetry/service-metrics.ts';
import { Upkeep, type UpkeepPace } from './upkeep.ts';

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

interface StorageOptions {
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

/** Opens everything in the directory, however it was left. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const { directory, log } = options;
  const book = new EpisodeBook();
  const journal = await openJournal(options, book);
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
  const upkeep = new Upkeep({ ...options, journal, book, reports, recordings, episodeJournal });
  return {
    book,
    reports,
    recordings,
    episodeJournal,
    pending,
    isAvailable: () => journal.isAvailable,
    storeNotification: (parts) => journal.append(recordType.notification, parts),
    maintain: (limits, signal) => upkeep.maintain(limits, signal),
    async close() {
      await journal.close();
      await recordings.idle();
    },
  };
}

async function openJournal(
  { directory, clock, log, metrics }: StorageOptions,
  book: EpisodeBook,
): Promise<Journal> {
  const journalDirectory = join(directory, 'journal');
  await nodeFileSystem.mkdir(journalDirectory);
  return Journal.open({
    directory: journalDirectory,
    files: nodeFileSystem,
    clock,
    log: log.with({ component: 'journal' }),
    onSync: (seconds) => metrics.journalSyncDuration.observe(seconds),
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
