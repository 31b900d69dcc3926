import { join } from 'node:path';
import type { FileSystem } from '../lib/file-system.ts';
import { writeFully } from '../lib/atomic-file.ts';
import type { Logger } from '../telemetry/log.ts';
import type { ByteRange } from './journal-scan.ts';

const chunkBytes = 1024 * 1024;

/**
 * Copies a damaged file, or a range of it, for later inspection. An existing copy of a whole file
 * is kept; that of a range is replaced, as ranges differ from start to start. Never rejects: a full
 * disk must not keep the journal from opening.
 */
export async function keepCopy(
  files: FileSystem,
  log: Logger,
  job: { readonly from: string; readonly to: string; readonly range?: ByteRange },
): Promise<void> {
  const { from, to, range } = job;
  try {
    if (range === undefined && (await files.stat(to)) !== null) return;
    await copyRange(files, job);
    log.warn('Kept a copy of damaged data', { from, to });
  } catch (error) {
    log.warn('Cannot keep a copy of damaged data', { from, to, error });
  }
}

/** Removes the copies of damaged data that were made before that wall time in ms. */
export async function removeCopies(
  { files, directory }: { readonly files: FileSystem; readonly directory: string },
  beforeMs: number,
): Promise<void> {
  for (const name of await files.readdir(directory)) {
    if (!/\.journal\.(?:corrupt|broken)$/.test(name)) continue;
    const path = join(directory, name);
    const stat = await files.stat(path);
    if (stat?.kind === 'file' && stat.modifiedMs < beforeMs) await files.unlink(path);
  }
}

async function copyRange(
  files: FileSystem,
  { from, to, range }: { readonly from: string; readonly to: string; readonly range?: ByteRange },
): Promise<void> {
  const source = await files.open(from, 'read');
  try {
    const start = range?.from ?? 0;
    const end = range?.to ?? (await source.size());
    const target = await files.open(to, 'replace');
    try {
      const chunk = Buffer.alloc(Math.min(chunkBytes, Math.max(1, end - start)));
      for (let position = start; position < end; position += chunk.length) {
        const wanted = chunk.subarray(0, Math.min(chunk.length, end - position));
        const count = await source.read(wanted, position);
        await writeFully(target, [wanted.subarray(0, count)], position - start);
      }
      await target.sync();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
