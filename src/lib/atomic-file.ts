import { dirname } from 'node:path';
import type { FileSystem, OpenFile } from './file-system.ts';

/** The ending of a file that is being written; whatever has it after a crash can be removed. */
export const unfinishedEnding = '.tmp';

/**
 * Puts a whole file in place, or leaves what was there. The order is what makes it safe: the
 * content must be durable before the name points at it, or a power loss could leave the name on
 * an empty file; and the directory must be durable before the caller relies on the new content.
 * One call at a time for each path: two would write into the same unfinished file.
 */
export async function writeFileAtomically(
  files: FileSystem,
  path: string,
  parts: readonly Uint8Array[],
): Promise<void> {
  await place(files, path, parts, 'replace-durable');
  await files.syncDirectory(dirname(path));
}

/**
 * Puts a whole file in place, or leaves what was there, for as long as the machine runs: a power
 * loss may leave half of it. Nobody's `fsync` waits for it, as file systems make many do that wait
 * for each other's.
 */
export async function writeFileWhole(
  files: FileSystem,
  path: string,
  parts: readonly Uint8Array[],
): Promise<void> {
  await place(files, path, parts, 'replace');
}

async function place(
  files: FileSystem,
  path: string,
  parts: readonly Uint8Array[],
  mode: 'replace' | 'replace-durable',
): Promise<void> {
  const file = await files.open(path + unfinishedEnding, mode);
  try {
    try {
      await writeFully(file, parts, 0);
    } finally {
      await file.close();
    }
    await files.rename(path + unfinishedEnding, path);
  } catch (error) {
    await files.unlink(path + unfinishedEnding).catch(() => {}); // The first error counts.
    throw error;
  }
}

/** Writes all of `parts` or throws; a disk that fills up accepts less without an error. */
export async function writeFully(
  file: OpenFile,
  parts: readonly Uint8Array[],
  position: number,
): Promise<number> {
  const wanted = parts.reduce((sum, part) => sum + part.length, 0);
  const written = await file.writev(parts, position);
  if (written !== wanted) throw new ShortWriteError(written, wanted);
  return wanted;
}

export class ShortWriteError extends Error {
  override readonly name = 'ShortWriteError';

  constructor(written: number, wanted: number) {
    super(`Only ${written} of ${wanted} bytes were written: the disk is full or failing`);
  }
}
