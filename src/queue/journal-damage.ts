import { join } from 'node:path';
import { replaceFile, writeFully } from '../lib/atomic-file.ts';
import { type FileSystem, withFile } from '../lib/file-system.ts';
import type { Logger } from '../telemetry/log.ts';
import type { ByteRange } from './journal-scan.ts';
import { readAround } from './read-around.ts';

const chunkBytes = 1024 * 1024;

/** A damaged part of a file, or all of it, and the path of its copy. */
interface Damaged extends ByteRange {
  readonly path: string;
  readonly copy: string;
}

/**
 * Copies what is damaged for later inspection, unless an earlier start has done so; resolves to
 * whether there is a copy. Never rejects: a full disk must not keep the journal from opening.
 */
export async function keepCopy(files: FileSystem, log: Logger, damaged: Damaged): Promise<boolean> {
  const paths = { from: damaged.path, to: damaged.copy };
  try {
    if ((await files.stat(damaged.copy)) !== null) return true;
    await copyRange(files, damaged);
    log.warn('Kept a copy of damaged data', paths);
    return true;
  } catch (error) {
    log.warn('Cannot keep a copy of damaged data', { ...paths, error });
    return false;
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

function copyRange(files: FileSystem, { path, copy, from, to }: Damaged): Promise<void> {
  return withFile(files, path, (source) =>
    replaceFile(files, { path: copy, mode: 'replace' }, async (target) => {
      const chunk = Buffer.alloc(Math.min(chunkBytes, to - from));
      for (let position = from; position < to; position += chunk.length) {
        const wanted = chunk.subarray(0, Math.min(chunk.length, to - position));
        await readAround(source, wanted, position);
        await writeFully(target, [wanted], position - from);
      }
      await target.sync();
    }));
}
