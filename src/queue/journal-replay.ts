import { withFile } from '../lib/file-system.ts';
import type { Logger } from '../telemetry/log.ts';
import { keepCopy } from './journal-damage.ts';
import type { JournalContext } from './journal-files.ts';
import type { Inventory, KeptFile } from './journal-inventory.ts';
import { takeInventory, voidAfter } from './journal-inventory.ts';
import {
  decodeSequence,
  type FileHeader,
  flagFlushStart,
  flagSnapshotEnd,
  type FramedRecord,
  headerAreaBytes,
} from './journal-record.ts';
import type { ByteRange, ScannedRecord, ScanResult } from './journal-scan.ts';
import { scanRecords } from './journal-scan.ts';

interface JournalRecord {
  /** The record's sequence number; 0 for an entry of a snapshot. */
  readonly sequence: number;
  readonly type: number;
  /** Valid only until the callback is done: its memory is reused. */
  readonly payload: Buffer;
}

/** The next record comes once a returned promise has resolved: thus a replay takes short turns. */
export type OnRecord = (record: JournalRecord) => Promise<void> | void;

/** The damage that the last start found. */
export interface Damage {
  /**
   * Unreadable ranges followed by intact records, ends that the disk cannot read, and files whose
   * header is lost.
   */
  damagedRegions: number;
  /** Half-written ends of the newest segment, as a crash leaves them. */
  tornTails: number;
  /** Gaps in the sequence numbers, in records. */
  missingRecords: number;
}

export interface JournalReplay extends Inventory {
  readonly damage: Damage;
  /** The last sequence number in use. */
  readonly last: number;
  /** Damaged files that could not be copied. */
  readonly uncopied: readonly string[];
  /** Records of the newest flush: they may be only in the page cache, so they are written again. */
  readonly carried: readonly FramedRecord[];
}

interface Options {
  readonly context: JournalContext;
  readonly log: Logger;
  readonly onRecord: OnRecord;
}

/**
 * Reads the newest snapshot and the segments after it. Changes no file; it only adds copies of
 * damaged ones. Throws {@linkcode UnknownVersionError} before it reads any record.
 */
export async function replayJournal(options: Options): Promise<JournalReplay> {
  const { context } = options;
  const { kept, obsolete, nextIndex } = await takeInventory(context);
  const reader = new Reader(options);
  for (const [position, file] of kept.entries()) {
    await reader.readFile(file, kept.slice(position + 1));
  }
  const carried = await reader.newestFlush();
  const { damage, last, uncopied } = reader;
  return { kept, obsolete, nextIndex, carried, damage, last, uncopied };
}

type Readable = KeptFile & { readonly header: FileHeader };

class Reader {
  readonly damage: Damage = { damagedRegions: 0, tornTails: 0, missingRecords: 0 };
  last = 0;
  readonly uncopied: string[] = [];
  readonly #options: Options;
  #newest: { readonly file: Readable; readonly from: number } | null = null;
  /** Sequence numbers below this were in use when the snapshot was written. */
  #floor = 0;
  #isFileDamaged = false;

  constructor(options: Options) {
    this.#options = options;
  }

  async readFile(file: KeptFile, laterFiles: readonly KeptFile[]): Promise<void> {
    const { header } = file;
    if (header === null) {
      this.#countDamage(file, [{ from: 0, to: file.size }]);
    } else {
      if (file.headerDamaged) this.#countDamage(file, [{ from: 0, to: headerAreaBytes }]);
      const readable: Readable = { ...file, header };
      if (file.kind === 'snapshot') await this.#readSnapshot(readable);
      else await this.#readSegment(readable, laterFiles);
    }
    await this.#keepDamaged(file);
  }

