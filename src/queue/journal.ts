import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Clock } from '../lib/clock.ts';
import type { FileSystem } from '../lib/file-system.ts';
import type { Logger } from '../telemetry/log.ts';
import { removeCopies } from './journal-damage.ts';
import { frameRecords, writeFlush } from './journal-files.ts';
import type { JournalContext, Segment } from './journal-files.ts';
import {
  type Checksum,
  flagFlushStart,
  type FramedRecord,
  payloadBytesMax,
  recordHeadBytes,
} from './journal-record.ts';
import { type Damage, type OnRecord, replayJournal, type JournalReplay } from './journal-replay.ts';
import { SegmentChain } from './journal-segments.ts';
import { type SnapshotEntry, writeSnapshot } from './journal-snapshot.ts';

export interface JournalOptions {
  /** An existing directory that only this process uses. */
  readonly directory: string;
  readonly files: FileSystem;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called by `open` for every snapshot entry and then for every later record, in order. */
  readonly onRecord: OnRecord;
  /** Called with the number of seconds that each flush took. */
  readonly onSync?: (seconds: number) => void;
  /** Size beyond which a new segment is started. Default 64 MiB. */
  readonly segmentBytes?: number;
  /** Returns 32 random bits. Default: the system's random numbers. */
  readonly random?: () => number;
  /** Default: CRC-32. */
  readonly checksum?: Checksum;
}

export interface JournalStats extends Readonly<Damage> {
  /** Size of all files in use. */
  readonly bytes: number;
  /** Size of the snapshot; 0 without one. */
  readonly snapshotBytes: number;
  readonly segments: number;
  /** New segments after a write failure: a reason to `compact`, which drops the failed ones. */
  readonly recoveries: number;
}

/** The record is not on disk: the disk is full or failing, or the journal is closed. */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError';

  constructor(reason: string, cause?: unknown) {
    super(`Cannot append to the journal: ${reason}`, { cause });
  }
}

/** A record waiting to be written; it gets its sequence number and flags with its flush. */
interface Waiting extends FramedRecord {
  sequence: number;
  flags: number;
  readonly bytes: number;
  readonly isUrgent: boolean;
  readonly resolve: (sequence: number) => void;
  readonly reject: (error: Error) => void;
}

const segmentBytesDefault = 64 * 1024 * 1024;
/** A flush holds at most this much, or one larger record: the next start has to rewrite it. */
const flushBytesMax = 4 * 1024 * 1024;
/**
 * How long a record that is not urgent lets others join its flush, which takes as much of the
 * processor as dozens of records.
 */
const lingerMs = 10;
const probeBytes = 1024 * 1024;
const recoverEveryMs = 1000;
/** A hanging disk reports no error: after this, new records are refused; those waiting go on. */
const stalledAfterMs = 10_000;
const unavailableReason = 'the disk is full or failing';
const stalledReason = 'the disk has not answered for 10 s';
const writableAgain = 'Journal can be written again';

