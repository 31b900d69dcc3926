/**
 * Everything kept on disk, opened in order: the journal, which is replayed into the book of
 * episodes, the reports and the recordings.
 */
import { join, resolve } from 'node:path';
import type { DiskRoom } from '../analysis/dispatch/dispatch.ts';
import { EpisodeBook } from '../episodes/book/episode-book.ts';
import type { Episode } from '../episodes/episode.ts';
import {
  applyRecord, createEpisodeJournal, recordKinds, type EpisodeJournal,
} from '../episodes/episode-journal.ts';
import { IncidentAssigner } from '../episodes/incident-assigner.ts';
import type { RetentionLimits } from '../episodes/retention.ts';
import { freeRoomAt, nodeFileSystem } from '../lib/file-system.ts';
import { Journal } from '../queue/journal.ts';
import { RecordingStore } from '../report/store/recording-store.ts';
import { ReportStore } from '../report/store/report-store.ts';
import type { Foundation } from './foundation.ts';
import { Maintenance, type MaintenancePace } from './maintenance.ts';

export interface Storage {
  readonly book: EpisodeBook;
  readonly reports: ReportStore;
  readonly recordings: RecordingStore;
  readonly episodeJournal: EpisodeJournal;
  /** Episodes whose analysis the last process did not finish. */
  readonly pending: readonly Episode[];
  readonly isAvailable: () => boolean;
  /** Size of the journal's files in use. */
  readonly journalBytes: () => number;
  /** Never rejects. */
  readonly room: () => Promise<DiskRoom>;
  /** Resolves once every episode that is known now has its incident. */
  readonly assignIncidents: () => Promise<void>;
  /** Resolves to the sequence number once the notification is on disk; rejects if it cannot be. */
  readonly storeNotification: (parts: readonly Uint8Array[]) => Promise<number>;
  /** Keeps the directory within its limits until `signal` is aborted. */
  readonly maintain: (limits: RetentionLimits, signal: AbortSignal) => Promise<void>;
  readonly close: () => Promise<void>;
}

type StorageBasics = Pick<Foundation, 'settings' | 'clock' | 'log' | 'metrics'>;

interface StorageOptions {
  /** Episodes were removed by retention. */
  readonly onForgotten: () => void;
  readonly pace?: MaintenancePace | undefined;
}

/**
 * Opens everything in the data directory, in whatever state the last process left it. The directory
 * has to be locked already.
 */
export async function openStorage(
  foundation: StorageBasics,
  { onForgotten, pace }: StorageOptions,
): Promise<Storage> {
  const { settings: { dataDirectory, retention }, clock, log, metrics } = foundation;
  const book = new EpisodeBook();
  const assigner = new IncidentAssigner(book, clock);
  const journal = await openJournal(foundation, book, assigner);
  const pending = book.finishReplay();
  logReplay(foundation, { journal, book, pending });
  const episodeJournal = createEpisodeJournal(journal.append.bind(journal), book);
  const episodes = [...book.all()];
  const { damagedRegions, missingRecords } = journal.stats;
  const reports = await ReportStore.open({
    directory: join(dataDirectory, 'reports'), files: nodeFileSystem, clock,
    extentOf: (key) => book.extentsOf(key)?.report ?? null,
    isIncomplete: damagedRegions + missingRecords > 0,
    onDamage(damaged) {
      metrics.damagedReports.inc();
      log.error('A stored report is damaged', { ...damaged });
    },
  }, episodes.flatMap(({ report }) => report ?? []));
  const recordings = await RecordingStore.open({
    directory: join(dataDirectory, 'recordings'), files: nodeFileSystem, clock,
    bytesMax: retention.recordingBytes,
    extentOf: (key) => book.extentsOf(key)?.recording ?? null,
    keep: ({ fingerprint, number }, recording) =>
      episodeJournal.recorded({ fingerprint, number, recording }),
    onTrouble: (error) => log.warn('Cannot store a recording', { error }),
  }, episodes.flatMap(({ recording }) => recording ?? []));
  book.extents.onFreed({
    report: (extent) => reports.free(extent), recording: (extent) => recordings.free(extent),
  });
  const assignIncidents = (): Promise<void> => assigner.assignAll();
  const upkeep = new Maintenance({
    clock, log, pace, onForgotten, journal, book, reports, recordings, episodeJournal,
    assignIncidents,
  });
  return {
    book, reports, recordings, pending, episodeJournal,
    isAvailable: () => journal.isAvailable,
    journalBytes: () => journal.stats.bytes,
    room: async () => ({
      directory: resolve(dataDirectory), ...(await freeRoomAt(dataDirectory)),
    }),
    assignIncidents,
    storeNotification: (parts) => journal.append(recordKinds.notification.type, parts),
    maintain: (limits, signal) => upkeep.maintain(limits, signal),
    async close() {
      await recordings.close();
      await reports.close();
      await journal.close();
    },
  };
}

async function openJournal(
  { settings, clock, log, metrics }: StorageBasics,
  book: EpisodeBook,
  assigner: IncidentAssigner,
): Promise<Journal> {
  const journalDirectory = join(settings.dataDirectory, 'journal');
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
        // A record that depends on lost ones must not prevent the start.
        metrics.journalDamagedRegions.inc();
        log.error('Cannot apply a journal record', { sequence: record.sequence, error });
      }
      return assigner.afterRecord();
    },
  });
}

function logReplay(
  { log, metrics }: StorageBasics,
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
