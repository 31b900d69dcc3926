import { secondsIn } from '../../lib/time-units.ts';
import { hideNames } from './names.ts';
import { roleOf, type Role } from './role.ts';

export type Kind =
  | 'seconds' | 'bytes' | 'percent' | 'per_second' | 'bytes_per_second' | 'factor' | 'ordinal'
  | 'bare';

/** A number in a sentence, converted to base units: seconds, bytes, percent. */
export interface SaidQuantity {
  readonly text: string;
  readonly value: number;
  readonly kind: Kind;
  /** Rounding error that the number of digits allows. */
  readonly slack: number;
  readonly bound: 'about' | 'nearly' | 'over' | 'under' | null;
  readonly role: Role | null;
  /** The word after it; empty if there is none. */
  readonly noun: string;
  /** Its clause in lower case, with stand-ins for names. */
  readonly clause: string;
  /** The same, including names. */
  readonly named: string;
  /** The text before it in its clause, back to the previous number. */
  readonly before: string;
  /** The text after it in its clause, up to the next number. */
  readonly after: string;
  /** The total, as 12 in "3 of 12"; null if there is none. */
  readonly of: number | null;
}

const timeUnit =
  '(?:ns|us|µs|μs|ms|s|secs?|seconds?|milliseconds?|microseconds?|m|mins?|minutes?|h|hrs?|' +
  'hours?|days?|d|weeks?)\\b';
const byteUnit =
  '(?:[kKMGTPE]i?)?(?:B|bytes?)\\b|(?:kilo|mega|giga|tera|kibi|mebi|gibi|tebi)bytes?\\b';
