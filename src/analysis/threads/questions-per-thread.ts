/** Concurrent queries of the whole process to one source, unless it has more threads than that. */
const atOnceInAll = 4;

/** A thread's share of the process's concurrent queries: at least one. */
export function questionsPerThread(threads: number): number {
  return Math.max(1, Math.floor(atOnceInAll / threads));
}
