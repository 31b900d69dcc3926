import { parseTime } from '../alert/timestamp.ts';
import { formatMoment } from './moment.ts';

/** The largest moment a Date can hold, in either direction. */
const momentMax = 8.64e15;

/** RFC 3339 in UTC of milliseconds since the epoch. */
export function isoTime(ms: number): string {
  return new Date(Math.max(-momentMax, Math.min(momentMax, ms))).toISOString();
}

/** The moment (ms) as {@linkcode formatMoment} writes it. */
export function utcText(ms: number, now: number): string {
  return formatMoment(isoTime(ms), now);
}

/** Milliseconds since the epoch of an RFC 3339 time, or `fallback` if it is none. */
export function momentOf(time: string | null, fallback: number): number {
  return (time === null ? null : parseTime(time)) ?? fallback;
}
