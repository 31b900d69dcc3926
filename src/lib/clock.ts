import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** Time as the service sees it; tests hand in one they move by hand. */
export interface Clock {
  /** Wall time in milliseconds since the epoch: for what is shown or must survive a restart. */
  now(): number;
  /** Milliseconds that only ever grow: for whatever counts or measures. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. Keeps no process alive. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { ref: false, ...(signal && { signal }) }),
};

/** The same for a command, which must not end while all it does is wait for its next attempt. */
export const commandClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => delay(ms, undefined, { ...(signal && { signal }) }),
};
