/**
 * The journal's format on disk. A file is a header area of ten sectors, then records end to end:
 *
 *     mark u32 | check u32 | length u32 | sequence u64 | type u8 | flags u8 | payload
 *
 * all big-endian; `check` is the CRC-32 of everything after it, including the payload.
 *
 * Mark and seed (the CRC's initial value) are random for every file, and stored only in its header.
 * Payloads hold text sent by strangers, and after damage the reader searches for the next intact
 * record: without mark and seed, somebody could put the bytes of a forged record into an alert and
 * have them found there. With them he would have to guess 64 bits that he never gets to see.
 *
 * The last record is followed by filler, which flushes overwrite: overwriting allocated bytes
 * changes no file system metadata, so it does not wait for other writes. It is not zeros, as those
 * are what a disk returns for lost sectors.
 *
 * The header is stored twice, in the first and the tenth sector, so that damage of up to 4 KiB in
 * one place cannot hit both: without mark and seed, a file cannot be read at all.
 */
import { crc32 } from 'node:zlib';

/** Continues the checksum `seed` over `bytes`; tests may use a weak one. */
export type Checksum = (bytes: Uint8Array, seed: number) => number;

export interface FileHeader {
  readonly kind: 'segment' | 'snapshot';
  /** The file's number; a snapshot replaces all segments with a lower one. */
  readonly index: number;
  readonly mark: number;
  readonly seed: number;
  /** The last valid sequence number of earlier files: records beyond it in them are void. */
  readonly after: number;
}

export interface FramedRecord {
  readonly sequence: number;
  readonly type: number;
  readonly flags: number;
  readonly parts: readonly Uint8Array[];
}

/** The head of a record as found on disk, its checksum not yet verified. */
export interface RecordHead {
  readonly sequence: number;
  readonly type: number;
  readonly flags: number;
  readonly length: number;
  readonly check: number;
}

/** Marks the first record of a flush: everything before it was durable when it was written. */
export const flagFlushStart = 1;
/** Marks the record that ends a snapshot; its payload is the next sequence number to use. */
export const flagSnapshotEnd = 2;

const formatVersion = 1;
export const headerAreaBytes = 5120;
export const recordHeadBytes = 22;
/** Well above the largest body that is accepted; a greater length means damage. */
export const payloadBytesMax: number = 256 * 1024 * 1024;

/** Fills space that is allocated in advance; no mark can match it. */
export const fillerByte = 0x5a;

const headerBytes = 64;
const headerCopies = [0, 4608];
const headerMagic: Buffer = Buffer.from('alertjnl', 'latin1');
const kinds: readonly FileHeader['kind'][] = ['segment', 'snapshot'];
const checkedFrom = 8;

/** The journal was written by a newer version of this program, so this one must not touch it. */
export class UnknownVersionError extends Error {
  override readonly name = 'UnknownVersionError';

  constructor(file: string, version: number) {
    super(
      `Cannot open the journal: ${file} has format version ${version}, but this program reads ` +
        `only ${formatVersion}. Run the newer program, or use another DATA_DIR`,
    );
  }
}

/**
 * The whole header area. Magic, version and the checksum at byte 60 must stay in place in all
 * future versions, so that a damaged header is never mistaken for a newer one.
 */
export function encodeHeaderArea(header: FileHeader): Buffer {
  const area = Buffer.alloc(headerAreaBytes);
  const copy = area.subarray(0, headerBytes);
  headerMagic.copy(copy);
  copy.writeUInt32BE(formatVersion, 8);
  copy.writeUInt32BE(kinds.indexOf(header.kind), 12);
  copy.writeUInt32BE(header.index, 16);
  copy.writeUInt32BE(header.mark, 20);
  copy.writeUInt32BE(header.seed, 24);
  writeSequence(copy, header.after, 28);
  copy.writeUInt32BE(crc32(copy.subarray(0, headerBytes - 4)), headerBytes - 4);
  for (const offset of headerCopies) copy.copy(area, offset);
  return area;
}

