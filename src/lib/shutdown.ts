/** Cleanup steps, run at exit in reverse order of registration, like a stack of `defer`s. */
export class Shutdown {
  readonly #steps: { readonly name: string; readonly stop: () => void | Promise<void> }[] = [];
  #finished: Promise<void> | null = null;

  /** To be called as soon as a resource exists, so that a later failed start-up releases it too. */
  onStop(name: string, stop: () => void | Promise<void>): void {
    this.#steps.push({ name, stop });
  }

  /** Runs every step even if some fail, then rejects with all failures. Safe to call twice. */
  stop(): Promise<void> {
    this.#finished ??= this.#runSteps();
    return this.#finished;
  }

  async #runSteps(): Promise<void> {
    const failures: Error[] = [];
    for (const { name, stop } of this.#steps.toReversed()) {
      try {
        await stop();
      } catch (error) {
        failures.push(new Error(`Cannot stop ${name}`, { cause: error }));
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Shutdown was not clean');
  }
}
