import { FormatError, text, type Parser } from '../lib/parse.ts';

/**
 * Parses an RFC 3339 time with 0 to 9 fractional digits and any offset into milliseconds since the
 * epoch. Null if the text is not one, or cannot be written in UTC. Digits beyond milliseconds are
 * dropped.
 */
export function parseTime(value: string): number | null {
  if (value !== lastRead.value) lastRead = { value, ms: readTime(value) };
  return lastRead.ms;
}

/** An alert's start is parsed several times in a row, and alerts of a group often share it. */
let lastRead: { readonly value: string; readonly ms: number | null } = { value: '', ms: null };

/** `Date.parse` alone also accepts 24:00, and many texts that are not RFC 3339. */
const shape =
  /^\d{4}-\d\d-\d\d[Tt ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:[0-5]\d)$/;

/** With an offset, a time may be outside of what can be written in UTC: in year -1 or 10000. */
const earliest = Date.parse('0000-01-01T00:00:00Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

function readTime(value: string): number | null {
  if (!shape.test(value)) return null;
  if (value.slice(8, 10) > '28' && !isInCalendar(value.slice(0, 10))) return null;
  const ms = Date.parse(value.toUpperCase().replace(' ', 'T'));
  return ms >= earliest && ms <= latest ? ms : null;
}

/** `Date.parse` takes 30 February for 2 March. */
function isInCalendar(day: string): boolean {
  return new Date(day).getUTCDate() === Number(day.slice(8));
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
