import { dayAndMonth } from '../time-text.ts';

const minute = 60_000;
const day = 1440 * minute;

/** Round spans up to a day, in seconds. */
export const clockSteps: readonly number[] = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
];

/** Distances between ticks, counted from midnight UTC. */
const steps = [
  ...clockSteps.map((seconds) => seconds * 1000),
  2 * day, 5 * day, 10 * day, 30 * day, 100 * day, 365 * day, 3650 * day,
];

interface TimeTick {
  readonly atMs: number;
  readonly label: string;
  /** Whether the label is a time of day in minutes, which a script can show in another zone. */
  readonly isClock: boolean;
}

/** At most `max` ticks at round moments within a time span, labelled in UTC. */
export function timeTicks(fromMs: number, toMs: number, max: number): TimeTick[] {
  const span = toMs - fromMs;
  if (!(span > 0)) return Number.isFinite(fromMs) ? [tickAt(fromMs, 1000)] : [];
  // Labels with seconds are longer, so fewer fit.
  const step = steps.find((each) => span / each <= max * (each < minute ? 0.6 : 1)) ?? Infinity;
  if (!Number.isFinite(step)) return [];
  const ticks: TimeTick[] = [];
  for (let at = Math.ceil(fromMs / step) * step; at <= toMs && ticks.length < max; at += step) {
    ticks.push(tickAt(at, step));
  }
  return ticks;
}

function tickAt(atMs: number, step: number): TimeTick {
  const date = new Date(atMs);
  const label = step >= day || atMs % day === 0 ? dayAndMonth(date)
    : date.toISOString().slice(11, step < minute ? 19 : 16);
  return { atMs, label, isClock: step >= minute && step < day };
}
