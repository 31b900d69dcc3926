import { formatQuantity } from '../lib/quantity.ts';
import { inUnit, sizeOfUnit, unitOfSize } from '../lib/unit-sizes.ts';
import type { LabelSet } from '../alert/labels.ts';
import type { TextNumber } from './numbers-in-text.ts';
import { countedPairOf, type CountedPair } from './rule/counted-pair.ts';
import type { Operator } from './rule/comparison.ts';
import type { RuleReading } from './rule/rule-expression.ts';

/** The alert's value and its threshold, as far as they are known; null is unknown. */
export interface Measurement {
  readonly value: number | null;
  readonly threshold: number | null;
  readonly operator: Operator | null;
  /** The series that the threshold was read from; null for a rule on a number. */
  readonly limit: string | null;
  /** Set when value and threshold count the same things; null when they do not. */
  readonly counted: CountedPair | null;
  readonly unit: string | null;
  /** The value is a forecast that the rule makes. */
  readonly isForecast: boolean;
  /** Where the value comes from; `series` is what a metric source measured. */
  readonly origin: 'series' | 'text' | 'values' | 'rule' | null;
  /** Why the value is unknown, as a sentence; null when it is known. */
  readonly unknownBecause: string | null;
  /** Numbers in the text that contradict the rule, as written. */
  readonly contradicting: readonly string[];
}

interface MeasurementSources {
  readonly rule: RuleReading | null;
  readonly numbers: readonly TextNumber[];
  /** Grafana's values by name. */
  readonly values: LabelSet;
}

