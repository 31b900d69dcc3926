import { hasCode, type OpenFile } from '../lib/file-system.ts';

/** What a system reads at once: a bad sector makes all of it unreadable. */
const pageBytes = 4096;

/**
 * Fills `target` with the file's content from offset `at`, and with zeros where the file has ended
 * or the disk cannot read it, which costs the records there and no others. Resolves to whether
 * any of it could be read.
 */
export async function readAround(file: OpenFile, target: Buffer, at: number): Promise<boolean> {
  try {
    target.fill(0, await file.read(target, at));
    return true;
  } catch (error) {
    if (!hasCode(error, 'EIO')) throw error;
  }
  let isReadable = false;
  for (let from = 0, to = 0; from < target.length; from = to) {
    to = from + pageBytes - ((at + from) % pageBytes);
    const page = target.subarray(from, to);
    if (page.length === target.length) page.fill(0);
    else if (await readAround(file, page, at + from)) isReadable = true;
  }
  return isReadable;
}