interface DecodedHeader {
  /** Null when neither copy is readable. */
  readonly header: FileHeader | null;
  /** Whether any byte of the area differs from what was written. */
  readonly damaged: boolean;
}

/** Reads whichever copy is intact. Throws {@linkcode UnknownVersionError}, which names `file`. */
export function decodeHeaderArea(area: Buffer, file: string): DecodedHeader {
  for (const offset of headerCopies) {
    const header = decodeHeader(area.subarray(offset, offset + headerBytes), file);
    if (header !== null) return { header, damaged: !encodeHeaderArea(header).equals(area) };
  }
  return { header: null, damaged: true };
}

function decodeHeader(copy: Buffer, file: string): FileHeader | null {
  if (copy.length < headerBytes || !copy.subarray(0, 8).equals(headerMagic)) return null;
  if (crc32(copy.subarray(0, headerBytes - 4)) !== copy.readUInt32BE(headerBytes - 4)) return null;
  const version = copy.readUInt32BE(8);
  if (version !== formatVersion) throw new UnknownVersionError(file, version);
  const kind = kinds[copy.readUInt32BE(12)];
  if (kind === undefined) return null;
  return {
    kind,
    index: copy.readUInt32BE(16),
    mark: copy.readUInt32BE(20),
    seed: copy.readUInt32BE(24),
    after: readSequence(copy, 28),
  };
}

/** The record as it is stored: its head, followed by its own parts. */
export function frameRecord(
  { sequence, type, flags, parts }: FramedRecord,
  { mark, seed }: Pick<FileHeader, 'mark' | 'seed'>,
  checksum: Checksum,
): Uint8Array[] {
  const head = Buffer.alloc(recordHeadBytes);
  head.writeUInt32BE(mark);
  head.writeUInt32BE(parts.reduce((sum, part) => sum + part.length, 0), 8);
  writeSequence(head, sequence, 12);
  head.writeUInt8(type, 20);
  head.writeUInt8(flags, 21);
  let check = checksum(head.subarray(checkedFrom), seed);
  for (const part of parts) check = checksum(part, check);
  head.writeUInt32BE(check, 4);
  return [head, ...parts];
}

/** The head at `offset`; null when no record with this mark can begin there. */
export function readHead(source: Buffer, offset: number, mark: number): RecordHead | null {
  if (offset + recordHeadBytes > source.length) return null;
  if (source.readUInt32BE(offset) !== mark) return null;
  const length = source.readUInt32BE(offset + 8);
  if (length > payloadBytesMax) return null;
  return {
    check: source.readUInt32BE(offset + 4),
    length,
    sequence: readSequence(source, offset + 12),
    type: source.readUInt8(offset + 20),
    flags: source.readUInt8(offset + 21),
  };
}

/** Whether the record at `offset` matches its checksum. */
export function isIntact(
  source: Buffer,
  offset: number,
  expected: { readonly head: RecordHead; readonly seed: number; readonly checksum: Checksum },
): boolean {
  const { head, seed, checksum } = expected;
  const end = offset + recordHeadBytes + head.length;
  return checksum(source.subarray(offset + checkedFrom, end), seed) === head.check;
}

function writeSequence(target: Buffer, sequence: number, offset: number): void {
  target.writeUInt32BE(Math.floor(sequence / 2 ** 32), offset);
  target.writeUInt32BE(sequence % 2 ** 32, offset + 4);
}

function readSequence(source: Buffer, offset: number): number {
  return source.readUInt32BE(offset) * 2 ** 32 + source.readUInt32BE(offset + 4);
}

/** Encodes a sequence number as a payload. */
export function encodeSequence(sequence: number): Buffer {
  const bytes = Buffer.alloc(8);
  writeSequence(bytes, sequence, 0);
  return bytes;
}

export function decodeSequence(bytes: Buffer): number {
  return bytes.length === 8 ? readSequence(bytes, 0) : 0;
}
