import { isClock, isFiring } from '../evidence/measurement.ts';
import type { OwnSeries } from '../evidence/metric-facts.ts';
import { inUnit } from '../lib/unit-sizes.ts';
import { isResolved, type Situation } from './situation.ts';

/** A worst value less than this share of its threshold beyond it was never far over. */
const marginMin = 0.02;
/** Longer ago than this is before the hours in which changes are looked for. */
const clockSecondsMin = 3 * 3600;
/** Crossings of the threshold within the window that are no accident. */
const restlessCrossings = 4;

/** A rule on equality asks for a state, of which nothing is beyond. */
export function isStateRule({ evidence }: Situation): boolean {
  const { operator } = evidence.measurement;
  return operator === '==' || operator === '!=';
}

function ownOf({ evidence }: Situation): OwnSeries | null {
  return evidence.metrics?.own ?? null;
}

/** Whether a number makes the rule's comparison hold; null where that cannot be told. */
function holds(value: number | null, { evidence }: Situation): boolean | null {
  const { threshold, operator } = evidence.measurement;
  if (value === null || Number.isNaN(value)) return null;
  return threshold === null || operator === null ? null : isFiring(value, operator, threshold);
}

/** The alert fires, and its value is within its threshold again. */
export function isBackWithin(situation: Situation): boolean {
  const own = ownOf(situation);
  if (own === null || isResolved(situation) || own.overSinceMs !== null) return false;
  // With further conditions the value alone does not say whether the rule holds.
  const { rule } = situation.evidence;
  if (rule?.hasMoreConditions === true || rule?.isOneOfSeveral === true) return false;
  return holds(own.valueNow, situation) === false;
}

/** Small whole numbers: between the threshold and what is clearly beyond it there may be none. */
function isCounted(values: readonly number[], threshold: number): boolean {
  return [threshold, ...values].every(Number.isInteger) && marginMin * Math.abs(threshold) <= 1;
}

/** How far beyond its threshold it ever was, as a share of it; null where that says nothing. */
function marginShare(situation: Situation): number | null {
  const { threshold, operator } = situation.evidence.measurement;
  const own = ownOf(situation);
  if (own === null || threshold === null || threshold === 0 || operator === null) return null;
  // What was compared with a series had another limit at other times.
  if (isStateRule(situation) || own.limit !== null) return null;
  // The clock moves the value past its threshold slowly, and that is no noise.
  if (situation.evidence.rule?.functions.includes('time') === true) return null;
  const known = [own.worst, own.valueAtFire, own.valueNow]
    .flatMap((value) => (value !== null && holds(value, situation) === true ? [value] : []));
  if (isCounted(known, threshold)) return null;
  const sizes = known.map((value) => Math.abs((value - threshold) / threshold));
  return sizes.length === 0 ? null : Math.max(...sizes);
}

/**
 * The rule compares how long ago something was, or how long it lasts, in hours or days. Such a
 * value crosses its threshold by the clock alone, long after what is wrong has happened.
 */
export function isMovedByClock({ evidence }: Situation): boolean {
  const { rule, measurement: { threshold, limit } } = evidence;
  const bound = rule?.threshold ?? (limit === null || isClock(limit) ? null : threshold);
  if (rule === null || bound === null || !rule.functions.includes('time')) return false;
  const seconds = rule.unit === null ? null : inUnit(bound, rule.unit, 'seconds');
  return seconds !== null && Math.abs(seconds) > clockSecondsMin;
}

/** It was never clearly beyond its threshold, even at its worst. */
export function isBarelyOver(situation: Situation): boolean {
  const margin = marginShare(situation);
  return margin !== null && margin < marginMin;
}

/** Over its threshold and back all the time, and never far: it is inside the noise. */
export function isInsideNoise(situation: Situation): boolean {
  const crossings = ownOf(situation)?.crossings ?? 0;
  return isBarelyOver(situation) && crossings >= restlessCrossings;
}

/** Yesterday and last week it was beyond the threshold at this hour as well. */
export function isUsualNow(situation: Situation): boolean {
  const own = ownOf(situation);
  // A limit that is a series was not asked for on other days.
  if (own === null || own.limit !== null) return false;
  return holds(own.yesterday, situation) === true && holds(own.lastWeek, situation) === true;
}

/** The rule's series is not there any more, so that the alert says nothing of the thing itself. */
export function isSeriesGone(situation: Situation): boolean {
  const { metrics, rule } = situation.evidence;
  if (metrics === null || metrics.scrape === null || isResolved(situation)) return false;
  // Rules about targets that do not answer, and about what is missing, mean just that.
  const asksForTargets = rule?.metrics.includes('up') ?? false;
  const asksForNothing = rule?.functions.some((name) => name.startsWith('absent')) ?? false;
  return metrics.scrape.isStale && !asksForTargets && !asksForNothing;
}

/** The alert ended because its series did: its last value was beyond the threshold. */
export function isCutOff(situation: Situation): boolean {
  return isResolved(situation) && (ownOf(situation)?.cutOffValue ?? null) !== null;
}

/** The alert ended because there was nothing left to compare its value with. */
export function isLimitGone(situation: Situation): boolean {
  return isResolved(situation) && ownOf(situation)?.limit?.isGoneAtEnd === true;
}

/** `rising` or `falling` while it is beyond its threshold; null for a value that holds. */
export function trendNow(situation: Situation): OwnSeries['trend'] {
  const own = ownOf(situation);
  if (own === null || isResolved(situation)) return null;
  return holds(own.valueNow, situation) === true ? own.trend : null;
}
