import type { LabelSet } from '../alert/labels.ts';
import { inUnit, sizeOfUnit, unitOfSize } from '../lib/unit-sizes.ts';
import { isFiring, type Measurement } from './measurement.ts';
import type { Quantity, TextNumber } from './numbers-in-text.ts';
import { countedPairOf } from './rule/counted-pair.ts';
import type { ReadComparison, RuleReading } from './rule/rule-expression.ts';

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
export function statedMeasurement({ rule, numbers, values }: MeasurementSources): Measurement {
  const comparison = rule?.comparison ?? null;
  const { compared = '', threshold = null, operator = null } = comparison ?? {};
  const against = comparison?.limit?.text ?? null;
  const limit = {
    threshold, operator, limit: against,
    unit: limitUnitOf(rule, numbers),
    isForecast: forecasting.test(compared),
    counted: countedPairOf(compared, against ?? ''),
  };
  if (comparison === null || threshold === null || operator === null) {
    return withoutRule(limit, numbers, values);
  }
  const isUnitLost = comparison.isRescaled && limit.unit === null;
  const comparable = isUnitLost ? numbers.filter((number) => number.unit === null) : numbers;
  const none = { value: null, origin: null, ...limit };
  if (operator === '==') {
    // Only a value equal to the threshold passes the comparison.
    return { ...none, value: threshold, origin: 'rule', unknownBecause: null };
  }
  if (comparison.returnsOther) {
    return { ...none, unknownBecause: 'The rule returns the value of another of its conditions.' };
  }
  const fitting = comparable
    .filter((number) => couldBeValue(number, limit.unit))
    .flatMap((number) => {
      const read = inUnitOf(number, { ...limit, threshold });
      // A number equal to the limit most likely repeats it, even where it fires as well.
      const isBeyond = read !== null && read.value !== threshold &&
        isFiring(read.value, operator, threshold);
      return isBeyond ? [{ number, read }] : [];
    });
  const readings = (list: typeof fitting): Quantity[] => list.map(({ read }) => read);
  const named = fitting.filter(({ number }) => number.role === 'value');
  const chosen = onlyOne(readings(named.length > 0 ? named : fitting));
  if (chosen !== null) return { ...none, ...chosen, origin: 'text', unknownBecause: null };
  const sent = onlyValue(values, (value) => isFiring(value, operator, threshold));
  if (sent !== null) return { ...none, value: sent, origin: 'values', unknownBecause: null };
  const why = fitting.length > 1 ? 'Several numbers in the text could be the value.'
    : noCertainNumber;
  return { ...none, unknownBecause: why };
}

/**
 * Whether a number may be the value: the text calls it that, or it has the unit in which the rule
 * compares. A time beside a value is most often an age, a window or a wait.
 */
function couldBeValue({ role, unit }: TextNumber, limitUnit: string | null): boolean {
  if (role !== 'value' && role !== 'unclear') return false;
  const known = limitUnit === null ? null : sizeOfUnit(limitUnit);
  const isTime = unit === 'seconds';
  const isRuleTime = known?.base === 'seconds';
  if (isTime !== isRuleTime && (isTime || role === 'unclear')) return false;
  return role === 'value' || (unit !== null && known !== null);
}

/** The unit in which the rule compares, from its metric names or from the limit in the text. */
export function limitUnitOf(
  rule: RuleReading | null,
  numbers: readonly TextNumber[],
): string | null {
  const comparison = rule?.comparison ?? null;
  return comparison && (comparison.unit ?? unitInText(comparison, numbers));
}

/** A rule on `x * 1000 > 500` is in milliseconds if the text mentions a threshold of 500 ms. */
function unitInText({ threshold }: ReadComparison, numbers: readonly TextNumber[]): string | null {
  if (threshold === null || threshold === 0) return null;
  const units = numbers.filter(({ role }) => role === 'limit').map(({ value, unit }) => {
    const known = unit === null ? null : sizeOfUnit(unit);
    if (known === null) return null;
    const name = unitOfSize({ base: known.base, size: known.size * (value / threshold) });
    return name === null ? null : binary.get(name) ?? name;
  });
  const distinct = new Set(units.filter((unit) => unit !== null));
  const [unit = null] = distinct;
  return distinct.size === 1 ? unit : null;
}

/** People write GB of what their rules divide by 1024³. */
const binary: ReadonlyMap<string, string> = new Map([
  ['kilobytes', 'kibibytes'], ['megabytes', 'mebibytes'], ['gigabytes', 'gibibytes'],
]);

interface Limit {
  readonly threshold: number;
  readonly unit: string | null;
}

/** The number converted to the unit of the threshold; null if the units are incompatible. */
function inUnitOf(number: TextNumber, { threshold, unit }: Limit): Quantity | null {
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

/** Without a rule, the text must name the value itself, without contradicting itself. */
function withoutRule(
  limit: Omit<Measurement, 'value' | 'origin' | 'unknownBecause'>,
  numbers: readonly TextNumber[],
  values: LabelSet,
): Measurement {
  const none = { ...limit, value: null, origin: null };
  const sent = onlyValue(values, () => true);
  if (sent !== null) return { ...none, value: sent, origin: 'values', unknownBecause: null };
  const value = onlyOne(inRole(numbers, 'value')) ??
    (inRole(numbers, 'value').length === 0 ? onlyOne(inRole(numbers, 'unclear')) : null);
  const bound = onlyOne(inRole(numbers, 'limit'));
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

function inRole(numbers: readonly TextNumber[], role: TextNumber['role']): TextNumber[] {
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
