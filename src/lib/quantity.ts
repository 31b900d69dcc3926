/**
 * Numbers for people: two or three significant digits and a unit. The texts are ASCII except for
 * the unit signs (µ, °), so that they can be searched for, compared and pasted anywhere.
 */
import { inShownUnit } from './unit-sizes.ts';

/** What follows the number, by the names of units that `unit` members use. */
const suffixes: ReadonlyMap<string, string> = new Map([
  ['count', ''], ['number', ''], ['none', ''], ['celsius', ' °C'], ['volts', ' V'],
  ['amperes', ' A'], ['watts', ' W'], ['joules', ' J'], ['per_minute', '/min'],
]);

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * A value in its unit: `1.9 s`, `82 %`, `3.4 GiB`, `2.1 k/s`. `unit` is a word such as `seconds`,
 * `bytes`, `ratio`, `percent`, `per_second` or `count`; null is unknown, and any other word is put
 * after the number. Ratios are shown in percent.
 */
export function formatQuantity(value: number, unit: string | null): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  if (unit === null) return formatNumber(value);
  const known = inShownUnit(unit);
  if (known?.base === 'seconds') return formatSeconds(value * known.size);
  if (unit === 'decimal_bytes') return withPrefix(value, decimal, 'B');
  if (known?.base === 'bytes') return withPrefix(value * known.size, binary, 'B');
  if (known?.base === 'bytes_per_second') return `${withPrefix(value * known.size, binary, 'B')}/s`;
  if (known !== null) return `${withPrefix(value * known.size, decimal, 'bit')}/s`;
  if (unit === 'hertz') return withPrefix(value, decimal, 'Hz');
  if (unit === 'ratio') return formatPercent(value * 100);
  if (unit === 'percent') return formatPercent(value);
  if (unit === 'per_second') return `${withPrefix(value, decimal, '')}/s`;
  return `${formatNumber(value)}${suffixes.get(unit) ?? ` ${unit.replaceAll('_', ' ')}`}`;
}

/**
 * A duration in at most two units, rounded down: `45 s`, `12 min`, `3 h 5 min`, `2 d 4 h`, `40 d`.
 * Less than a second is shown in milliseconds or smaller units.
 */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return formatQuantity(seconds, null);
  if (seconds < 0) return `-${formatDuration(-seconds)}`;
  if (seconds < 1) return formatSeconds(seconds);
  if (seconds < minute) return `${Math.floor(seconds)} s`;
  if (seconds < 10 * minute) return inTwo(seconds, [minute, 'min'], [1, 's']);
  if (seconds < hour) return `${Math.floor(seconds / minute)} min`;
  if (seconds < day) return inTwo(seconds, [hour, 'h'], [minute, 'min']);
  if (seconds < 30 * day) return inTwo(seconds, [day, 'd'], [hour, 'h']);
  return `${Math.floor(seconds / day)} d`;
}

type Unit = readonly [seconds: number, name: string];

function inTwo(seconds: number, large: Unit, small: Unit): string {
  const whole = Math.floor(seconds / large[0]);
  const rest = Math.floor((seconds - whole * large[0]) / small[0]);
  return rest === 0 ? `${whole} ${large[1]}` : `${whole} ${large[1]} ${rest} ${small[1]}`;
}

/** A measured time keeps three digits below two minutes: `1.93 s`, `350 ms`. */
function formatSeconds(seconds: number): string {
  const size = Math.abs(seconds);
  if (size === 0) return '0 s';
  if (size >= 2 * minute) return formatDuration(seconds);
  if (size >= 0.9995) return `${significant(seconds)} s`;
  if (size >= 0.9995e-3) return `${significant(seconds * 1e3)} ms`;
  if (size >= 0.9995e-6) return `${significant(seconds * 1e6)} µs`;
  return `${significant(seconds * 1e9)} ns`;
}

/** Just below 100 % it keeps more digits: 99.95 % of requests is not "100 %". */
function formatPercent(percent: number): string {
  const missing = 100 - Math.abs(percent);
  if (Math.abs(percent) >= 1000 && Math.abs(percent) < 1e6) return `${Math.round(percent)} %`;
  if (missing <= 0 || missing >= 1) return `${formatNumber(percent)} %`;
  const digits = Math.min(6, 1 - Math.floor(Math.log10(missing)));
  return `${Number(percent.toFixed(digits))} %`;
}

/** Whole numbers below 10 000 are shown in full: 4096, not "4.1 k". */
function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size < 10_000 && Number.isInteger(value)) return String(value === 0 ? 0 : value);
  if (size < 1000) return significant(value);
  return withPrefix(value, decimal, '');
}

/** Prefixes of a unit; each stands for `base` times the one before. */
interface Prefixes {
  readonly base: number;
  readonly names: readonly string[];
}

export const decimal: Prefixes = { base: 1000, names: ['', 'k', 'M', 'G', 'T', 'P', 'E'] };
export const binary: Prefixes = { base: 1024, names: ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] };

function withPrefix(value: number, { base, names }: Prefixes, unit: string): string {
  if (Math.abs(value) >= base ** names.length) return `${significant(value)} ${unit}`.trimEnd();
  let power = 0;
  // 999.6 would be shown as "1000", so it takes the next prefix.
  while (Math.abs(value) / base ** power >= base - 0.5 && power < names.length - 1) power += 1;
  const suffix = `${names[power] ?? ''}${unit}`;
  const digits = significant(value / base ** power);
  return suffix === '' ? digits : `${digits} ${suffix}`;
}

/** Three significant digits, no trailing zeros; an exponent only for extreme values. */
function significant(value: number): string {
  if (value === 0) return '0';
  if (Math.abs(value) >= 100 && Math.abs(value) < 1e15) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}
