import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from './programs.ts';

/**
 * A directory of mode 0700. Removed after the test, and once more when the process ends: a test
 * undoes in the order of registration, so programs that it started later may still write by then.
 */
export function temporaryDirectory(cleanup: Cleanup): string {
  const path = mkdtempSync(join(realpathSync(tmpdir()), 'alert-analyst-'));
  if (temporary.size === 0) process.once('exit', () => temporary.forEach(remove));
  temporary.add(path);
  cleanup.after(() => {
    try {
      remove(path);
    } catch {
      // Somebody wrote into it meanwhile.
    }
  });
  return path;
}

/** A file of this content in a directory of its own. */
export function temporaryFile(cleanup: Cleanup, content: string): string {
  const path = join(temporaryDirectory(cleanup), 'file');
  writeFileSync(path, content);
  return path;
}

const temporary = new Set<string>();

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
