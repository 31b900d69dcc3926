interface Signals {
  /** Resolves with the first signal to stop. A second one is not caught and kills the process. */
  readonly stop: Promise<NodeJS.Signals>;
  /** Until this is called SIGHUP does nothing: startup is still reading what it would reload. */
  onReload(reload: () => void): void;
}

export function watchSignals(): Signals {
  let reload = (): void => {};
  process.on('SIGHUP', () => reload());
  // Otherwise Node opens a debugger, by which every user of the machine can take over the process.
  process.on('SIGUSR1', () => {});
  const names = ['SIGINT', 'SIGTERM'] as const;
  const stop = new Promise<NodeJS.Signals>((resolve) => {
    const end = (signal: NodeJS.Signals): void => {
      for (const name of names) process.off(name, end);
      resolve(signal);
    };
    for (const name of names) process.on(name, end);
  });
  return { stop, onReload: (given) => (reload = given) };
}
