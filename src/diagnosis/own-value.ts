import { isClock, isFiring } from '../evidence/measurement.ts';
import type { OwnSeries } from '../evidence/metric-facts.ts';
import { formatDuration } from '../lib/quantity.ts';
import { inUnit } from '../lib/unit-sizes.ts';
import type { Statement } from '../report/report.ts';
import { citing } from './citing.ts';
import { isResolved, type Situation } from './situation.ts';

/** A value nearer to its threshold than this share of it is not clearly on one side. */
export const marginMin = 0.02;
/** A value beyond its threshold by this share of it is not in the noise around it. */
const farOverMin = 0.5;
/** Longer ago than this is before the window in which changes are searched for. */
const clockSecondsMin = 3 * 3600;
/** Crossings of the threshold within the window that are no accident. */
const restlessCrossings = 4;

/** A rule on equality asks for a state, which a value matches or not but is never beyond. */
export function isStateRule({ evidence }: Situation): boolean {
  const { operator } = evidence.measurement;
  return operator === '==' || operator === '!=';
}

/** Verbs that fit the rule: a value is beyond its threshold, or it matches a rule on equality. */
interface RuleWords {
  readonly isBack: string;
  readonly cameBack: string;
  readonly wasAlso: string;
  readonly crossed: string;
}

export function ruleWords(situation: Situation): RuleWords {
  if (isStateRule(situation)) {
    return {
      isBack: 'no longer matches its rule', cameBack: 'stopped matching its rule',
      wasAlso: 'also matched its rule', crossed: 'started or stopped matching its rule',
    };
  }
  return {
    isBack: 'is back within its threshold', cameBack: 'came back within its threshold',
    wasAlso: 'was also beyond its threshold', crossed: 'crossed its threshold',
  };
}

export function ownOf({ evidence }: Situation): OwnSeries | null {
  return evidence.metrics?.own ?? null;
}

/** Whether the rule's comparison holds for a value; null where that is unknown. */
export function holds(value: number | null, { evidence }: Situation): boolean | null {
  const { threshold, operator } = evidence.measurement;
  if (value === null || Number.isNaN(value)) return null;
  return threshold === null || operator === null ? null : isFiring(value, operator, threshold);
}

/** The alert is still firing, but its value is back within the threshold. */
export function isBackWithin(situation: Situation): boolean {
  return !isResolved(situation) && ownOf(situation)?.overSinceMs === null && isWithinNow(situation);
}

/** Its value is known to be within the threshold now. */
export function isWithinNow(situation: Situation): boolean {
  return isDecidedByValue(situation) &&
    holds(ownOf(situation)?.valueNow ?? null, situation) === false;
}

/** With further conditions the value alone does not say whether the rule holds. */
export function isDecidedByValue({ evidence: { rule } }: Situation): boolean {
  return rule?.comparison?.hasMoreConditions !== true && rule?.isOneOfSeveral !== true;
}

/** Small whole numbers, between which and the threshold there may be no other value. */
function isCounted(values: readonly number[], threshold: number): boolean {
  return [threshold, ...values].every(Number.isInteger) && marginMin * Math.abs(threshold) <= 1;
}

/** The farthest it was beyond its threshold, as a share of it; null where that says nothing. */
export function marginShare(situation: Situation): number | null {
  const { threshold, operator } = situation.evidence.measurement;
  const own = ownOf(situation);
  if (own === null || threshold === null || threshold === 0 || operator === null) return null;
  // A limit that is a series had another value at other times.
  if (isStateRule(situation) || own.limit !== null) return null;
  // Time alone moves such a value slowly past its threshold, which is no noise.
  if (situation.evidence.rule?.functions.includes('time') === true) return null;
  const known = [own.worst, own.valueAtFire, own.valueNow]
    .flatMap((value) => (value !== null && holds(value, situation) === true ? [value] : []));
  if (isCounted(known, threshold)) return null;
  const sizes = known.map((value) => Math.abs((value - threshold) / threshold));
  return sizes.length === 0 ? null : Math.max(...sizes);
}

