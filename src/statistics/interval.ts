/** A time interval in milliseconds since the epoch; `end` is null while it lasts. */
export interface Interval {
  readonly start: number;
  readonly end: number | null;
}

/** Length in seconds, up to `now` while it lasts; never negative. */
export function secondsOf({ start, end }: Interval, now: number): number {
  return Math.max(0, ((end ?? now) - start) / 1000);
}
