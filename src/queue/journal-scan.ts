import type { OpenFile } from '../lib/file-system.ts';
import {
  type Checksum,
  type FileHeader,
  fillerByte,
  flagFlushStart,
  headerAreaBytes,
  isIntact,
  readHead,
  recordHeadBytes,
  type RecordHead,
} from './journal-record.ts';
import { readAround } from './read-around.ts';

export interface ScannedRecord extends RecordHead {
  /** A view into the read buffer: valid only until the callback is done. */
  readonly payload: Buffer;
}

interface ScanOptions {
  readonly file: OpenFile;
  readonly size: number;
  readonly header: FileHeader;
  readonly checksum: Checksum;
  /** Offset to begin at; by default after the header. */
  readonly from?: number;
  /** Records up to this sequence number are already known and skipped. */
  readonly last: number;
  /** Records beyond this sequence number were never acknowledged, or are in a later file. */
  readonly voidAfter: number;
  /** The next record is read once a returned promise has resolved. */
  readonly onRecord: (record: ScannedRecord) => Promise<void> | void;
}

export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

export interface ScanResult {
  /** Damage that is followed by intact records. */
  readonly damaged: readonly ByteRange[];
  /** What follows the last intact record, up to the filler; null when nothing does. */
  readonly tail: ByteRange | null;
  /** The disk cannot read some of the tail, or of what is just before it. */
  readonly isTailUnreadable: boolean;
  /** Offset at which the newest flush begins; null when the file added no record. */
  readonly flushStart: number | null;
}

const chunkBytes = 1024 * 1024;

/**
 * Calls `onRecord` for every intact record of a file in order. After damage it searches byte by
 * byte for the next intact record, so that only the damaged records are lost.
 */
export async function scanRecords(options: ScanOptions): Promise<ScanResult> {
  const { header, checksum, size, voidAfter } = options;
  const window = new Window(options.file, size);
  const damaged: ByteRange[] = [];
  let { last } = options;
  let position = options.from ?? headerAreaBytes;
  let damagedFrom: number | null = null;
  let flushStart: number | null = null;

  while (position < size && last < voidAfter) {
    if (!window.holds(position, recordHeadBytes)) await window.load(position, recordHeadBytes);
    const head = readHead(window.buffer, position - window.start, header.mark);
    const bytes = head === null ? 0 : recordHeadBytes + head.length;
    const isInside = head !== null && position + bytes <= size;
    if (isInside && !window.holds(position, bytes)) await window.load(position, bytes);
    const offset = position - window.start;
    if (!isInside || !isIntact(window.buffer, offset, { head, seed: header.seed, checksum })) {
      damagedFrom ??= position;
      const next = await findMark(window, position + 1, header.mark);
      if (next === null) break;
      position = next;
      continue;
    }
    if (damagedFrom !== null) damaged.push({ from: damagedFrom, to: position });
    damagedFrom = null;
    if (head.sequence > voidAfter) break;
    if (head.sequence > last) {
      last = head.sequence;
      if (flushStart === null || (head.flags & flagFlushStart) !== 0) flushStart = position;
      const payload = window.buffer.subarray(offset + recordHeadBytes, offset + bytes);
      const pause = options.onRecord({ ...head, payload });
      if (pause !== undefined) await pause; // Most have none, and to wait takes time.
    }
    position += bytes;
  }
  const tail = damagedFrom === null ? null : await tailFrom(window, damagedFrom);
  const isTailUnreadable = tail !== null && window.unreadableTo > tail.from;
  return { damaged, flushStart, tail, isTailUnreadable };
}

/** The range from `from` to the filler at the end of the file; null if there is only filler. */
async function tailFrom(window: Window, from: number): Promise<ByteRange | null> {
  let to = from;
  for (let position = from; position < window.size; position += chunkBytes) {
    if (!window.holds(position, chunkBytes)) await window.load(position, chunkBytes);
    const begin = position - window.start;
    const chunk = window.buffer.subarray(begin, begin + chunkBytes);
    const length = lengthWithoutFiller(chunk);
    if (length > 0) to = position + length;
  }
  return to === from ? null : { from, to };
}

const fillerBlock = Buffer.alloc(4096, fillerByte);

/** Compares whole blocks first: byte by byte took a third of the time to open a small journal. */
function lengthWithoutFiller(chunk: Buffer): number {
  let end = chunk.length;
  for (let start = end - fillerBlock.length; start >= 0; start -= fillerBlock.length) {
    if (!chunk.subarray(start, end).equals(fillerBlock)) break;
    end = start;
  }
  return chunk.subarray(0, end).findLastIndex((byte) => byte !== fillerByte) + 1;
}

async function findMark(window: Window, from: number, mark: number): Promise<number | null> {
  const wanted = Buffer.alloc(4);
  wanted.writeUInt32BE(mark);
  let position = from;
  while (position + recordHeadBytes <= window.size) {
    if (!window.holds(position, recordHeadBytes)) await window.load(position, recordHeadBytes);
    const found = window.buffer.indexOf(wanted, position - window.start);
    if (found >= 0) return window.start + found;
    // A mark may begin in the last three bytes of the window.
    position = Math.max(position + 1, window.start + window.buffer.length - 3);
  }
  return null;
}

/** The part of a file that is in memory, as files may be too large to load whole. */
class Window {
  readonly size: number;
  readonly #file: OpenFile;
  #memory: Buffer;
  start = 0;
  buffer: Buffer = Buffer.alloc(0);
  /** End of the last part of which the disk could not read some bytes; 0 for none. */
  unreadableTo = 0;

  constructor(file: OpenFile, size: number) {
    this.#file = file;
    this.size = size;
    this.#memory = Buffer.allocUnsafe(Math.min(chunkBytes, size));
  }

  /** Whether these bytes, as far as they are within the file, are in memory. */
  holds(position: number, length: number): boolean {
    const end = Math.min(position + length, this.size);
    return position >= this.start && end <= this.start + this.buffer.length;
  }

  async load(position: number, length: number): Promise<void> {
    const wanted = Math.min(Math.max(length, chunkBytes), this.size - position);
    if (wanted > this.#memory.length) this.#memory = Buffer.allocUnsafe(wanted);
    this.buffer = this.#memory.subarray(0, wanted);
    const unreadable = await readAround(this.#file, this.buffer, position); // As zeros.
    this.start = position;
    if (unreadable > 0) this.unreadableTo = position + wanted;
  }
}
