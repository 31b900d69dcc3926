import { after, before } from 'node:test';
import { createCleanup } from './cleanup.ts';
import type { Cleanup } from './programs/programs.ts';

/**
 * Called at the top of a file: starts something before its first test and undoes it after the
 * last. What is returned gives it to the tests.
 */
export function forAllTests<T>(start: (cleanup: Cleanup) => Promise<T>): () => T {
  const cleanup = createCleanup();
  let started: { readonly it: T } | null = null;
  before(async () => {
    started = { it: await start(cleanup) };
  });
  after(() => cleanup.undo());
  return () => {
    if (started === null) throw new Error('It is there when the first test begins');
    return started.it;
  };
}
