import { FormatError, text, type Parser } from '../lib/parse.ts';

/**
 * Parses an RFC 3339 time with 0 to 9 fractional digits and any offset into milliseconds since the
 * epoch. Null if the text is not one, or cannot be written in UTC. Digits beyond milliseconds are
 * dropped.
 *
 * Reads digit by digit, as a regular expression takes ten times as long.
 */
export function parseTime(value: string): number | null {
  if (value.length < 20 || value.length > 35) return null;
  if (value !== lastRead.value) lastRead = { value, ms: readTime(value) };
  return lastRead.ms;
}

/** An alert's start is parsed several times in a row, and alerts of a group often share it. */
let lastRead: { readonly value: string; readonly ms: number | null } = { value: '', ms: null };

function readTime(value: string): number | null {
  const year = digits(value, 0, 4);
  const month = digits(value, 5, 2);
  const day = digits(value, 8, 2);
  const hour = digits(value, 11, 2);
  const minute = digits(value, 14, 2);
  const second = digits(value, 17, 2);
  if (!isShaped(value) || year < 0 || month < 1 || month > 12 || day < 1 || day > 31) return null;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return null;
  const date = dateMs(year, month, day);
  const fractionEnd = endOfFraction(value);
  const offset = offsetMs(value, fractionEnd);
  if (date === null || offset === null) return null;
  const timeOfDay = ((hour * 60 + minute) * 60 + second) * 1000;
  const ms = date + timeOfDay + milliseconds(value, fractionEnd) - offset;
  return ms >= earliest && ms <= latest ? ms : null;
}

/** Whether the separators are in their places. */
function isShaped(value: string): boolean {
  const between = value.charCodeAt(10);
  return value.charCodeAt(4) === dash && value.charCodeAt(7) === dash &&
    (between === upperT || between === lowerT || between === space) &&
    value.charCodeAt(13) === colon && value.charCodeAt(16) === colon;
}

const space = 0x20;
const dash = 0x2d;
const colon = 0x3a;
const upperT = 0x54;
const lowerT = 0x74;

/** With an offset, a time may be outside of what can be written in UTC: in year -1 or 10000. */
const earliest = Date.parse('0000-01-01T00:00:00Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

/** The number in `count` digits, or -1 if one of them is not a digit. */
function digits(value: string, start: number, count: number): number {
  let number = 0;
  for (let index = start; index < start + count; index++) {
    const digit = value.charCodeAt(index) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return -1;
    number = number * 10 + digit;
  }
  return number;
}

const daysInMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const dayMs = 86_400_000;

/**
 * Midnight UTC of a date, or null for a day that the month does not have. `Date.UTC` takes three
 * times as long, and a list parses the times of 50 000 episodes. Years begin on 1 March here, so
 * that leap days come last (Howard Hinnant, "chrono-compatible low-level date algorithms",
 * days_from_civil).
 */
function dateMs(year: number, month: number, day: number): number | null {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const isTooLate = day > (daysInMonth[month - 1] ?? 0) || (month === 2 && day === 29 && !isLeap);
  if (isTooLate) return null;
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  return (era * 146_097 + dayOfEra + dayOfYear - 719_468) * dayMs;
}

const fractionStart = 19;

/** The index after the fraction; -1 if a point is not followed by 1 to 9 digits. */
function endOfFraction(value: string): number {
  if (value[fractionStart] !== '.') return fractionStart;
  let end = fractionStart + 1;
  while (digits(value, end, 1) >= 0) end += 1;
  const count = end - fractionStart - 1;
  return count >= 1 && count <= 9 ? end : -1;
}

function milliseconds(value: string, fractionEnd: number): number {
  const count = Math.min(3, fractionEnd - fractionStart - 1);
  return count <= 0 ? 0 : digits(value, fractionStart + 1, count) * (msPerUnit[count] ?? 0);
}

/** Milliseconds per unit of a fraction of 0 to 3 digits. */
const msPerUnit = [1000, 100, 10, 1];

/** The offset from UTC that begins at `start` and ends the text, or null if there is none. */
function offsetMs(value: string, start: number): number | null {
  if (start < 0) return null;
  const sign = value[start];
  if ((sign === 'Z' || sign === 'z') && value.length === start + 1) return 0;
  if ((sign !== '+' && sign !== '-') || value.length !== start + 6) return null;
  const hours = digits(value, start + 1, 2);
  const minutes = digits(value, start + 4, 2);
  if (value[start + 3] !== ':' || hours < 0 || hours > 23 || minutes < 0 || minutes > 59) {
    return null;
  }
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/**
 * The same time written in UTC, so that texts sort like times. A time already in UTC keeps all its
 * digits; others lose those beyond milliseconds.
 */
export function inUtc(value: string): string {
  if (value.endsWith('Z') && value[10] === 'T') return value;
  const ms = parseTime(value);
  return ms === null ? value : new Date(ms).toISOString();
}

/** Go's zero time, which senders use for "not ended". */
const zeroTime = '0001-01-01T00:00:00Z';

/** Everything up to the end of year 1, as the zero time may have any offset or fraction. */
function isZeroTime(value: string): boolean {
  return value.startsWith('0001-') || value.startsWith('0000-');
}

/** An RFC 3339 time, kept as text as it was sent; absent, null and the zero time become null. */
export const timestamp: Parser<string | null> = (value, path) => {
  if (value === undefined || value === null) return null;
  if (value === zeroTime) return null; // A shortcut: every firing alert has it.
  const raw = text(value, path);
  if (parseTime(raw) === null) throw new FormatError(path, 'an RFC 3339 time', value);
  return isZeroTime(raw) ? null : raw;
};
