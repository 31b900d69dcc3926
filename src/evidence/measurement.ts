import { formatQuantity } from '../lib/quantity.ts';
import { sizeOfUnit } from '../lib/unit-sizes.ts';
import type { Operator } from './rule/comparison.ts';
import type { CountedPair } from './rule/counted-pair.ts';

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
 * threshold of 90 %`. Without a threshold only a value from the alert itself is shown; null without
 * a value.
 */
export function comparisonText(measurement: Measurement): string | null {
  const { value, threshold, operator, origin, isForecast, counted } = measurement;
  const unit = shownUnit(measurement);
  if (value === null) return null;
  const number = formatQuantity(value, unit);
  const shown = isForecast ? `${number} by forecast` : number;
  // Without a limit a measured value may be a target, such as how many replicas there should be.
  if (threshold === null) return origin === 'series' ? null : shown;
  // Two numbers in a text could be either way round, so this needs measured ones.
  if (counted !== null && origin === 'series') return countedText(counted, value, threshold);
  const limit = formatQuantity(threshold, unit);
  if (isOverdue(measurement)) return `overdue by ${formatQuantity(-value, unit)}`;
  if (operator === '==') return shown;
  if (operator === '!=' || operator === null) return `${shown} against ${limit}`;
  const side = operator.startsWith('<') ? 'below' : 'over';
  const isBack = !isFiring(value, operator, threshold);
  const apart = `${formatQuantity(Math.abs(value - threshold), unit)} ${side} its threshold`;
  // Moments are seconds since 1970, so only the difference is shown.
  if (isClock(measurement.limit)) return isBack ? 'back within its threshold' : apart;
  if (number === limit) {
    // With a limit that is a series, a small difference may be what matters.
    if (measurement.limit === null || isBack || value === threshold) {
      return `${shown}, at its threshold`;
    }
    return `${shown}, ${apart}`;
  }
  if (isBack) return `${shown}, back within its threshold of ${limit}`;
  // Only what is below a minimum cannot be taken for healthy.
  if (side === 'below') return `${shown}, below its minimum of ${limit}`;
  if (unit === 'celsius') {
    // 40 °C is not twice as hot as 20 °C, so no factor is shown.
    return `${shown}, ${formatQuantity(value - threshold, unit)} over its threshold of ${limit}`;
  }
  const factor = value / threshold;
  const isShown = threshold > 0 && factor >= 1.5 && Number.isFinite(factor);
  if (!isShown) return `${shown}, over its threshold of ${limit}`;
  const times = formatQuantity(Number(factor.toPrecision(2)), null);
  return `${shown}, ${times}× its threshold of ${limit}`;
}

/** The unit to show it in: a rule that says 250e6 bytes means 250 MB, and not 238 MiB. */
export function shownUnit({ threshold, unit, limit }: Measurement): string | null {
  if (unit !== 'bytes' || threshold === null || limit !== null) return unit;
  const digits = (base: number): number => {
    const power = Math.floor(Math.log(Math.abs(threshold) || 1) / Math.log(base));
    return String(Number((threshold / base ** power).toPrecision(12))).length;
  };
  return digits(1000) < digits(1024) ? 'decimal_bytes' : unit;
}

/** No time is left, as in `expiry_seconds - time() < 0`. */
function isOverdue({ value, threshold, operator, unit, isForecast }: Measurement): boolean {
  return unit !== null && sizeOfUnit(unit)?.base === 'seconds' && !isForecast &&
    threshold === 0 && operator?.startsWith('<') === true && (value ?? 0) < 0;
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
  const relation = isAtMost ? 'of at most' : 'of';
  return `${formatQuantity(part, null)} ${relation} ${formatQuantity(whole, null)} ${words}`;
}
