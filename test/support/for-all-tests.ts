import { after, before } from 'node:test';
import type { Cleanup } from './programs.ts';

/**
 * Called at the top of a file: starts something before its first test and undoes it after the
 * last. What is returned gives it to the tests.
 */
export function forAllTests<T>(start: (cleanup: Cleanup) => Promise<T>): () => T {
  const undo: (() => Promise<void> | void)[] = [];
  let started: { readonly it: T } | null = null;
  before(async () => {
    started = { it: await start({ after: (step) => void undo.unshift(step) }) };
  });
  after(async () => {
    for (const step of undo) await step();
  });
  return () => {
    if (started === null) throw new Error('It is there when the first test begins');
    return started.it;
  };
}
