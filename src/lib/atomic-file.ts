import { dirname } from 'node:path';
import type { FileSystem, OpenFile } from './file-system.ts';

/** Suffix of a file that is being written; after a crash, files with it can be removed. */
export const unfinishedEnding = '.tmp';

/**
 * Replaces a file as a whole, or leaves the old one, even through a power loss. The order makes it
 * safe: the content must be durable before the name points at it, or a power loss could leave the
 * name on an empty file; and the directory must be durable before the caller relies on the new
 * content. Only one call at a time per path: two would write into the same unfinished file.
 */
export async function writeFileAtomically(
  files: FileSystem,
  path: string,
  parts: readonly Uint8Array[],
): Promise<void> {
  await replaceFile(files, { path, mode: 'replace-durable' }, (file) => writeFully(file, parts, 0));
  await files.syncDirectory(dirname(path));
}

/** Gives the file its name once `write` has ended. What of it is durable is up to the caller. */
export async function replaceFile<T>(
  files: FileSystem,
  { path, mode }: { readonly path: string; readonly mode: 'replace' | 'replace-durable' },
  write: (file: OpenFile) => Promise<T>,
): Promise<T> {
  const file = await files.open(path + unfinishedEnding, mode);
  try {
    const written = await write(file).finally(() => file.close());
    await files.rename(path + unfinishedEnding, path);
    return written;
  } catch (error) {
    await files.unlink(path + unfinishedEnding).catch(() => {}); // Report the first error.
    throw error;
  }
}

/** Writes all of `parts` or throws: a disk that fills up writes fewer bytes without an error. */
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
