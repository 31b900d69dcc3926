import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { replaceFile, writeFully } from '../lib/atomic-file.ts';
import type { OpenFile } from '../lib/file-system.ts';
import { fileName, frameRecords, type JournalContext, newHeader } from './journal-files.ts';
import {
  encodeHeaderArea,
  encodeSequence,
  type FileHeader,
  flagSnapshotEnd,
  type FramedRecord,
} from './journal-record.ts';

/** One piece of the owner's state, passed to `onRecord` at the next start. */
export interface SnapshotEntry {
  readonly type: number;
  readonly payload: Uint8Array;
}

interface SnapshotOptions {
  /** The first segment that the snapshot does not replace. */
  readonly index: number;
  /** The last sequence number of the segments that it replaces. */
  readonly after: number;
  readonly entries: Iterable<SnapshotEntry>;
  /** Returns the next sequence number; called after all entries were pulled. */
  readonly nextSequence: () => number;
  /** Throws when the snapshot is no longer wanted; called between two turns of the event loop. */
  readonly checkWanted: () => void;
}

const entriesPerTurn = 256;
const bytesPerTurn = 1024 * 1024;

/**
 * Writes a snapshot to a temporary file and renames it; resolves to its size once the name is
 * durable. Entries are pulled a few hundred per turn, so that requests are answered in between.
 */
export async function writeSnapshot(
  context: JournalContext,
  options: SnapshotOptions,
): Promise<number> {
  const { files, directory } = context;
  const { index, after } = options;
  const header = newHeader(context, { kind: 'snapshot', index, after });
  const path = join(directory, fileName(header));
  const size = await replaceFile(files, { path, mode: 'replace' }, async (file) => {
    const bytes = await writeEntries(context, { ...options, file, header });
    await file.sync();
    return bytes;
  });
  await files.syncDirectory(directory);
  return size;
}

async function writeEntries(
  context: JournalContext,
  options: SnapshotOptions & { readonly file: OpenFile; readonly header: FileHeader },
): Promise<number> {
  const { file, header, entries, nextSequence, checkWanted } = options;
  let position = await writeFully(file, [encodeHeaderArea(header)], 0);
  const write = async (records: readonly FramedRecord[]): Promise<void> => {
    const parts = frameRecords(records, header, context.checksum);
    position += await writeFully(file, parts, position);
  };

  let sequence = 0;
  let records: FramedRecord[] = [];
  let bytes = 0;
  for (const { type, payload } of entries) {
    sequence += 1;
    records.push({ sequence, type, flags: 0, parts: [payload] });
    bytes += payload.length;
    if (records.length < entriesPerTurn && bytes < bytesPerTurn) continue;
    await write(records);
    await nextTurn();
    checkWanted();
    records = [];
    bytes = 0;
  }
  const parts = [encodeSequence(nextSequence())];
  await write([...records, { sequence: sequence + 1, type: 0, flags: flagSnapshotEnd, parts }]);
  return position;
}
