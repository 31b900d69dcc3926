import type { Cleanup } from './programs/programs.ts';

/** A cleanup outside a test: `undo` runs the registered steps, the last one first. */
export function createCleanup(): Cleanup & { undo(): Promise<void> } {
  const steps: (() => Promise<void> | void)[] = [];
  return {
    after: (step) => void steps.unshift(step),
    async undo() {
      for (const step of steps.splice(0)) await step();
    },
  };
}

/** Runs `work`, then undoes what it registered, and returns what it returned. */
export async function withCleanup<T>(work: (cleanup: Cleanup) => Promise<T>): Promise<T> {
  const cleanup = createCleanup();
  try {
    return await work(cleanup);
  } finally {
    await cleanup.undo();
  }
}
