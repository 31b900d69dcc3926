/**
 * A moment in a sentence: an RFC 3339 time, a date, or a time of day, in UTC unless it says
 * otherwise. A time in a zone whose name is ambiguous ("IST") is not resolved, matches nothing.
 */
export interface SaidMoment {
  readonly text: string;
  /** Epoch milliseconds; null if there is no date, or the moment cannot be resolved. */
  readonly at: number | null;
  /** Milliseconds since midnight UTC; null for a date alone. */
  readonly time: number | null;
  /** Precision in milliseconds. */
  readonly grain: number;
  /** Whether it could be resolved. */
  readonly isKnown: boolean;
  /** The moment with the words around it. */
  readonly clause: string;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const zone = String.raw`(?<zone>\s?(?:UTC|utc|GMT|Z\b)?(?:[+-]\d\d:?\d\d)?` +
  String.raw`(?:(?<=\d)\s(?:CET|CEST|EES?T|WES?T|BST|IST|JST|MSK|[ECMP][SD]?T|AE[SD]?T)\b)?)`;
/** Must start at a digit: Node 20 misreports groups of empty matches in non-Latin text. */
const moment = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.:-])(?=\d)(?:(?<date>\d{4}-\d\d-\d\d)(?:[T ](?=\d\d:\d\d))?)?` +
    String.raw`(?:(?<time>\d{1,2}:\d\d(?::\d\d(?:\.\d{1,9})?)?)` +
    String.raw`(?:\s?(?<half>[aApP]\.?[mM]\b\.?))?${zone})?` +
    String.raw`(?![\p{L}\p{N}_:]|[.-]\d)`,
  'gu',
);
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const monthName = '(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|june?|july?|' +
  'aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|may)';
const namedDays = [
  new RegExp(`\\b(?<day>\\d{1,2})(?:st|nd|rd|th)? ${monthName}\\b(?: (?<year>\\d{4}))?`, 'gi'),
  new RegExp(`\\b${monthName} (?<day>\\d{1,2})(?:st|nd|rd|th)?\\b(?:,? (?<year>\\d{4}))?`, 'gi'),
];

/** The moments of a text, and the text with blanks in their place. */
export function momentsIn(text: string): { moments: SaidMoment[]; rest: string } {
  const moments: SaidMoment[] = [];
  let rest = text.replace(moment, (...found) => {
    const groups = found.at(-1) as Record<string, string | undefined>;
    const whole = String(found[0]);
    if (groups['date'] === undefined && groups['time'] === undefined) return whole;
    const index = Number(found.at(-3));
    moments.push({ ...momentOf(groups), text: whole.trim(), clause: around(text, index, whole) });
    return ' '.repeat(whole.length);
  });
  for (const pattern of namedDays) {
    rest = rest.replace(pattern, (...found) => {
      const groups = found.at(-1) as Record<string, string | undefined>;
      const whole = String(found[0]);
      const index = Number(found.at(-3));
      moments.push({ ...dayOf(groups), text: whole, clause: around(text, index, whole) });
      return ' '.repeat(whole.length);
    });
  }
  return { moments, rest };
}

type Read = Omit<SaidMoment, 'text' | 'clause'>;
const unknown: Read = { at: null, time: null, grain: minute, isKnown: false };

function momentOf({ date, time, half, zone: said = '' }: Record<string, string | undefined>): Read {
  const midnight = date === undefined ? null : Date.parse(`${date}T00:00:00Z`);
  if (midnight !== null && Number.isNaN(midnight)) return unknown;
  if (time === undefined) return { at: midnight, time: null, grain: day, isKnown: true };
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  if (hours > 23 || minutes > 59 || seconds > 60) return unknown;
  const offset = offsetOf(said.trim());
  if (offset === null) return unknown;
  const isLate = half !== undefined && /^p/i.test(half) && hours < 12;
  const isMidnight = half !== undefined && /^a/i.test(half) && hours === 12;
  const full = isMidnight ? 0 : isLate ? hours + 12 : hours;
  const local = full * hour + minutes * minute + seconds * second;
  const utc = local - offset;
  return {
    at: midnight === null ? null : midnight + utc, time: ((utc % day) + day) % day,
    grain: time.split(':').length > 2 ? second : minute, isKnown: true,
  };
}

/** Hours ahead of UTC of zones whose abbreviation has one meaning. */
const zones: Readonly<Record<string, number>> = {
  WET: 0, WEST: 1, CET: 1, CEST: 2, EET: 2, EEST: 3, MSK: 3, JST: 9, AEST: 10, AEDT: 11,
  EST: -5, EDT: -4, CDT: -5, MDT: -6, PST: -8, PDT: -7,
};

function offsetOf(said: string): number | null {
  if (/^(?:UTC|GMT|Z)?$/i.test(said)) return 0;
  const ahead = zones[said];
  if (ahead !== undefined) return ahead * hour;
  const [, sign, hours, minutes] = /^(?:UTC|GMT)?([+-])(\d\d):?(\d\d)$/i.exec(said) ?? [];
  if (sign === undefined) return null;
  return (Number(hours) * hour + Number(minutes) * minute) * (sign === '-' ? -1 : 1);
}

/** A date without a year gets the year 1970 and is compared by month and day. */
function dayOf({ day: number, month = '', year }: Record<string, string | undefined>): Read {
  const index = months.indexOf(month.toLowerCase().slice(0, 3));
  const at = Date.UTC(Number(year ?? 1970), index, Number(number));
  return { at, time: null, grain: day, isKnown: true };
}

function around(text: string, index: number, whole: string): string {
  const from = Math.max(0, index - 60);
  const before = text.slice(from, index).split(/[;,]|\b(?:and|but|while)\b/).at(-1) ?? '';
  const after = text.slice(index + whole.length).split(/[;,]|\b(?:and|but|while)\b/)[0] ?? '';
  return `${before}${whole}${after.slice(0, 60)}`;
}

/** A moment in the evidence. */
export interface KnownMoment {
  /** Epoch milliseconds. */
  readonly at: number;
  /** True where it is only a bound of the queried window. */
  readonly isWindow: boolean;
  /** True where only the time of day is known: `at` then counts from midnight. */
  readonly isTimeOnly: boolean;
  /** Whether something fired, moved or ended at it; absent if unknown. */
  readonly edge?: 'start' | 'onset' | 'end' | undefined;
}

const ends = /\b(?:ended|resolved|recovered|cleared|stopped)\b/i;
const starts = /\b(?:fired|fires|began|begun|started|rose|jumped|spiked|since|before|after)\b/i;

/** Directly before a moment, these date the alert and not what moved. */
const fires = /\balert (?:first )?(?:fired|(?:began|started) firing) (?:at |on |around )*\d/i;

/** Words for events; an event must not be dated by a bound of the queried window. */
const happens = new RegExp(
  String.raw`\b(?:fir(?:ed|es|ing)|beg(?:an|in\w*)|start\w*|r(?:ose|ise\w*)|jump\w*|dropp?\w*|` +
    String.raw`f[ea]ll\w*|spik\w*|crash\w*|restart\w*|since|moved?|climb\w*|grew|ended|resolved|` +
    String.raw`deployed|rolled)\b`,
  'i',
);

/** Whether one of the known moments is the one that is said. */
export function isKnownMoment(said: SaidMoment, known: readonly KnownMoment[]): boolean {
  if (!said.isKnown) return false;
  const isEvent = happens.test(said.clause);
  const isEnd = ends.test(said.clause) && !starts.test(said.clause);
  const isFiring = fires.test(said.clause);
  return known.some(({ edge, isWindow, ...one }) => !(isEvent && isWindow) &&
    !(isEnd && (edge === 'start' || edge === 'onset')) && !(isFiring && edge === 'onset') &&
    isSame(said, { ...one, isWindow }));
}

function isSame(said: SaidMoment, { at, isTimeOnly }: KnownMoment): boolean {
  if (said.time === null) {
    if (isTimeOnly || said.at === null) return false;
    const date = new Date(at);
    const isYearless = said.at < 366 * day;
    const year = isYearless ? 1970 : date.getUTCFullYear();
    return Date.UTC(year, date.getUTCMonth(), date.getUTCDate()) === said.at;
  }
  // The claim may have cut or rounded the time.
  const near = (one: number, other: number): boolean => {
    const apart = one - other;
    return apart > -said.grain / 2 - 1 && apart < said.grain;
  };
  if (said.at !== null && !isTimeOnly) return near(at, said.at);
  return near(((at % day) + day) % day, said.time);
}
