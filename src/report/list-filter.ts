import { severities, type Severity } from '../alert/severity.ts';
import { parseTime } from '../alert/timestamp.ts';
import { parseListCursor, type ListCursor } from './list-cursor.ts';

export const listStates = ['all', 'open', 'ended'] as const;
export type ListState = (typeof listStates)[number];

/** Which episodes a reader wants to see. Every member is part of the page's address. */
export interface ListFilter {
  readonly state: ListState;
  /** Null for every severity. */
  readonly severity: Severity | null;
  readonly namespace: string | null;
  /** The search text as typed; empty for no search. */
  readonly text: string;
  /** Ms back from now; null if `from` and `to` give the time, or nothing does. */
  readonly sinceMs: number | null;
  /** Ms since the epoch: only what fired between these; null is open-ended. */
  readonly from: number | null;
  readonly to: number | null;
}

export interface ListQuery {
  readonly filter: ListFilter;
  /** Null for the first page. */
  readonly after: ListCursor | null;
  /** Sentences for the reader on parameters that were not understood. */
  readonly ignored: readonly string[];
}

export const everything: ListFilter = {
  state: 'all', severity: null, namespace: null, text: '', sinceMs: null, from: null, to: null,
};

/** Longer queries are not read: no link of this service has one. */
const queryLengthMax = 4096;
const textLengthMax = 200;
const namespaceLengthMax = 253;
const wordsMax = 8;

const spanUnits: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const spanDaysMax = 366;

/**
 * Parses the query of `/` (without its `?`). Values that are not understood are treated as absent
 * and reported in `ignored`; nothing throws. An empty value is no filter, as a form sends all its
 * fields.
 */
export function parseListQuery(query: string): ListQuery {
  if (query.length > queryLengthMax) {
    const ignored = ['The filter is ignored: the address is too long.'];
    return { filter: everything, after: null, ignored };
  }
  const given = new URLSearchParams(query);
  const ignored: string[] = [];
  const read = <T>(name: string, parse: (value: string) => T | null, wanted: string): T | null => {
    const value = given.get(name)?.trim() ?? '';
    const parsed = value === '' ? null : parse(value);
    if (value !== '' && parsed === null) ignored.push(`${name} is ignored: it must be ${wanted}.`);
    return parsed;
  };
  const filter = {
    state: read('state', among(listStates), 'open, ended or all') ?? 'all',
    severity: read('severity', among(severities), severities.join(', ')),
    namespace: read('namespace', atMost(namespaceLengthMax),
      `at most ${namespaceLengthMax} characters`),
    text: read('text', searchText,
      `at most ${wordsMax} words and ${textLengthMax} characters`) ?? '',
    sinceMs: read('since', spanOf, 'a span such as 30m, 24h or 7d'),
    from: read('from', timeOf, 'a time such as 2026-11-20T02:00Z'),
    to: read('to', timeOf, 'a time such as 2026-11-20T02:00Z'),
  };
  const after = read('after', parseListCursor, 'the end of a page');
  return { filter: coherent(filter, ignored), after, ignored };
}

/** The query for a filter, without `?`; empty for everything. */
export function listQuery(filter: ListFilter, after: string | null = null): string {
  const { state, severity, namespace, text, sinceMs, from, to } = filter;
  const members: Record<string, string | null> = {
    state: state === 'all' ? null : state,
    severity, namespace,
    text: text || null,
    since: sinceMs === null ? null : spanText(sinceMs),
    from: from === null ? null : momentText(from),
    to: to === null ? null : momentText(to),
    after,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (value !== null) query.set(name, value);
  }
  return query.toString();
}

export function isEverything(filter: ListFilter): boolean {
  return listQuery(filter) === '';
}

/** The words to search for: each must be found in one of the texts. */
export function searchWords({ text }: Pick<ListFilter, 'text'>): readonly string[] {
  return text.split(/\s+/u).filter((word) => word !== '');
}

/** `24h`, `7d`: a span as written in the address. */
export function spanText(ms: number): string {
  const unit = ['d', 'h', 'm'].find((name) => ms % (spanUnits[name] ?? 1) === 0) ?? 'm';
  return `${ms / (spanUnits[unit] ?? 1)}${unit}`;
}

/** A moment as written in the address, with seconds only if they are not zero. */
function momentText(ms: number): string {
  const text = new Date(ms).toISOString();
  return ms % 60_000 === 0 ? `${text.slice(0, 16)}Z` : `${text.slice(0, 19)}Z`;
}

/** Drops `from` and `to` if they are reversed, and `since` if one of them is given. */
function coherent(filter: ListFilter, ignored: string[]): ListFilter {
  const { sinceMs, from, to } = filter;
  if (from !== null && to !== null && from > to) {
    ignored.push('from and to are ignored: from is later than to.');
    return { ...filter, from: null, to: null };
  }
  if (sinceMs === null || (from === null && to === null)) return filter;
  ignored.push('since is ignored, because from or to is given.');
  return { ...filter, sinceMs: null };
}

function among<const T extends string>(allowed: readonly T[]): (value: string) => T | null {
  return (value) => allowed.find((each) => each === value.toLowerCase()) ?? null;
}

function atMost(lengthMax: number): (value: string) => string | null {
  return (value) => (value.length <= lengthMax ? value : null);
}

function searchText(value: string): string | null {
  const isRead = value.length <= textLengthMax && searchWords({ text: value }).length <= wordsMax;
  return isRead ? value : null;
}

function spanOf(value: string): number | null {
  const [, digits, unit = ''] = /^([1-9]\d{0,5})([mhd])$/.exec(value) ?? [];
  const ms = Number(digits) * (spanUnits[unit] ?? NaN);
  return ms <= spanDaysMax * 86_400_000 ? ms : null;
}

/**
 * Parses RFC 3339, truncated to the second. A time without a zone, as a form field sends it, is
 * UTC; a date alone is its midnight.
 */
function timeOf(value: string): number | null {
  const [, date, time, zone] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)([zZ]|[ +-]\d\d:\d\d)?)?$/
      .exec(value) ?? [];
  if (date === undefined) return null;
  const clock = time === undefined ? '00:00:00' : time.length === 5 ? `${time}:00` : time;
  // An unescaped `+` arrives as a space.
  const ms = parseTime(`${date}T${clock}${(zone ?? 'Z').replace(' ', '+')}`);
  return ms === null ? null : Math.floor(ms / 1000) * 1000;
}