/**
 * The rule compares how long ago something was, or how long it lasts, in hours or days. Such a
 * value crosses its threshold as time passes, long after whatever went wrong.
 */
export function isMovedByClock({ evidence }: Situation): boolean {
  const { rule, measurement: { threshold, limit } } = evidence;
  const { threshold: number = null, unit = null } = rule?.comparison ?? {};
  const bound = number ?? (limit === null || isClock(limit) ? null : threshold);
  if (rule === null || bound === null || !rule.functions.includes('time')) return false;
  // Whatever `expiry - time() < 0` waits for was known long before.
  if (bound === 0 && /-\s*time\s*\(/u.test(rule.expression)) return true;
  const seconds = unit === null ? null : inUnit(bound, unit, 'seconds');
  return seconds !== null && Math.abs(seconds) > clockSecondsMin;
}

/** Even its worst value was hardly beyond the threshold. */
function isBarelyOver(situation: Situation): boolean {
  const margin = marginShare(situation);
  return margin !== null && margin < marginMin;
}

/** It was far beyond its threshold, which is no noise around it. */
export function isFarOver(situation: Situation): boolean {
  return (marginShare(situation) ?? 0) >= farOverMin;
}

/** It keeps crossing its threshold without getting far beyond it: the threshold is in the noise. */
export function isInsideNoise(situation: Situation): boolean {
  return isBarelyOver(situation) && isRestless(situation);
}

/** The value goes beyond its threshold again and again, so that it will not stay within it. */
export function isRestless(situation: Situation): boolean {
  return (ownOf(situation)?.crossedMs.length ?? 0) >= restlessCrossings;
}

/** It was also beyond the threshold a day and a week before the alert fired. */
function isUsualNow(situation: Situation): boolean {
  const own = ownOf(situation);
  // A limit that is a series was not queried for other days.
  if (own === null || own.limit !== null) return false;
  return holds(own.yesterday, situation) === true && holds(own.lastWeek, situation) === true;
}

/** What makes it doubtful that the value is a problem, each as a sentence. */
export function valueDoubts(situation: Situation): Statement[] {
  const { isBack, wasAlso } = ruleWords(situation);
  const seconds = situation.evidence.metrics?.rule?.keepFiringSeconds ?? 0;
  const why = seconds > 0 ? `: its rule keeps it firing for ${formatDuration(seconds)}` : '';
  return citing(ownOf(situation)?.evidence ?? [],
    isBackWithin(situation) && `The value ${isBack}, but the alert is still firing${why}.`,
    isBarelyOver(situation) && 'The value was never more than 2 % beyond its threshold.',
    isUsualNow(situation) && `The value ${wasAlso} a day and a week before it fired.`);
}

/** The rule's series has ended, so the alert says nothing about the thing it watches. */
export function isSeriesGone(situation: Situation): boolean {
  const { metrics, rule } = situation.evidence;
  if (metrics === null || metrics.scrape === null || isResolved(situation)) return false;
  // Rules on `up` and on absence are about exactly this.
  const asksForTargets = rule?.metrics.includes('up') ?? false;
  const asksForNothing = rule?.functions.some((name) => name.startsWith('absent')) ?? false;
  return metrics.scrape.isStale && !asksForTargets && !asksForNothing;
}

/** The rule's comparison holds for the current value. */
export function isOverNow(situation: Situation): boolean {
  return !isResolved(situation) && holds(ownOf(situation)?.valueNow ?? null, situation) === true;
}

/** `rising` or `falling` while it is beyond its threshold; null when it is steady or within. */
export function trendNow(situation: Situation): OwnSeries['trend'] {
  return isOverNow(situation) ? (ownOf(situation)?.trend ?? null) : null;
}
