import { FormatError, text, type Parser } from '../lib/parse.ts';

const rfc3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/;

/**
 * Milliseconds since the epoch of an RFC 3339 time with 0 to 9 fractional digits and any offset,
 * or null when the text is none. Digits beyond milliseconds are cut.
 */
export function parseTime(value: string): number | null {
  const [, year, month, day, hour, minute, second, fraction = '', zone = ''] =
    rfc3339.exec(value) ?? [];
  if (year === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) {
    return null;
  }
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // 30 February rolls over into March, and month 13 into the next year; such a date is no date.
  if (date.getUTCDate() !== Number(day) || date.getUTCMonth() !== Number(month) - 1) return null;
  const timeOfDay = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  const milliseconds = fraction === '' ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0'));
  const asUtc = date.getTime() + timeOfDay * 1000 + milliseconds;
  if (zone === 'Z' || zone === 'z') return asUtc;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4))];
  if (hours > 23 || minutes > 59) return null;
  const offsetMs = (hours * 60 + minutes) * 60_000;
  return zone.startsWith('-') ? asUtc + offsetMs : asUtc - offsetMs;
}

/** Go's zero time, which senders write for "not yet": everything up to the end of year 1. */
export function isZeroTime(value: string): boolean {
  return value.startsWith('0001-') || value.startsWith('0000-');
}

/** An RFC 3339 text, kept as it was sent; absent, null and the zero time become null. */
export const timestamp: Parser<string | null> = (value, path) => {
  if (value === undefined || value === null) return null;
  const raw = text(value, path);
  if (parseTime(raw) === null) throw new FormatError(path, 'an RFC 3339 time', value);
  return isZeroTime(raw) ? null : raw;
};
