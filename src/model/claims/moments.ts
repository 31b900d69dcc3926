/**
 * A moment in a sentence, as evidence writes it: an RFC 3339 time, a date, or a time of day in UTC
 * or with an offset. Any other form matches nothing.
 */
export interface SaidMoment {
  readonly text: string;
  /** Where it begins in the sentence. */
  readonly index: number;
  /** Epoch milliseconds; null without a date, NaN if the moment cannot be resolved. */
  readonly at: number | null;
  /** Milliseconds since midnight UTC; null for a date alone, NaN if it cannot be resolved. */
  readonly time: number | null;
  /** Precision in milliseconds. */
  readonly grain: number;
  /** The moment with the words around it. */
  readonly clause: string;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Zones other than UTC by their names, and halves of a day, are not resolved. */
const zone = String.raw`(?<zone>\s?(?:UTC|utc|GMT|Z\b)?(?:[+-]\d\d:?\d\d)?` +
  String.raw`(?:(?<=\d)\s(?:CET|CEST|EES?T|WES?T|BST|IST|JST|MSK|[ECMP][SD]?T|AE[SD]?T)\b|` +
  String.raw`\s?[aApP]\.?[mM]\b\.?)?)`;
/** Starts at a digit, so none is empty: of those, Node 20 misreports groups in non-Latin text. */
const moment = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.:-])(?=\d)(?:(?<date>\d{4}-\d\d-\d\d)(?:[T ](?=\d\d:\d\d))?)?` +
    String.raw`(?:(?<time>\d{1,2}:\d\d(?::\d\d(?:\.\d{1,9})?)?)${zone})?` +
    String.raw`(?![\p{L}\p{N}_:]|[.-]\d)`,
  'gu',
);

/** The moments of a text, and the text with blanks in their place. */
export function momentsIn(text: string): { moments: SaidMoment[]; rest: string } {
  const moments: SaidMoment[] = [];
  let rest = '';
  for (const { 0: whole, index, groups = {} } of text.matchAll(moment)) {
    const [before, after] = [text.slice(Math.max(0, index - 60), index),
      text.slice(index + whole.length, index + whole.length + 60)];
    const clause = `${before.split(clauseEnd).at(-1)}${whole}${after.split(clauseEnd)[0]}`;
    moments.push({ ...resolved(groups), text: whole.trim(), index, clause });
    rest += `${text.slice(rest.length, index)}${' '.repeat(whole.length)}`;
  }
  return { moments, rest: rest + text.slice(rest.length) };
}

const clauseEnd = /[;,]|\b(?:and|but|while)\b/;

type Resolved = Pick<SaidMoment, 'at' | 'time' | 'grain'>;

function resolved({ date, time, zone: said = '' }: Record<string, string | undefined>): Resolved {
  const midnight = date === undefined ? null : Date.parse(`${date}T00:00:00Z`);
  if (time === undefined) return { at: midnight, time: null, grain: day };
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  const isTime = hours < 24 && minutes < 60 && seconds <= 60;
  const local = isTime ? hours * hour + minutes * minute + seconds * second : Number.NaN;
  const utc = local - offsetOf(said.trim());
  return {
    at: midnight === null ? null : midnight + utc, time: ofDay(utc),
    grain: time.split(':').length > 2 ? second : minute,
  };
}

/** NaN for what is not resolved: such a moment is equal to none. */
function offsetOf(said: string): number {
  const [whole, sign, hours, minutes] =
    /^(?:UTC|GMT|Z)?(?:([+-])(\d\d):?(\d\d))?$/i.exec(said) ?? [];
  if (whole === undefined) return Number.NaN;
  const offset = Number(hours ?? 0) * hour + Number(minutes ?? 0) * minute;
  return sign === '-' ? -offset : offset;
}

/** Milliseconds from one time of day to the other, the shorter way around midnight. */
export function timeFrom(from: number, to: number): number {
  return ofDay(to - from + day / 2) - day / 2;
}

function ofDay(at: number): number {
  return ((at % day) + day) % day;
}

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

/** What happens at a moment is the last of these ahead of it: "rose at 10:20 after a restart". */
const deeds = new RegExp(
  String.raw`\b(?:(?<deed>restart|reload|evict)|fir(?:ed|es|ing)|r(?:ose|is)|jump|drop|f[ae]ll|` +
    'spik|climb|gr[eo]w|slow|degrad|worsen|increas|decreas)',
  'gi',
);

function deedAt({ clause, text }: SaidMoment): string {
  const part = clause.split(/\b(?:before|after|when|once|as)\b/)
    .find((each) => each.includes(text)) ?? '';
  const ahead = [...part.slice(0, part.indexOf(text)).matchAll(deeds)];
  const told = ahead.length > 0 ? ahead : [...part.matchAll(deeds)];
  return told.at(-1)?.groups?.['deed']?.toLowerCase() ?? '';
}

/** Whether one of the items dates by it what the clause says, as in "restarted at 10:20". */
export function isKnownMoment(
  said: SaidMoment,
  items: readonly { text: string; moments: readonly KnownMoment[] }[],
): boolean {
  const deed = deedAt(said);
  return items.some(({ text, moments }) => text.includes(deed) && holdsMoment(said, moments));
}

function holdsMoment(said: SaidMoment, known: readonly KnownMoment[]): boolean {
  const isEvent = happens.test(said.clause);
  const isEnd = ends.test(said.clause) && !starts.test(said.clause);
  const isFiring = fires.test(said.clause);
  return known.some((one) => {
    const { edge, isWindow } = one;
    return !(isEvent && isWindow) && !(isEnd && (edge === 'start' || edge === 'onset')) &&
      !(isFiring && edge === 'onset') && isSame(said, one);
  });
}

function isSame(said: SaidMoment, { at, isTimeOnly }: KnownMoment): boolean {
  if (said.time === null) return !isTimeOnly && at - ofDay(at) === said.at;
  const apart = said.at !== null && !isTimeOnly ? at - said.at : ofDay(at) - said.time;
  // The claim may have cut or rounded the time.
  return apart > -said.grain / 2 - 1 && apart < said.grain;
}