  /** Copies a damaged file, once, before anything can remove it. */
  async #keepDamaged(file: KeptFile): Promise<void> {
    const { context, log } = this.#options;
    if (this.#isFileDamaged && file.size > 0) {
      const { path, size } = file;
      const damaged = { path, copy: `${path}.corrupt`, from: 0, to: size };
      if (!(await keepCopy(context.files, log, damaged))) this.uncopied.push(path);
    }
    this.#isFileDamaged = false;
  }

  async #readSnapshot(file: Readable): Promise<void> {
    const { onRecord } = this.#options;
    let isWhole = false;
    const result = await this.#scan(file, { last: 0, voidAfter: Infinity }, (record) => {
      if ((record.flags & flagSnapshotEnd) === 0) {
        return onRecord({ sequence: 0, type: record.type, payload: record.payload });
      }
      isWhole = true;
      this.#floor = decodeSequence(record.payload);
      return undefined;
    });
    const missingEnd = isWhole || result.tail ? [] : [{ from: file.size, to: file.size }];
    this.#countDamage(file, [...result.damaged, ...listOf(result.tail), ...missingEnd]);
    this.last = file.header.after;
  }

  async #readSegment(file: Readable, laterFiles: readonly KeptFile[]): Promise<void> {
    const { onRecord } = this.#options;
    this.#countMissing(file.header.after + 1);
    this.last = Math.max(this.last, file.header.after);
    const limit = voidAfter(file, laterFiles);
    const result = await this.#scan(file, { last: this.last, voidAfter: limit }, (record) => {
      this.#countMissing(record.sequence);
      this.last = record.sequence;
      return onRecord({ sequence: record.sequence, type: record.type, payload: record.payload });
    });
    if (result.flushStart !== null) this.#newest = { file, from: result.flushStart };
    this.#countDamage(file, result.damaged);
    if (result.tail === null) return;
    // A crash leaves what can be read.
    const isDamage = laterFiles.length > 0 || result.isTailUnreadable;
    if (isDamage) this.#countDamage(file, [result.tail]);
    else await this.#keepTail(file, result.tail);
  }

  /** Keeps a copy of the tail for inspection; the next segment makes the tail itself void. */
  async #keepTail(file: KeptFile, tail: ByteRange): Promise<void> {
    const { context, log } = this.#options;
    this.damage.tornTails += 1;
    log.warn('Journal ends in a half-written record, left by a crash', {
      file: file.path, ...tail,
    });
    await keepCopy(context.files, log, { path: file.path, copy: `${file.path}.broken`, ...tail });
  }

  #countMissing(sequence: number): void {
    const missing = Math.max(0, sequence - this.last - 1);
    if (missing === 0) return;
    this.damage.missingRecords += missing;
    this.#options.log.error('Journal records are missing', { after: this.last, missing });
  }

  #countDamage(file: KeptFile, regions: readonly ByteRange[]): void {
    for (const region of regions) {
      this.damage.damagedRegions += 1;
      this.#isFileDamaged = true;
      this.#options.log.error('Journal is damaged', { file: file.path, ...region });
    }
  }

  #scan(
    { path, size, header }: Readable,
    limits: { readonly last: number; readonly voidAfter: number; readonly from?: number },
    onRecord: (record: ScannedRecord) => Promise<void> | void,
  ): Promise<ScanResult> {
    const { context } = this.#options;
    return withFile(context.files, path, (file) =>
      scanRecords({ file, size, header, checksum: context.checksum, ...limits, onRecord }),
    );
  }

  /**
   * Reads the newest flush again, to be written into the next segment: the process may have died
   * before that flush was durable. Its records then look intact, as the page cache has them, but
   * may not be on disk, and syncing the same file again would not report it.
   */
  async newestFlush(): Promise<FramedRecord[]> {
    const records: FramedRecord[] = [];
    if (this.#newest !== null) {
      const { file, from } = this.#newest;
      const limits = { from, last: file.header.after, voidAfter: this.last };
      await this.#scan(file, limits, ({ sequence, type, payload }) => {
        const flags = records.length === 0 ? flagFlushStart : 0;
        records.push({ sequence, type, flags, parts: [Buffer.from(payload)] });
      });
    }
    this.last = Math.max(this.last, this.#floor - 1);
    return records;
  }
}

function listOf(range: ByteRange | null): ByteRange[] {
  return range === null ? [] : [range];
}