const scaleUnit = '[kMGT]i?\\b|millicores?\\b|hundred\\b|thousand\\b|million\\b|billion\\b';
const perTime = '(?:\\/| (?:per|a) )(?:s(?:ec(?:ond)?)?|min(?:ute)?)\\b';
const quantity = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.,])` +
    String.raw`(?<number>[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[-+]?\d{1,3})?)` +
    String.raw`(?:[\s-]?(?<unit>%|percent(?:age)?(?:[ -]points?)?\b|×|x\b|` +
    String.raw`${byteUnit}|${timeUnit}|[rq]ps\b|${scaleUnit}|(?:st|nd|rd|th)\b)` +
    String.raw`(?<prefixed>(?<=[kMGTn]) ?(?:B|bytes?)\b)?)?` +
    `(?<rate>(?: ?[a-z]{1,16})?(?:${perTime}))?` +
    String.raw`(?![\p{L}_])`,
  'gu',
);

const scales: Readonly<Record<string, number>> = {
  '': 1, millicore: 1e-3, hundred: 100, thousand: 1e3, million: 1e6, billion: 1e9, k: 1e3, K: 1e3,
  M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18, Ki: 1024, ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3,
  Ti: 1024 ** 4, Pi: 1024 ** 5, Ei: 1024 ** 6, kilo: 1e3, mega: 1e6, giga: 1e9, tera: 1e12,
  kibi: 1024, mebi: 1024 ** 2, gibi: 1024 ** 3, tebi: 1024 ** 4,
};

interface Found {
  readonly match: RegExpExecArray;
  readonly value: number;
  readonly kind: Kind;
  readonly slack: number;
  readonly to: number;
}

/**
 * The quantities of a text without quotes and moments, and the rest of the text. Names are hidden
 * first, so that digits in them are not read as numbers.
 */
export function quantitiesIn(text: string): { found: SaidQuantity[]; rest: string } {
  const { hidden, shown } = hideNames(text, (between) => between
    .replace(/(?<=\d)\s?[–—]\s?(?=\d)|(?<=\d)-(?=\d)/g, ' to ')
    .replace(/(?<=\d)\s?\/\s?(?=\d)/g, ' of ').replace(/−/g, '-'));
  const single = [...hidden.matchAll(quantity)].map((match) => readOne(hidden, match));
  const read = joined(hidden, single);
  const withUnits = read.map((one, index) => inUnitOfNext(hidden, one, read[index + 1]));
  const found = withUnits.map((one, index) =>
    saidIn({ hidden, shown }, one, [withUnits[index - 1], withUnits[index + 1]]));
  const rest = [...read, null].map((one, index) =>
    hidden.slice(read[index - 1]?.to ?? 0, one?.match.index)).join(' ');
  const whole = found.map((one, index) => {
    const between = hidden.slice(withUnits[index]?.to, withUnits[index + 1]?.match.index);
    return withTotal(one, between, found[index + 1]);
  });
  return { found: whole, rest };
}

function readOne(text: string, match: RegExpExecArray): Found {
  const { number = '', unit = '', prefixed = '', rate = '' } = match.groups ?? {};
  const digits = number.replaceAll(',', '');
  const fraction = /\.(\d+)/.exec(digits)?.[1]?.length ?? 0;
  const exponent = Number(/e([-+]?\d+)/.exec(digits)?.[1] ?? 0);
  const half = 0.5 * 10 ** (exponent - fraction);
  const before = text.slice(Math.max(0, match.index - clauseMax), match.index);
  const isFactor = unit === '' && aFactorOf.test(before);
  const { scale, kind } = isFactor ? { scale: 1, kind: 'factor' as const }
    : unitOf(unit + prefixed, text.slice(match.index + match[0].length));
  const perSecond = /min/.test(rate) ? 1 / 60 : 1;
  const rated = rate === '' ? kind : kind === 'bytes' ? 'bytes_per_second' : 'per_second';
  return {
    match, value: Number(digits) * scale * perSecond, kind: rated, slack: half * scale * perSecond,
    to: match.index + match[0].length,
  };
}

const aFactorOf = /\bfactor of (?:about |around |roughly |nearly |almost |over |more than |~)?$/i;
const timesAs = new RegExp(
  '^\\s?times (?:as|its|the|higher|more|lower|less|larger|greater|slower|faster|above|over|' +
    'normal|usual|what|yesterday)',
  'i',
);

function unitOf(unit: string, behind: string): { scale: number; kind: Kind } {
  if (unit === '') return { scale: 1, kind: timesAs.test(behind) ? 'factor' : 'bare' };
  if (unit === '%' || unit.startsWith('percent')) return { scale: 1, kind: 'percent' };
  if (unit === '×' || unit === 'x') return { scale: 1, kind: 'factor' };
  if (unit === 'rps' || unit === 'qps') return { scale: 1, kind: 'per_second' };
  if (/^(?:st|nd|rd|th)$/.test(unit)) return { scale: 1, kind: 'ordinal' };
  const span = secondsIn(unit);
  if (span !== null) return { scale: span, kind: 'seconds' };
  const single = unit.length > 2 ? unit.replace(/s$/, '') : unit;
  const scale = scales[single.replace(/\s?(?:B|byte)$/, '')] ?? 1;
  return { scale, kind: /B$|byte$|^[KMGT]i$/.test(single) ? 'bytes' : 'bare' };
}

/** Joins "3 h 5 min" and "2 minutes and 30 seconds" into one duration each. */
function joined(text: string, read: readonly Found[]): Found[] {
  const out: Found[] = [];
  for (const one of read) {
    const previous = out.at(-1);
    const between = previous === undefined ? '' : text.slice(previous.to, one.match.index);
    const isSpan = previous?.kind === 'seconds' && one.kind === 'seconds' &&
      one.slack < previous.slack && /^(?:\s|,? and )?$/.test(between);
    if (!isSpan || previous === undefined) out.push(one);
    else out[out.length - 1] = { ...one, match: previous.match, value: previous.value + one.value };
  }
  return out;
}

/** Applies the unit of "40 to 198 ms" and "5-10 min" to the first number, too. */
function inUnitOfNext(text: string, one: Found, next: Found | undefined): Found {
  if (next === undefined || one.kind !== 'bare' || next.kind === 'bare') return one;
  if (!/^ (?:to|and|or) (?:about )?$/.test(text.slice(one.to, next.match.index))) return one;
  if (next.kind === 'factor' || next.kind === 'ordinal') return one;
  const number = Number((next.match.groups?.['number'] ?? '1').replaceAll(',', ''));
  const scale = number === 0 ? 1 : next.value / number;
  return { ...one, kind: next.kind, value: one.value * scale, slack: one.slack * scale };
}

/** So much of a clause is read on each side of a number. */
const clauseMax = 400;

export const clauseEnd: RegExp =
  /[;:]|,(?!\d)|\.(?=\s|$)|\b(?:and|but|while|whereas|although|because|with)\b|[()—]/;

function saidIn(
  { hidden, shown }: ReturnType<typeof hideNames>,
  { match: { index: at }, to, value, kind, slack }: Found,
  [previous, next]: readonly [Found | undefined, Found | undefined],
): SaidQuantity {
  const lastOf = (from: number): string => {
    const ahead = hidden.slice(Math.max(from, at - clauseMax), at);
    return ahead.split(clauseEnd).at(-1) ?? '';
  };
  const firstOf = (end: number): string => {
    const behind = hidden.slice(to, Math.min(end, to + clauseMax));
    return behind.split(clauseEnd, 1)[0] ?? '';
  };
  const before = lastOf(previous?.to ?? 0);
  const after = firstOf(next?.match.index ?? hidden.length);
  const from = at - lastOf(0).length;
  const end = to + firstOf(hidden.length).length;
  const isCount = kind === 'percent' || kind === 'bare' && Number.isInteger(value);
  return {
    text: hidden.slice(at, to).trim(), value, kind, slack, bound: boundOf(before),
    role: roleOf(before, after, isCount), noun: /^\s*([\p{L}-]+)/u.exec(after)?.[1] ?? '',
    clause: hidden.slice(from, end).toLowerCase(), named: shown.slice(from, end).toLowerCase(),
    before, after, of: null,
  };
}

function boundOf(before: string): SaidQuantity['bound'] {
  if (/(?:\b(?:about|around|roughly|approximately|circa|approx\.?)|[~≈])\s*$/i.test(before)) {
    return 'about';
  }
  if (/\b(?:over|above|more than|at least|exceed(?:s|ed|ing)?|beyond)\s*$/i.test(before)) {
    return 'over';
  }
  if (/\b(?:nearly|almost|close to)\s*$/i.test(before)) return 'nearly';
  const under = /\b(?:under|below|less than|fewer than|at most|up to)\s*$/i;
  return under.test(before) ? 'under' : null;
}

/** Reads "3 of 12 targets are up": the words after the total describe the part. */
function withTotal(
  one: SaidQuantity,
  between: string,
  next: SaidQuantity | undefined,
): SaidQuantity {
  const isPart = next !== undefined && one.kind === 'bare' &&
    /^\s?(?:out )?of (?:the |all |its )*$/.test(between);
  if (!isPart) return one;
  return { ...one, of: next.value, role: next.role, noun: next.noun, after: next.after };
}

/** The part of its total that is as it is said; of "3 of 12 have not moved", 9 have. */
export function partOf({ value, of, role, after }: SaidQuantity): number {
  const isDenied = role !== 'down' && /\bnot\b/i.test(after);
  return isDenied && of !== null ? of - value : value;
}
