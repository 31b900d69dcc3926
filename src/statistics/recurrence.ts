import { durationQuantile } from './duration-quantile.ts';
import { secondsOf, type Interval } from './interval.ts';
import { rhythmOf } from './rhythm.ts';

const dayMs = 86_400_000;
const episodesMin = 3;

/** An episode shorter than this ended before anybody could have acted. */
const selfResolvedSeconds = 300;

export interface Recurrence {
  /** Episodes that began within the last 24 hours, 7 days and 30 days. */
  readonly last24h: number;
  readonly last7d: number;
  readonly last30d: number;
  /** Null below three episodes, and when too many of them have not ended. */
  readonly medianSeconds: number | null;
  readonly p90Seconds: number | null;
  /** Share of the ended episodes that lasted less than 5 minutes; null below three of them. */
  readonly selfResolvedShare: number | null;
  /** From one episode's start to the next. */
  readonly gapMedianSeconds: number | null;
  /** Coefficient of variation of these gaps: below 0.3 regular, near 1 random, above 2 bursty. */
  readonly gapVariation: number | null;
  readonly rhythm: string | null;
}

/** How often an alert recurs, how long it lasts, and when. Open episodes are right-censored. */
export function recurrenceOf(episodes: readonly Interval[], now: number): Recurrence {
  const began = (days: number): number =>
    episodes.filter(({ start }) => start > now - days * dayMs).length;
  const counts = { last24h: began(1), last7d: began(7), last30d: began(30) };
  if (episodes.length < episodesMin) return { ...counts, ...nothingKnown };
  const durations = episodes.map((episode) => ({
    seconds: secondsOf(episode, now),
    ended: episode.end !== null,
  }));
  const ended = durations.filter((duration) => duration.ended);
  const short = ended.filter(({ seconds }) => seconds < selfResolvedSeconds);
  return {
    ...counts,
    medianSeconds: durationQuantile(durations, 0.5),
    p90Seconds: durationQuantile(durations, 0.9),
    selfResolvedShare: ended.length < episodesMin ? null : short.length / ended.length,
    ...gapsOf(episodes),
    rhythm: rhythmOf(episodes),
  };
}

const nothingKnown = {
  medianSeconds: null, p90Seconds: null, selfResolvedShare: null, gapMedianSeconds: null,
  gapVariation: null, rhythm: null,
};

function gapsOf(
  episodes: readonly Interval[],
): Pick<Recurrence, 'gapMedianSeconds' | 'gapVariation'> {
  const starts = episodes.map(({ start }) => start).sort((a, b) => a - b);
  const gaps = starts.slice(1).map((start, index) => (start - (starts[index] ?? start)) / 1000);
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  if (mean === 0) return { gapMedianSeconds: null, gapVariation: null };
  const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
  const durations = gaps.map((seconds) => ({ seconds, ended: true }));
  return {
    gapMedianSeconds: durationQuantile(durations, 0.5),
    gapVariation: Math.sqrt(variance) / mean,
  };
}
