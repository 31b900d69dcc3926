import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A directory of mode 0700, removed when the test ends. */
export function temporaryDirectory(t: TestContext): string {
  const path = mkdtempSync(join(realpathSync(tmpdir()), 'alert-analyst-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
