/** What a waiting alert may weigh on average, in bytes; hostile ones can be far larger. */
const weightPerJob = 16 * 1024;
/**
 * A notification that begins no firing is taken up to this many times the limit: an end should not
 * have to wait until beginnings are analysed, but a flood of ends must not fill the memory either.
 */
const limitShareOfEnds = 1.5;

/** What would come in. */
export interface Coming {
  /** Alerts that are on their way to the disk already. */
  readonly alerts: number;
  /** Episodes that the notification begins: some that fire, only such that have ended, or none. */
  readonly begins: 'firing' | 'ended' | 'none';
}

/**
 * Whether a notification may come in, however large. Alerts are kept in memory until they are
 * analysed, so they are bounded in `weight` (bytes of memory) as well as in number. News of known
 * episodes make no more of them, and are bounded in weight alone.
 */
export function hasRoom(
  jobsMax: number,
  kept: { readonly jobs: number; readonly weight: number },
  { alerts, begins }: Coming,
): boolean {
  const most = begins === 'firing' ? jobsMax : limitShareOfEnds * jobsMax;
  const hasPlace = begins === 'none' || kept.jobs + alerts < most;
  return hasPlace && kept.weight < most * weightPerJob;
}
