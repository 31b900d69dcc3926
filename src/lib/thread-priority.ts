import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * Lowers the priority of the calling thread below that of the process's other threads.
 *
 * On Linux a nice value belongs to a thread, not to the whole process as in POSIX (setpriority(2),
 * "C library/kernel differences"), and `/proc/thread-self` names the thread that reads it. Where
 * that is not so, or not allowed, all threads keep the same priority.
 */
export function lowerThreadPriority(to: keyof typeof niceness): void {
  try {
    const [, thread] = readlinkSync('/proc/thread-self').split('/task/');
    if (thread !== undefined) setPriority(Number(thread), Math.max(niceness[to], getPriority()));
  } catch {
    // Not Linux, or not allowed.
  }
}

const niceness = {
  /** The default of `nice`: a ninth of the share of a thread with normal priority. */
  low: 10,
  /** The lowest there is: a seventh of the share of `low`. */
  lowest: 19,
} as const;
