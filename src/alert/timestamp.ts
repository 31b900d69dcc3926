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
  if (year === undefined || Number(hour) > 23) return null;
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}`;
  const asUtc = Date.parse(`${local}Z`);
  // Date.parse rolls 30 February over into March; such a date is no date.
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString().slice(8, 10) !== day) return null;
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