const noCertainNumber = 'No number in the text is certain to be the value.';
const forecasting = /\b(?:predict_linear|holt_winters|double_exponential_smoothing) ?\(/u;

/**
 * Finds the alert's value among its numbers. Conservative: a number counts only if it is on the
 * firing side of the threshold, in a compatible unit, and the only such one. A wrong number is
 * worse than none.
 */
export function measure({ rule, numbers, values }: MeasurementSources): Measurement {
  const limit = {
    threshold: rule?.threshold ?? null,
    operator: rule?.operator ?? null,
    unit: limitUnitOf(rule, numbers),
    isForecast: forecasting.test(rule?.compared ?? ''),
    limit: rule?.limit?.text ?? null,
    counted: rule?.compared == null || rule.limit === null ? null
      : countedPairOf(rule.compared, rule.limit.text),
  };
  const { threshold, operator } = limit;
  if (rule === null || threshold === null || operator === null) {
    return withoutRule(limit, numbers, values);
  }
  const isUnitLost = rule.isRescaled && limit.unit === null;
  const comparable = isUnitLost ? numbers.filter((number) => number.unit === null) : numbers;
  const contradicting = contradictions(comparable, { ...limit, threshold });
  const none = { value: null, origin: null, ...limit, contradicting };
  if (operator === '==') {
    // Only a value equal to the threshold passes the comparison.
    return { ...none, value: threshold, origin: 'rule', unknownBecause: null };
  }
  if (contradicting.length > 0) {
    return { ...none, unknownBecause: 'The numbers in the text contradict the rule.' };
  }
  const fitting = comparable
    .filter(({ role }) => role !== 'limit' && role !== 'window')
    .flatMap((number) => {
      const read = inUnitOf(number, { ...limit, threshold });
      return read !== null && isFiring(read.value, operator, threshold) ? [{ number, read }] : [];
    });
  const readings = (list: typeof fitting): Read[] => list.map(({ read }) => read);
  const chosen = onlyOne(readings(fitting.filter(({ number }) => number.role === 'value'))) ??
    onlyOne(readings(fitting.filter(({ number }) => number.unit !== null || numbers.length === 1)));
  if (chosen !== null) return { ...none, ...chosen, origin: 'text', unknownBecause: null };
  const sent = onlyValue(values, (value) => isFiring(value, operator, threshold));
  if (sent !== null) return { ...none, value: sent, origin: 'values', unknownBecause: null };
  const why = fitting.length > 1 ? 'Several numbers in the text could be the value.'
    : noCertainNumber;
  return { ...none, unknownBecause: why };
}

/** The unit in which the rule compares, from its metric names or from the limit in the text. */
export function limitUnitOf(
  rule: RuleReading | null,
  numbers: readonly TextNumber[],
): string | null {
  return rule === null ? null : rule.unit ?? unitInText(rule, numbers);
}

/** A rule on `x * 1000 > 500` is in milliseconds if the text mentions a threshold of 500 ms. */
function unitInText({ threshold }: RuleReading, numbers: readonly TextNumber[]): string | null {
  if (threshold === null || threshold === 0) return null;
  const units = numbers.filter(({ role }) => role === 'limit').map(({ value, unit }) => {
    const known = unit === null ? null : sizeOfUnit(unit);
    if (known === null) return null;
    return unitOfSize({ base: known.base, size: known.size * (value / threshold) });
  });
  const distinct = new Set(units.filter((unit) => unit !== null));
  const [unit = null] = distinct;
  return distinct.size === 1 ? unit : null;
}

/** True when a value makes the comparison hold. */
export function isFiring(value: number, operator: Operator, threshold: number): boolean {
  switch (operator) {
    case '>': return value > threshold;
    case '>=': return value >= threshold;
    case '<': return value < threshold;
    case '<=': return value <= threshold;
    case '==': return value === threshold;
    case '!=': return value !== threshold;
  }
}

/**
 * A value against its threshold in words: `1.9 s, 3.8× its threshold of 500 ms`, `97.3 %, over its
 * threshold of 90 %`. Without a threshold only a value from the alert itself is told; null without
 * a value.
 */
export function comparisonText(measurement: Measurement): string | null {
  const { value, threshold, operator, unit, origin, isForecast, counted } = measurement;
  if (value === null) return null;
  const number = formatQuantity(value, unit);
  const said = isForecast ? `${number} by forecast` : number;
  // Without a limit a measured value may be a target, such as how many replicas there should be.
  if (threshold === null) return origin === 'series' ? null : said;
  // Two numbers in a text could be either way round, so this needs measured ones.
  if (counted !== null && origin === 'series') return countedText(counted, value, threshold);
  const limit = formatQuantity(threshold, unit);
  if (operator === '==') return said;
  if (operator === '!=' || operator === null) return `${said} against ${limit}`;
  const side = operator.startsWith('<') ? 'under' : 'over';
  const isBack = !isFiring(value, operator, threshold);
  const apart = `${formatQuantity(Math.abs(value - threshold), unit)} ${side} its threshold`;
  // Moments are seconds since 1970, so only the difference is told.
  if (isClock(measurement.limit)) return isBack ? 'back within its threshold' : apart;
  if (number === limit) {
    // With a limit that is a series, a small difference may be what matters.
    if (measurement.limit === null || isBack || value === threshold) {
      return `${said}, at its threshold`;
    }
    return `${said}, ${apart}`;
  }
  if (isBack) return `${said}, back within its threshold of ${limit}`;
  if (side === 'under') return `${said}, under its threshold of ${limit}`;
  if (unit === 'celsius') {
    // 40 °C is not twice as hot as 20 °C, so no factor is told.
    return `${said}, ${formatQuantity(value - threshold, unit)} over its threshold of ${limit}`;
  }
  const factor = value / threshold;
  const isTold = threshold > 0 && factor >= 1.5 && Number.isFinite(factor);
  if (!isTold) return `${said}, over its threshold of ${limit}`;
  const times = formatQuantity(Number(factor.toPrecision(2)), null);
  return `${said}, ${times}× its threshold of ${limit}`;
}

/** Whether the limit moves with the clock, as in `done_seconds < time() - 3600`. */
export function isClock(limit: string | null): boolean {
  return limit !== null && /(?<!\w)time\(/u.test(limit);
}

/** `3 of 5 replicas available`, or `7 replicas, 4 wanted` if there are too many. */
function countedText(
  { words, isWholeCompared, isAtMost }: CountedPair,
  value: number,
  threshold: number,
): string {
  const [whole, part] = isWholeCompared ? [value, threshold] : [threshold, value];
  if (part > whole) {
    const meant = isAtMost ? 'at most ' : '';
    return `${formatQuantity(part, null)} ${words}, ${meant}${formatQuantity(whole, null)} wanted`;
  }
  const said = isAtMost ? 'of at most' : 'of';
  return `${formatQuantity(part, null)} ${said} ${formatQuantity(whole, null)} ${words}`;
}

interface Limit {
  readonly threshold: number;
  readonly unit: string | null;
}

interface Read {
  readonly value: number;
  readonly unit: string | null;
}

/** The number converted to the unit of the threshold; null if the units are incompatible. */
function inUnitOf(number: TextNumber, { threshold, unit }: Limit): Read | null {
  const { value } = number;
  if (number.unit === 'percent') {
    if (unit === 'percent') return { value, unit };
    if (unit !== null && unit !== 'ratio') return null;
    const isRatio = unit === 'ratio' || Math.abs(threshold) <= 1;
    return isRatio ? { value: value / 100, unit: 'ratio' } : { value, unit: 'percent' };
  }
  if (number.unit === null) return { value, unit };
  if (unit === null) return { value, unit: number.unit };
  const converted = inUnit(value, number.unit, unit);
  return converted === null ? null : { value: converted, unit };
}

/**
 * Thresholds in the text, in units that can be compared, unless one of them agrees with the rule's.
 */
function contradictions(numbers: readonly TextNumber[], limit: Limit): string[] {
  const limits = numbers.flatMap((number) => {
    const read = number.role === 'limit' ? inUnitOf(number, limit) : null;
    return read === null ? [] : [{ text: number.text, value: read.value }];
  });
  // MB often means 1024² bytes and GB 1024³, which is up to 7 % more.
  const isOfBytes = limit.unit !== null && sizeOfUnit(limit.unit)?.base.startsWith('bytes');
  const share = isOfBytes === true ? 0.08 : 0.01;
  const isAgreed = limits.some(({ value }) => {
    return Math.abs(value - limit.threshold) <= Math.abs(value) * share;
  });
  return isAgreed ? [] : [...new Set(limits.map(({ text }) => text))];
}

/** Without a rule, the text must name the value itself, without contradicting itself. */
function withoutRule(
  limit: Omit<Measurement, 'value' | 'origin' | 'unknownBecause' | 'contradicting'>,
  numbers: readonly TextNumber[],
  values: LabelSet,
): Measurement {
  const none = { ...limit, value: null, origin: null, contradicting: [] };
  const sent = onlyValue(values, () => true);
  if (sent !== null) return { ...none, value: sent, origin: 'values', unknownBecause: null };
  const value = onlyOne(said(numbers, 'value')) ??
    (said(numbers, 'value').length === 0 ? onlyOne(said(numbers, 'unclear')) : null);
  const bound = onlyOne(said(numbers, 'limit'));
  if (value === null || (bound !== null && bound.unit !== value.unit)) {
    return { ...none, unknownBecause: 'Neither rule nor text says which number is the value.' };
  }
  const isNamed = value.role === 'value' || bound !== null;
  if (!isNamed) return { ...none, unknownBecause: noCertainNumber };
  return {
    ...none,
    value: value.value,
    unit: value.unit,
    threshold: limit.threshold ?? bound?.value ?? null,
    origin: 'text',
    unknownBecause: null,
  };
}

function said(numbers: readonly TextNumber[], role: TextNumber['role']): TextNumber[] {
  return numbers.filter((number) => number.role === role);
}

/** The first element if all have the same value; null otherwise. */
function onlyOne<T extends { readonly value: number }>(list: readonly T[]): T | null {
  const [first = null] = list;
  return list.every(({ value }) => value === first?.value) ? first : null;
}

/** The one fitting value. Grafana also sends conditions (0 or 1), which do not count. */
function onlyValue(values: LabelSet, isFitting: (value: number) => boolean): number | null {
  const numbers = Object.entries(values).map(([, text]) => Number(text));
  const measured = numbers.length === 1 ? numbers : numbers.filter((n) => n !== 0 && n !== 1);
  const distinct = [...new Set(measured.filter((n) => Number.isFinite(n) && isFitting(n)))];
  return distinct.length === 1 ? (distinct[0] ?? null) : null;
}
