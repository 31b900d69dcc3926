import { type Interval } from './interval.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const occurrencesMin = 5;
/** Events without a rhythm exceed this n R² about once in twenty times. */
const rayleighMin = 3;

const weekdays = [
  'Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays',
];

/**
 * When an alert usually starts: `usually around 02:00 UTC`, `usually on Mondays around 02:00 UTC`;
 * null when the starts show no rhythm. A burst of episodes counts once.
 */
export function rhythmOf(episodes: readonly Interval[]): string | null {
  const starts = episodes.map(({ start }) => start).sort((a, b) => a - b);
  const hour = meanPhase(apart(starts, dayMs / 2), dayMs);
  const week = meanPhase(apart(starts, 3 * dayMs).map(startOfDay), 7 * dayMs);
  if (hour === null && week === null) return null;
  // 1 January 1970 was a Thursday.
  const day = week === null ? '' : ` on ${weekdays[(Math.round(week * 7) + 4) % 7] ?? ''}`;
  const time = hour === null ? '' : ` around ${clockText(hour * 24)} UTC`;
  return `usually${day}${time}`;
}

/**
 * The mean phase (0 to 1) of moments on a circle of `periodMs`; null when they do not cluster.
 * Rayleigh's test: n R² > 3 with R = |mean of exp(2πi t / period)| and n ≥ 5.
 */
export function meanPhase(moments: readonly number[], periodMs: number): number | null {
  const n = moments.length;
  if (n < occurrencesMin) return null;
  const angles = moments.map((moment) => (2 * Math.PI * (moment % periodMs)) / periodMs);
  const x = angles.reduce((sum, angle) => sum + Math.cos(angle), 0) / n;
  const y = angles.reduce((sum, angle) => sum + Math.sin(angle), 0) / n;
  if (n * (x * x + y * y) <= rayleighMin) return null;
  return (Math.atan2(y, x) / (2 * Math.PI) + 1) % 1;
}

/** Of ascending moments, those at least `gapMs` after the previous one kept. */
function apart(moments: readonly number[], gapMs: number): number[] {
  const kept: number[] = [];
  for (const moment of moments) {
    const last = kept.at(-1);
    if (last === undefined || moment - last >= gapMs) kept.push(moment);
  }
  return kept;
}

function startOfDay(moment: number): number {
  return Math.floor(moment / dayMs) * dayMs;
}

/** Rounded to half an hour, as the mean of a few moments is no more precise. */
function clockText(hours: number): string {
  const halves = Math.round(hours * 2) % 48;
  return `${String(Math.floor(halves / 2)).padStart(2, '0')}:${halves % 2 === 0 ? '00' : '30'}`;
}
