/** Memory budget per waiting alert on average, in bytes; hostile ones can be far larger. */
const weightPerJob = 16 * 1024;
/**
 * A notification without new firing alerts is taken up to this many times the limit: an end should
 * not be refused because the queue is full, but a flood of ends must not exhaust memory either.
 */
const endsLimitFactor = 1.5;

/** A notification that asks for room. */
export interface Coming {
  /** Alerts that are being stored already, and will be queued. */
  readonly alerts: number;
  /** Episodes it begins: at least one that fires, only ended ones, or none. */
  readonly begins: 'firing' | 'ended' | 'none';
}

/**
 * Whether a notification is admitted, whatever its size. Alerts are kept in memory until they are
 * analysed, so both their number and their `weight` (bytes of memory) are bounded. A notification
 * about known episodes only adds no alerts, so for it only the weight counts.
 */
export function hasRoom(
  jobsMax: number,
  kept: { readonly jobs: number; readonly weight: number },
  { alerts, begins }: Coming,
): boolean {
  const most = begins === 'firing' ? jobsMax : endsLimitFactor * jobsMax;
  const hasPlace = begins === 'none' || kept.jobs + alerts < most;
  return hasPlace && kept.weight < most * weightPerJob;
}