/**
 * An append-only log: once `append` has resolved, the record is on disk and is replayed at the next
 * start.
 *
 * There is one flush at a time; whatever is appended during it shares the next one. A failed flush
 * ends its segment for good: after a failure the kernel may mark pages clean that never reached the
 * disk, so neither a later sync nor a read can be trusted. Everything waiting is rejected, and a
 * new segment is tried every second. Its header says up to which record earlier segments are valid,
 * so nothing that was rejected comes back.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #context: JournalContext;
  readonly #damage: Damage;
  readonly #chain: SegmentChain;
  readonly #closing = new AbortController();
  #last: number;
  #waiting: Waiting[] = [];
  #rollRequests: { resolve: (segment: Segment) => void; reject: (error: Error) => void }[] = [];
  #flushing: Promise<void> | null = null;
  /** Aborted when a flush must not wait for more records. */
  #lingering = new AbortController();
  /** Monotonic ms; null while no flush is running. */
  #flushBeganAt: number | null = null;
  /** Whether the stall of the current flush has been logged. */
  #isStallLogged = false;
  /** A segment whose file was found to be removed or replaced. */
  #gone: Segment | null = null;
  #recovering: Promise<void> = Promise.resolve();
  #recoveries = 0;
  #compacting: Promise<void> | null = null;

  /** Use {@linkcode Journal.open}. */
  private constructor(options: JournalOptions, context: JournalContext, replayed: JournalReplay) {
    this.#options = options;
    this.#context = context;
    this.#damage = replayed.damage;
    this.#chain = new SegmentChain(context, options.log, replayed);
    this.#last = replayed.last;
  }

  /**
   * Opens whatever is in the directory, however damaged: `stats` and the log say what was lost. If
   * nothing can be written, the journal still opens but is not available at first. Throws
   * {@linkcode UnknownVersionError} on a newer format, and then leaves all files as they are.
   */
  static async open(options: JournalOptions): Promise<Journal> {
    const { directory, files, log, onRecord } = options;
    const random = options.random ?? randomBits;
    const context = { directory, files, random, checksum: options.checksum ?? crc32 };
    const replayed = await replayJournal({ context, log, onRecord });
    const journal = new Journal(options, context, replayed);
    try {
      await journal.#chain.start(replayed.last, 0);
    } catch (error) {
      journal.#fail(error);
    }
    return journal;
  }

  get isAvailable(): boolean {
    return this.#problem() === null;
  }

  get stats(): JournalStats {
    const { bytes, snapshotBytes, count: segments } = this.#chain;
    return { ...this.#damage, bytes, snapshotBytes, segments, recoveries: this.#recoveries };
  }

  /**
   * Resolves to the record's sequence number once it is on disk; rejects with
   * {@linkcode StorageUnavailableError} if it will never be. `parts` are joined to form the payload
   * and must not change until then. `type` is a number from 0 to 255, chosen by the owner. What is
   * not urgent may wait for a few milliseconds, so that it is written together with other records.
   */
  append(type: number, parts: readonly Uint8Array[], isUrgent = true): Promise<number> {
    let bytes = recordHeadBytes;
    for (const part of parts) bytes += part.length;
    if (bytes - recordHeadBytes > payloadBytesMax || !(type >= 0 && type <= 255)) {
      const what = `type ${type}, ${bytes} bytes`;
      return Promise.reject(new RangeError(`Cannot append to the journal: ${what}`));
    }
    const problem = this.#problem();
    if (problem !== null) return Promise.reject(problem);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ sequence: 0, type, flags: 0, parts, bytes, isUrgent, resolve, reject });
      if (isUrgent) this.#lingering.abort(hurry);
      this.#flushing ??= this.#flushAll();
    });
  }

  /**
   * Writes a snapshot of the owner's state and removes all older files. Appends go on meanwhile, so
   * an entry may or may not include their effect, and these records are replayed after the entries:
   * the owner must store in each entry the sequence number of the last record applied to it, and
   * skip records up to that number on replay. It must also apply each record in the continuation of
   * the promise that `append` returned. Rejects on failure; all files are then as before.
   */
  compact(entries: Iterable<SnapshotEntry>): Promise<void> {
    if (this.#compacting !== null) {
      return Promise.reject(new Error('Cannot compact the journal: it is already being compacted'));
    }
    this.#compacting = this.#compact(entries).finally(() => {
      this.#compacting = null;
    });
    return this.#compacting;
  }

  /**
   * Checks that the current segment is still under its name, where the next start looks for it.
   * After its file or directory was removed or replaced, writes would go on without an error.
   */
  async checkPlace(): Promise<void> {
    const segment = this.#chain.current;
    if (segment === null) return;
    const found = await this.#context.files.stat(segment.path);
    if (found !== null && found.identity === segment.identity) return;
    if (this.#chain.current !== segment || this.#closing.signal.aborted) return;
    this.#gone = segment;
    if (this.#flushing === null) this.#fail(goneError(segment)); // Otherwise the next flush fails.
  }

  /** Removes the copies of damaged data that were made before that wall time in ms. */
  async removeCopies(beforeMs: number): Promise<void> {
    await removeCopies(this.#context, beforeMs);
  }

  /** Waits for pending appends, then closes. Later appends reject. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#lingering.abort(hurry);
    await this.#flushing;
    await this.#compacting?.catch(() => {}); // Its caller gets the error.
    await this.#recovering;
    const segment = this.#chain.take();
    if (segment === null) return;
    try {
      await segment.file.truncate(segment.end); // Drop the filler.
      await segment.file.sync();
    } finally {
      await segment.file.close();
    }
  }

  #problem(): StorageUnavailableError | null {
    if (this.#closing.signal.aborted) return new StorageUnavailableError('it is closed');
    if (this.#chain.current === null) return new StorageUnavailableError(unavailableReason);
    return this.#isStalled() ? new StorageUnavailableError(stalledReason) : null;
  }

  #isStalled(): boolean {
    const { clock, log } = this.#options;
    if (this.#flushBeganAt === null) return false;
    if (clock.monotonic() - this.#flushBeganAt <= stalledAfterMs) return false;
    if (!this.#isStallLogged) log.error(`Journal refuses new records: ${stalledReason}`);
    this.#isStallLogged = true;
    return true;
  }

  async #flushAll(): Promise<void> {
    while (this.#waiting.length > 0 || this.#rollRequests.length > 0) {
      await this.#gather();
      const batch = this.#takeBatch();
      this.#flushBeganAt = this.#options.clock.monotonic();
      try {
        await this.#flush(batch);
        if (this.#isStallLogged) this.#options.log.info(writableAgain);
      } catch (error) {
        this.#fail(error, batch);
        break;
      } finally {
        this.#flushBeganAt = null;
        this.#isStallLogged = false;
      }
    }
    this.#flushing = null;
  }

  /** Lets other records join the next flush. */
  async #gather(): Promise<void> {
    await nextTurn(); // Whatever else is appended in this turn of the event loop.
    if (this.#rollRequests.length > 0 || this.#closing.signal.aborted) return;
    if (this.#waiting.some(({ isUrgent }) => isUrgent)) return;
    this.#lingering = new AbortController();
    await this.#options.clock.sleep(lingerMs, this.#lingering.signal, true).catch(() => {});
  }

  #takeBatch(): Waiting[] {
    let bytes = 0;
    const tooMany = this.#waiting.findIndex((waiting) => (bytes += waiting.bytes) > flushBytesMax);
    const count = tooMany < 0 ? this.#waiting.length : Math.max(1, tooMany);
    return this.#waiting.splice(0, count);
  }

  async #flush(batch: readonly Waiting[]): Promise<void> {
    const { clock, onSync, segmentBytes = segmentBytesDefault } = this.#options;
    const bytes = batch.reduce((sum, waiting) => sum + waiting.bytes, 0);
    let segment = this.#chain.current;
    if (segment === null) throw new Error('No segment is open');
    if (segment === this.#gone) throw goneError(segment);
    if (segment.end + bytes > segmentBytes || this.#rollRequests.length > 0) {
      segment = await this.#chain.start(this.#last, 0);
    }
    for (const { resolve } of this.#rollRequests.splice(0)) resolve(segment);
    if (batch.length === 0) return;

    for (const [index, record] of batch.entries()) {
      record.sequence = this.#last + 1 + index;
      if (index === 0) record.flags = flagFlushStart;
    }
    const parts = frameRecords(batch, segment.header, this.#context.checksum);
    const startedAt = clock.monotonic();
    await writeFlush(segment, parts);
    const endedAt = clock.monotonic();

    this.#last += batch.length;
    for (const { resolve, sequence } of batch) resolve(sequence);
    onSync?.((endedAt - startedAt) / 1000);
  }

  #fail(cause: unknown, batch: readonly Waiting[] = []): void {
    const segment = this.#chain.take();
    this.#options.log.error('Journal cannot be written', { error: cause });
    const error = new StorageUnavailableError(unavailableReason, cause);
    for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(error);
    for (const { reject } of this.#rollRequests.splice(0)) reject(error);
    // The last recovery may still be cleaning up.
    this.#recovering = this.#recovering.then(() => this.#recover(segment));
  }

  async #recover(failed: Segment | null): Promise<void> {
    const { clock, log } = this.#options;
    if (failed !== null) await this.#chain.retire(failed);
    const isGone = failed !== null && failed === this.#gone;
    let loggedReason: unknown = '';
    while (!this.#closing.signal.aborted) {
      try {
        await clock.sleep(recoverEveryMs, this.#closing.signal);
      } catch {
        return; // Closed while asleep.
      }
      try {
        if (isGone) await this.#chain.checkOwn();
        await this.#chain.start(this.#last, probeBytes);
        log.info(writableAgain);
        this.#recoveries += 1;
        return;
      } catch (error) {
        // Not compared by its message, which names another file each time.
        const reason = error instanceof Error && 'code' in error ? error.code : String(error);
        if (reason !== loggedReason) log.warn('Journal still cannot be written', { error });
        loggedReason = reason;
      }
    }
  }

  async #compact(entries: Iterable<SnapshotEntry>): Promise<void> {
    const segment = await this.#roll();
    // The owner has applied every record up to `after`: each flush begins in a turn of its own.
    const { index, after } = segment.header;
    const bytes = await writeSnapshot(this.#context, {
      index,
      after,
      entries,
      nextSequence: () => this.#last + 1,
      checkWanted: () => this.#closing.signal.throwIfAborted(),
    });
    await this.#chain.replaceBySnapshot(index, after, bytes);
  }

  #roll(): Promise<Segment> {
    const problem = this.#problem();
    if (problem !== null) return Promise.reject(problem);
    return new Promise((resolve, reject) => {
      this.#rollRequests.push({ resolve, reject });
      this.#lingering.abort(hurry);
      this.#flushing ??= this.#flushAll();
    });
  }
}

/** Shared, as an abort without a reason would create an error with a stack for every record. */
const hurry = new Error('A record is urgent');

function goneError({ path }: Segment): Error {
  return new Error(`${path} is gone: the file or its directory was removed or replaced`);
}

function randomBits(): number {
  return randomBytes(4).readUInt32BE(0);
}
