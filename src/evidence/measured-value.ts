import { isFiring, type Measurement } from './measurement.ts';
import type { OwnSeries } from './metric-facts.ts';

interface MeasuredContext {
  /** The value and limit according to the rule and the alert itself. */
  readonly stated: Measurement;
  /** Unit in which the rule compares; null if unknown. */
  readonly limitUnit: string | null;
  /** The alert has ended. */
  readonly isEnded: boolean;
}

/**
 * Replaces the value from the text by the measured one, which is exact and has a known time: now
 * if the alert fires and has a value now, else when it fired.
 */
export function measuredBy(own: OwnSeries, context: MeasuredContext): Measurement {
  const { stated, limitUnit, isEnded } = context;
  if (stated.limit !== null) return againstSeries(own, context);
  const valueNow = isEnded ? null : own.valueNow;
  const value = valueNow ?? own.valueAtFire ?? worstFiring(own.worst, stated);
  if (value === null) return stated;
  const unit = isReadFrom(stated, own) ? stated.unit : limitUnit;
  return { ...stated, value, unit, origin: 'series', unknownBecause: null };
}

/** Value and limit measured at the same moment: a moving limit in the text is out of date. */
function againstSeries(
  own: OwnSeries,
  { stated, limitUnit, isEnded }: MeasuredContext,
): Measurement {
  const isNow = !isEnded && own.valueNow !== null;
  const value = isNow ? own.valueNow : own.valueAtFire;
  if (value === null) return { ...stated, threshold: null };
  const threshold = (isNow ? own.limit?.now : own.limit?.atFire) ?? null;
  // A ratio limit above 1 is a multiple, and nobody writes five times as 500 %.
  const isMultiple = limitUnit === 'ratio' && Math.abs(threshold ?? 0) > 1;
  return {
    ...stated, value, threshold, unit: isMultiple ? null : limitUnit, origin: 'series',
    unknownBecause: null,
  };
}

/**
 * Whether the number in the text is the value that was measured, so that its unit applies. Without
 * a limit the number in the text may be anything.
 */
function isReadFrom({ value, threshold }: Measurement, own: OwnSeries): boolean {
  if (threshold === null) return false;
  const measured = [own.valueAtFire, own.valueNow].filter((each) => each !== null);
  return value === null || own.valueAtFire === null || measured.some((each) =>
    Math.abs(each - value) <= 0.1 * Math.max(Math.abs(each), Math.abs(value)));
}

/** Null if even the worst is within the limit: the alert then fired on an infinite value. */
function worstFiring(worst: number | null, { operator, threshold }: Measurement): number | null {
  if (worst === null || operator === null || threshold === null) return worst;
  return isFiring(worst, operator, threshold) ? worst : null;
}
