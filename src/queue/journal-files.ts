import { join } from 'node:path';
import { unfinishedEnding, writeFully } from '../lib/atomic-file.ts';
import type { FileSystem, OpenFile } from '../lib/file-system.ts';
import {
  type Checksum,
  encodeHeaderArea,
  fillerByte,
  type FileHeader,
  frameRecord,
  type FramedRecord,
  headerAreaBytes,
} from './journal-record.ts';

/** What all parts of the journal depend on. */
export interface JournalContext {
  readonly directory: string;
  readonly files: FileSystem;
  readonly checksum: Checksum;
  /** Returns 32 random bits. */
  readonly random: () => number;
}

export interface Segment {
  readonly path: string;
  readonly file: OpenFile;
  readonly header: FileHeader;
  /** As in `FileStat`: tells whether the name still leads to this file. */
  readonly identity: string | undefined;
  /** Offset at which the committed part ends and the next flush begins. */
  end: number;
  /** Offset at which the filler ends; at most `end` when there is none. */
  preparedTo: number;
}

export interface JournalFileName {
  readonly kind: FileHeader['kind'];
  readonly index: number;
}

interface SegmentSpec {
  readonly index: number;
  readonly after: number;
  /** Records of an earlier segment that are repeated in this one. */
  readonly carried: readonly FramedRecord[];
  /** Free space that the disk must have; otherwise the segment is not created. */
  readonly probeBytes: number;
}

/** Up to this size a flush is copied into one buffer, which is faster than writing many. */
const copyBytesMax = 1024 * 1024;

export function fileName({ kind, index }: JournalFileName): string {
  return `${kind}-${String(index).padStart(8, '0')}.journal`;
}

/** Null for a name that is not one of the journal's. */
export function parseFileName(name: string): JournalFileName | null {
  const match = /^(segment|snapshot)-(\d{8,10})\.journal$/.exec(name);
  if (match === null) return null;
  return { kind: match[1] === 'segment' ? 'segment' : 'snapshot', index: Number(match[2]) };
}

/** A header with a new mark and seed. */
export function newHeader(
  { random }: JournalContext,
  place: Pick<FileHeader, 'kind' | 'index' | 'after'>,
): FileHeader {
  // With its highest bit set, the mark never matches filler or zeros.
  return { ...place, mark: (random() | 0x80000000) >>> 0, seed: random() >>> 0 };
}

/**
 * Creates a segment that is ready for records. It gets its name only once it is complete: from then
 * on, records beyond `after` in earlier segments are void, so those that are carried over must be
 * durable in this one first. A crash before that leaves an unfinished file, which is ignored.
 */
export async function createSegment(context: JournalContext, spec: SegmentSpec): Promise<Segment> {
  const { files, directory } = context;
  const header = newHeader(context, { kind: 'segment', index: spec.index, after: spec.after });
  const path = join(directory, fileName(header));
  const unfinished = path + unfinishedEnding;
  const file = await files.open(unfinished, 'create-durable');
  try {
    await probe(file, spec.probeBytes);
    let end = headerAreaBytes;
    if (spec.carried.length > 0) {
      const parts = frameRecords(spec.carried, header, context.checksum);
      end += await writeFully(file, parts, headerAreaBytes);
    }
    await writeFully(file, [encodeHeaderArea(header)], 0);
    await file.sync();
    await files.rename(unfinished, path);
    await files.syncDirectory(directory);
    const identity = (await files.stat(path))?.identity;
    return { path, file, header, identity, end, preparedTo: end };
  } catch (error) {
    await abandon(context, [unfinished, path], file);
    throw error;
  }
}

async function probe(file: OpenFile, bytes: number): Promise<void> {
  if (bytes === 0) return;
  await writeFully(file, [Buffer.alloc(bytes)], headerAreaBytes);
  await file.truncate(0);
}

async function abandon(
  { files }: JournalContext,
  names: readonly string[],
  file: OpenFile,
): Promise<void> {
  await file.close().catch(() => {});
  // Only one of them exists. One that cannot be removed is ignored, or only repeats valid records.
  for (const name of names) await files.unlink(name).catch(() => {});
}

/** Room for a few hundred records of typical size, written together with a flush. */
const filler = Buffer.alloc(256 * 1024, fillerByte);

/**
 * Writes a flush at the end of the segment, adding new filler if it uses up the old. The write is
 * durable, as segments are opened that way. Throws if any of it may not be on disk.
 */
export async function writeFlush(segment: Segment, parts: readonly Uint8Array[]): Promise<void> {
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  const end = segment.end + bytes;
  const isPrepared = end <= segment.preparedTo;
  await writeFully(segment.file, isPrepared ? parts : [...parts, filler], segment.end);
  segment.end = end;
  if (!isPrepared) segment.preparedTo = end + filler.length;
}

/** The bytes of the records as they are stored, ready for one `writev`. */
export function frameRecords(
  records: readonly FramedRecord[],
  header: FileHeader,
  checksum: Checksum,
): Uint8Array[] {
  const parts = records.flatMap((record) => frameRecord(record, header, checksum));
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  return total > copyBytesMax ? parts : [Buffer.concat(parts, total)];
}
