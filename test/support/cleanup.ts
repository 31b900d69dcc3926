import type { Cleanup } from './programs/programs.ts';

/** A cleanup that is not a test's: `undo` takes the steps that were registered, the last first. */
export function createCleanup(): Cleanup & { undo(): Promise<void> } {
  const steps: (() => Promise<void> | void)[] = [];
  return {
    after: (step) => void steps.unshift(step),
    async undo() {
      for (const step of steps.splice(0)) await step();
    },
  };
}

/** What the work returns, once all is undone that it registered. */
export async function withCleanup<T>(work: (cleanup: Cleanup) => Promise<T>): Promise<T> {
  const cleanup = createCleanup();
  try {
    return await work(cleanup);
  } finally {
    await cleanup.undo();
  }
}
