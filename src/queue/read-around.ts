import { hasCode, type OpenFile } from '../lib/file-system.ts';

/** What a system reads at once: a bad sector makes all of it unreadable. */
const pageBytes = 4096;

/**
 * Fills `target` with the file's content from `position`, and with zeros where the file has ended
 * or the disk cannot read it, which costs the records there and no others. Resolves to whether
 * any of it could be read.
 */
export async function readAround(
  file: OpenFile,
  target: Buffer,
  position: number,
): Promise<boolean> {
  if (await readOrZero(file, target, position)) return true;
  let isReadable = false;
  for (let from = 0, to = 0; from < target.length; from = to) {
    to = from + pageBytes - ((position + from) % pageBytes);
    if (await readOrZero(file, target.subarray(from, to), position + from)) isReadable = true;
  }
  return isReadable;
}

async function readOrZero(file: OpenFile, target: Buffer, position: number): Promise<boolean> {
  try {
    target.fill(0, await file.read(target, position));
    return true;
  } catch (error) {
    if (!hasCode(error, 'EIO')) throw error;
    target.fill(0);
    return false;
  }
}
