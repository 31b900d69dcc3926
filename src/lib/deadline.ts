import { setMaxListeners } from 'node:events';
import type { Clock } from './clock.ts';

interface Deadline {
  readonly clock: Clock;
  readonly ms: number;
  /** Aborts the work before the deadline. */
  readonly outer?: AbortSignal | undefined;
}

/**
 * Runs `work` with a signal that aborts when time is up or when `outer` aborts. It also aborts once
 * the work has ended, which stops the timer and whatever the work left running.
 */
export async function withDeadline<T>(
  { clock, ms, outer }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  // There is one for each query under way; Node 20 takes more than ten for a leak.
  setMaxListeners(0, ended.signal, ...(outer ? [outer] : []));
  const end = (): void => ended.abort();
  outer?.addEventListener('abort', end, { once: true });
  if (outer?.aborted === true) end();
  else void clock.sleep(ms, ended.signal).then(end, () => undefined);
  try {
    return await work(ended.signal);
  } finally {
    end();
    outer?.removeEventListener('abort', end);
  }
}
