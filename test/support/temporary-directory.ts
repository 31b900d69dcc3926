import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A directory of mode 0700 that is removed when the process exits. Not when its test ends: programs
 * may still write into it then, and if another directory got the same inode, it would find itself
 * locked by a service that has not stopped yet.
 */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(realpathSync(tmpdir()), 'alert-analyst-'));
  if (temporary.size === 0) process.once('exit', () => temporary.forEach(remove));
  temporary.add(path);
  return path;
}

/** A file with this content, in a directory of its own. */
export function temporaryFile(content: string): string {
  const path = join(temporaryDirectory(), 'file');
  writeFileSync(path, content);
  return path;
}

const temporary = new Set<string>();

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
