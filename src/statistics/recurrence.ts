import { dayMs } from '../lib/time-units.ts';
import { secondsOf, type Interval } from './interval.ts';
import { rhythmOf } from './rhythm.ts';

const episodesMin = 3;

const flappingMs = 105 * 60_000;
const flappingStartsMin = 4;

/** An episode shorter than this ended before anybody could have acted. */
const selfResolvedSeconds = 300;

export interface Recurrence {
  /** Episodes that began within the last 24 hours, 7 days and 30 days. */
  readonly last24h: number;
  readonly last7d: number;
  readonly last30d: number;
  /** Median length of the ended episodes; null below three of them, as are the next two. */
  readonly medianSeconds: number | null;
  readonly p90Seconds: number | null;
  /** Share of the ended episodes that lasted less than 5 minutes. */
  readonly selfResolvedShare: number | null;
  /** When it usually starts, in words; null where that shows no rhythm. */
  readonly rhythm: string | null;
}

/** How often an alert recurs, how long it lasts, and when. */
export function recurrenceOf(episodes: readonly Interval[], now: number): Recurrence {
  const began = (ms: number): number => beganWithin(ms, episodes, now);
  const ended = episodes.filter(({ end }) => end !== null)
    .map((episode) => secondsOf(episode, now))
    .sort((a, b) => a - b);
  const short = ended.filter((seconds) => seconds < selfResolvedSeconds);
  return {
    last24h: began(dayMs), last7d: began(7 * dayMs), last30d: began(30 * dayMs),
    medianSeconds: quantileOf(ended, 0.5),
    p90Seconds: quantileOf(ended, 0.9),
    selfResolvedShare: ended.length < episodesMin ? null : short.length / ended.length,
    rhythm: rhythmOf(episodes),
  };
}

/** Whether an alert keeps firing and resolving: four episodes began within the last 105 minutes. */
export function isFlapping(episodes: readonly Begun[], now: number): boolean {
  const begun = episodes.filter(({ start }) => start <= now);
  return beganWithin(flappingMs, begun, now) >= flappingStartsMin;
}

type Begun = Pick<Interval, 'start'>;

/** By the clock of its sender, what fires may begin only later. */
function beganWithin(ms: number, episodes: readonly Begun[], now: number): number {
  return episodes.filter(({ start }) => start > now - ms).length;
}

/**
 * Quantile `share` (0 to 1) of ascending values: the smallest that no more than the rest exceed.
 * Null when there are too few.
 */
function quantileOf(sorted: readonly number[], share: number): number | null {
  if (sorted.length < episodesMin) return null;
  return sorted[Math.ceil(share * sorted.length) - 1] ?? null;
}
