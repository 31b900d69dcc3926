/** Moments, ages and spans of time in words. */
import { parseTime } from '../alert/timestamp.ts';
import { formatDuration } from '../lib/quantity.ts';
import { dayMs } from '../lib/time-units.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The largest moment a Date can hold, in either direction. */
const momentMax = 8.64e15;

/** RFC 3339 in UTC of milliseconds since the epoch. */
export function isoTime(ms: number): string {
  return dateAt(ms).toISOString();
}

/** Milliseconds since the epoch of an RFC 3339 time, or `fallback` if it is none. */
export function momentOf(time: string | null, fallback: number): number {
  return (time === null ? null : parseTime(time)) ?? fallback;
}

/**
 * A moment (ms) in UTC, with as much of the date as `now` (ms) requires: `02:14 UTC` today,
 * `19 Nov 02:14 UTC` this year, else with the year. Seconds are left out unless asked for.
 */
export function utcText(ms: number, now: number, hasSeconds = false): string {
  const [date, today] = [dateAt(ms), dateAt(now)];
  const clock = `${date.toISOString().slice(11, hasSeconds ? 19 : 16)} UTC`;
  if (Math.floor(ms / dayMs) === Math.floor(now / dayMs)) return clock;
  const day = dayAndMonth(date);
  if (date.getUTCFullYear() === today.getUTCFullYear()) return `${day} ${clock}`;
  return `${day} ${date.getUTCFullYear()} ${clock}`;
}

function dateAt(ms: number): Date {
  return new Date(Math.max(-momentMax, Math.min(momentMax, ms)));
}

/** Formats an RFC 3339 time in the same way; any other text is returned unchanged. */
export function formatMoment(time: string, now: number, hasSeconds = false): string {
  const at = parseTime(time);
  return at === null ? time : utcText(at, now, hasSeconds);
}

/** `20 Nov`, in UTC. */
export function dayAndMonth(date: Date): string {
  return `${date.getUTCDate()} ${months[date.getUTCMonth()] ?? ''}`;
}

/**
 * Parses what {@linkcode utcText} wrote on the day of `asOf` into RFC 3339; null for text of
 * another form.
 */
export function parseMoment(text: string, asOf: string): string | null {
  const form = /^(?:(\d{1,2}) ([A-Z][a-z]{2}) (?:(\d{4}) )?)?(\d{2}:\d{2})(:\d{2})? UTC$/;
  const [whole, day, month = '', year, clock, seconds = ':00'] = form.exec(text) ?? [];
  const today = parseTime(asOf);
  if (whole === undefined || today === null) return null;
  const [thisYear = ''] = new Date(today).toISOString().split('-');
  const number = String(months.indexOf(month) + 1).padStart(2, '0');
  const date = day === undefined ? new Date(today).toISOString().slice(0, 10)
    : `${year ?? thisYear}-${number}-${day.padStart(2, '0')}`;
  const time = `${date}T${clock}${seconds}Z`;
  return parseTime(time) === null ? null : time;
}

/** An RFC 3339 time in UTC to the second: `2026-11-20 02:14:05 UTC`. */
export function formatExactMoment(time: string): string {
  const at = parseTime(time);
  if (at === null) return time;
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `12 min ago`, `in 3 min`, `just now`; null for text that is no time. `now` in ms. */
export function formatRelative(time: string, now: number): string | null {
  const at = parseTime(time);
  if (at === null) return null;
  const seconds = Math.round((now - at) / 1000);
  if (Math.abs(seconds) < 2) return 'just now';
  return seconds > 0 ? `${roughly(seconds)} ago` : `in ${roughly(-seconds)}`;
}

/** When something began, in seconds relative to the problem: `5 min before the problem`. */
export function formatOnset(seconds: number): string {
  if (Math.abs(seconds) < 5) return 'when the problem began';
  const side = seconds < 0 ? 'before' : 'after';
  return `${formatDuration(Math.abs(seconds))} ${side} the problem`;
}

/**
 * The duration from one RFC 3339 time to another, or roughly that until `now` (ms) if that is null;
 * at least 0.
 */
export function formatSpan(from: string, to: string | null, now: number): string {
  const [start, end] = [parseTime(from), to === null ? now : parseTime(to)];
  if (start === null || end === null) return 'an unknown time';
  const seconds = Math.max(0, (end - start) / 1000);
  return to === null ? roughly(seconds) : formatDuration(seconds);
}

/** Without seconds between one and ten minutes, as the exact time is shown next to it. */
function roughly(seconds: number): string {
  const isMinutes = seconds >= 60 && seconds < 600;
  return formatDuration(isMinutes ? Math.floor(seconds / 60) * 60 : seconds);
}
