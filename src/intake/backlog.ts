/** What one waiting alert may take on average; hostile ones can be far larger than usual ones. */
const weightPerJob = 16 * 1024;

/**
 * Whether a notification may come in, however large. Alerts are kept in memory until they are
 * analysed, so they are bounded in `weight` (bytes of memory) as well as in number.
 */
export function hasRoom(jobsMax: number, kept: { jobs: number; weight: number }): boolean {
  return kept.jobs < jobsMax && kept.weight < jobsMax * weightPerJob;
}
