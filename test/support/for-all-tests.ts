import { after, before } from 'node:test';
import { createCleanup, type Cleanup } from './cleanup.ts';

/**
 * Call at the top of a file: starts something before the file's first test, and undoes it after the
 * last. Tests get it from the function returned.
 */
export function forAllTests<T>(start: (cleanup: Cleanup) => Promise<T>): () => T {
  const cleanup = createCleanup();
  let started: { readonly it: T } | null = null;
  before(async () => {
    started = { it: await start(cleanup) };
  });
  after(() => cleanup.undo());
  return () => {
    if (started === null) throw new Error('Not started: call this inside a test');
    return started.it;
  };
}
