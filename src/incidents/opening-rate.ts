import { stormWindowMs } from './storm.ts';

const hourMs = 3_600_000;
const daysCounted = 7;
/** The hours counted, and a day to spare for clocks that differ. */
const hoursMax = (daysCounted + 1) * 24;
const knownHoursMin = 24;

/** Counts how many alerts began in each hour of the last seven days. */
export class OpeningRate {
  readonly #counts = new Map<number, number>();

  /** An episode began at `onset` (ms since the epoch). */
  count(onset: number): void {
    const hour = Math.floor(onset / hourMs);
    this.#counts.set(hour, (this.#counts.get(hour) ?? 0) + 1);
    if (this.#counts.size <= hoursMax) return;
    this.#counts.delete(Math.min(...this.#counts.keys()));
  }

  /**
   * The average number of alerts that begin in five minutes, over the seven days before the hour of
   * `moment` (ms since the epoch); null if less than a day of them is known.
   */
  usual(moment: number): number | null {
    const until = Math.floor(moment / hourMs);
    const from = until - daysCounted * 24;
    let total = 0;
    let firstHour = until;
    for (const [hour, count] of this.#counts) {
      if (hour < from || hour >= until) continue;
      total += count;
      firstHour = Math.min(firstHour, hour);
    }
    const hours = until - firstHour;
    return hours < knownHoursMin ? null : total / hours / (hourMs / stormWindowMs);
  }
}
