import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** Time as the service sees it; tests pass in a clock that they advance by hand. */
export interface Clock {
  /** Wall time in ms since the epoch: for what is shown or has to survive a restart. */
  now(): number;
  /** Milliseconds that never go back: for measuring and for deadlines. */
  monotonic(): number;
  /**
   * Resolves after `ms`; rejects with the signal's reason when aborted. Lets the process end,
   * unless `keepsAlive` says that something is left to do then.
   */
  sleep(ms: number, signal?: AbortSignal, keepsAlive?: boolean): Promise<void>;
}

/** Sleeps; resolves to whether all of the time passed, which it did not if `signal` was aborted. */
export function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  return clock.sleep(ms, signal).then(() => true, () => false);
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal, keepsAlive = false) =>
    delay(ms, undefined, { ref: keepsAlive, ...(signal && { signal }) }),
};

/** For commands: its `sleep` keeps the process alive, which may have nothing else to wait for. */
export const commandClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => delay(ms, undefined, { ...(signal && { signal }) }),
};
