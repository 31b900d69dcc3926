/** Questions that the whole process asks one source at the same time, if it has so few threads. */
const atOnceInAll = 4;

/** Each thread has a share of the process's questions, and at least one at a time. */
export function questionsPerThread(threads: number): number {
  return Math.max(1, Math.floor(atOnceInAll / threads));
}
