import { hasCode, type OpenFile } from '../lib/file-system.ts';

/** What a system reads at once: a bad sector makes all of it unreadable. */
const pageBytes = 4096;

/**
 * Fills `target` with the file's content from offset `at`, and with zeros where the file has ended
 * or the disk cannot read it, which costs the records there and no others. Resolves to how many
 * bytes cannot be read.
 */
export async function readAround(file: OpenFile, target: Buffer, at: number): Promise<number> {
  try {
    target.fill(0, await file.read(target, at));
    return 0;
  } catch (error) {
    if (!hasCode(error, 'EIO')) throw error;
  }
  let unreadable = 0;
  for (let from = 0, to = 0; from < target.length; from = to) {
    to = from + pageBytes - ((at + from) % pageBytes);
    const page = target.subarray(from, to);
    if (page.length < target.length) unreadable += await readAround(file, page, at + from);
    else unreadable += page.fill(0).length;
  }
  return unreadable;
}
