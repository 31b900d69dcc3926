import { dayMs, hourMs } from '../lib/time-units.ts';
import type { Interval } from './interval.ts';

const halfMs = hourMs / 2;
const halvesPerDay = 48;
const occurrencesMin = 5;
/** Events without a rhythm exceed this n R² about once in twenty times. */
const rayleighMin = 3;
/** Half of them are this close to what is usual: 90 minutes of a day, the same day of a week. */
const nearMax = 1 / 16;

const weekdays = [
  'Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays',
];

/**
 * When an alert usually starts: `usually around 02:00 UTC`, `usually on Mondays around 02:00 UTC`;
 * null when the starts show no rhythm. A burst of episodes counts once.
 */
export function rhythmOf(episodes: readonly Interval[]): string | null {
  const starts = episodes.map(({ start }) => start).sort((a, b) => a - b);
  const phase = usualPhase(apart(starts, dayMs / 2), dayMs);
  const timeMs = phase === null ? null : (Math.round(phase * halvesPerDay) % halvesPerDay) * halfMs;
  const days = apart(starts, 3 * dayMs).map((start) => dayOf(start, timeMs));
  const week = usualPhase(days, 7 * dayMs);
  if (timeMs === null && week === null) return null;
  // 1 January 1970 was a Thursday.
  const day = week === null ? '' : ` on ${weekdays[(Math.round(week * 7) + 4) % 7] ?? ''}`;
  const time = timeMs === null ? '' : ` around ${clockText(timeMs)} UTC`;
  return `usually${day}${time}`;
}

/**
 * The usual phase (0 to 1) of moments on a circle of `periodMs`; null when they do not cluster.
 * Rayleigh's test: n R² > 3 with R = |mean of exp(2πi t / period)| and n ≥ 5. That shows a cluster
 * but not a narrow one: of an alert of office hours, one start in six is near the middle. The phase
 * is the median: the mean of what came at 00:00 UTC in summer and at 01:00 in winter is a time at
 * which nothing came.
 */
export function usualPhase(moments: readonly number[], periodMs: number): number | null {
  const n = moments.length;
  if (n < occurrencesMin) return null;
  const phases = moments.map((moment) => (moment % periodMs) / periodMs);
  const x = phases.reduce((sum, phase) => sum + Math.cos(2 * Math.PI * phase), 0) / n;
  const y = phases.reduce((sum, phase) => sum + Math.sin(2 * Math.PI * phase), 0) / n;
  if (n * (x * x + y * y) <= rayleighMin) return null;
  const opposite = Math.atan2(y, x) / (2 * Math.PI) + 0.5;
  const sorted = phases.map((phase) => (phase - opposite + 2) % 1).sort((a, b) => a - b);
  const usual = ((sorted[Math.floor(n / 2)] ?? 0) + opposite + 1) % 1;
  const distances = phases.map((phase) => Math.abs(phase - usual));
  const near = distances.filter((distance) => Math.min(distance, 1 - distance) <= nearMax);
  return 2 * near.length >= n ? usual : null;
}

/** The moments, given in ascending order, at least `gapMs` after the previous one kept. */
function apart(moments: readonly number[], gapMs: number): number[] {
  const kept: number[] = [];
  for (const moment of moments) {
    const last = kept.at(-1);
    if (last === undefined || moment - last >= gapMs) kept.push(moment);
  }
  return kept;
}

/** The start of the moment's day, or of the day whose `timeMs` is nearest to the moment. */
function dayOf(moment: number, timeMs: number | null): number {
  return (timeMs === null ? Math.floor(moment / dayMs) : Math.round((moment - timeMs) / dayMs)) *
    dayMs;
}

/** `timeMs` is a time of day in whole half hours: the usual start is no more precise. */
function clockText(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(11, 16);
}
