import type { Clock } from './clock.ts';

interface Deadline {
  readonly clock: Clock;
  readonly ms: number;
  /** Ends the work sooner. */
  readonly outer?: AbortSignal | undefined;
}

/**
 * Runs `work` with a signal that is aborted when time is up or `outer` is. It is aborted at the end
 * of the work as well, which ends the timer and whatever the work has left open.
 */
export async function withDeadline<T>(
  { clock, ms, outer }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
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
