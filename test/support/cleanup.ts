/** Where steps are registered that undo something at the end; a test's context is one. */
export interface Cleanup {
  after(undo: () => Promise<void> | void): void;
}

/** A cleanup outside a test: `undo` runs all registered steps, the last one first. */
export function createCleanup(): Cleanup & { undo(): Promise<void> } {
  const steps: (() => Promise<void> | void)[] = [];
  return {
    after: (step) => void steps.unshift(step),
    async undo() {
      const errors: unknown[] = [];
      for (const step of steps.splice(0)) {
        try {
          await step();
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw new AggregateError(errors, 'Not everything could be undone');
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
