import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * Lets the calling thread give way to the others of the process when the processor is busy.
 *
 * On Linux a nice value belongs to a thread, not to the process as POSIX has it (setpriority(2),
 * "C library/kernel differences"), and `/proc/thread-self` names the thread that reads it. Does
 * nothing where that is not so, or not allowed: then all threads stay equal.
 */
export function giveWayToOtherThreads(turn: keyof typeof niceness): void {
  try {
    const [, thread] = readlinkSync('/proc/thread-self').split('/task/');
    if (thread !== undefined) setPriority(Number(thread), Math.max(niceness[turn], getPriority()));
  } catch {
    // Another system, or one that forbids it.
  }
}

const niceness = {
  /** As `nice` has it by default: a ninth of the share that a thread of normal priority gets. */
  later: 10,
  /** The most there is: a seventh of what one gets that comes later. */
  last: 19,
} as const;
