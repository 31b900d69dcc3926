import { isClock, isFiring } from '../evidence/measurement.ts';
import type { OwnSeries, ScrapeFacts } from '../evidence/metric-facts.ts';
import { aggregationIn } from '../evidence/rule/aggregation.ts';
import { readExpression } from '../evidence/rule/rule-expression.ts';
import { inUnit } from '../lib/unit-sizes.ts';
import type { Statement } from '../report/report.ts';
import { isOnTargets } from './scraped-targets.ts';
import { isResolved, type Situation } from './situation.ts';
import { statementsOf } from './statements.ts';

/** A worst value beyond its threshold by less than this share of it was never clearly beyond. */
const marginMin = 0.02;
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

function ownOf({ evidence }: Situation): OwnSeries | null {
  return evidence.metrics?.own ?? null;
}

/** Whether the rule's comparison holds for a value; null where that is unknown. */
function holds(value: number | null, { evidence }: Situation): boolean | null {
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
function isDecidedByValue({ evidence: { rule } }: Situation): boolean {
  return rule?.hasMoreConditions !== true && rule?.isOneOfSeveral !== true;
}

/** Small whole numbers, between which and the threshold there may be no other value. */
function isCounted(values: readonly number[], threshold: number): boolean {
  return [threshold, ...values].every(Number.isInteger) && marginMin * Math.abs(threshold) <= 1;
}

/** The farthest it was beyond its threshold, as a share of it; null where that says nothing. */
function marginShare(situation: Situation): number | null {
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
  const bound = rule?.threshold ?? (limit === null || isClock(limit) ? null : threshold);
  if (rule === null || bound === null || !rule.functions.includes('time')) return false;
  // Whatever `expiry - time() < 0` waits for was known long before.
  if (bound === 0 && /-\s*time\s*\(/u.test(rule.expression)) return true;
  const seconds = rule.unit === null ? null : inUnit(bound, rule.unit, 'seconds');
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
  return (ownOf(situation)?.crossings ?? 0) >= restlessCrossings;
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
  return statementsOf([
    isBackWithin(situation) ? `The value ${isBack}, but the alert is still firing.` : null,
    isBarelyOver(situation) ? 'The value was never more than 2 % beyond its threshold.' : null,
    isUsualNow(situation) ? `The value ${wasAlso} a day and a week before it fired.` : null,
  ], ownOf(situation)?.evidence ?? []);
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

/** The alert ended because its series did: its last value was beyond the threshold. */
export function isCutOff(situation: Situation): boolean {
  return isResolved(situation) && (ownOf(situation)?.cutOffValue ?? null) !== null &&
    !isNothingLeft(situation);
}

/** The alert ended, but all of the targets that it is about are still down. */
export function isStillDown(situation: Situation): boolean {
  const { up, total, outages } = situation.evidence.metrics?.scrape ?? noTargets;
  return isResolved(situation) && isOnTargets(situation) && total > 0 && up === 0 &&
    outages.some(({ toMs }) => toMs === null);
}

const noTargets: Pick<ScrapeFacts, 'up' | 'total' | 'outages'> = { up: 0, total: 0, outages: [] };

/** Prometheus was asked, but its answer does not show the value at the end of the alert. */
export function isEndUnseen(situation: Situation): boolean {
  const { metrics } = situation.evidence;
  if (metrics === null || !isResolved(situation)) return false;
  const { own, source } = metrics;
  const isUnseen = own === null ||
    (own.valueAtEnd === null && own.valueNow === null && own.recoveredMs === null);
  return isUnseen && (source.state === 'failed' || source.failures.length > 0);
}

/** The alert ended because its target is no longer scraped, which was down until then. */
export function isTargetGone(situation: Situation): boolean {
  const scrape = situation.evidence.metrics?.scrape ?? null;
  return isResolved(situation) && scrape?.total === 0 &&
    scrape.outages.some(({ toMs }) => toMs === null);
}

/**
 * The rule counts what matches a condition, as `count(up == 0)` does: without a match it has no
 * series, which is good news as long as there are targets to count.
 */
function isNothingLeft({ evidence: { rule, metrics } }: Situation): boolean {
  const counted = aggregationIn(rule?.compared ?? '')?.inner ?? '';
  const { up, total } = metrics?.scrape ?? noTargets;
  return total > 0 && up === total && readExpression(counted).operator !== null;
}

/**
 * The alert ended because its rule was changed: neither when it fired nor later was its value
 * beyond the threshold that the rule has now.
 */
export function isRuleChanged(situation: Situation): boolean {
  const own = ownOf(situation);
  const { threshold } = situation.evidence.measurement;
  if (!isResolved(situation) || own === null || own.limit !== null) return false;
  if (threshold === null || !isDecidedByValue(situation)) return false;
  const known = [own.valueAtFire, own.worst].filter((value) => value !== null);
  // The other one of a pair of servers may have measured a little more.
  return own.valueAtFire !== null && known.every((value) => holds(value, situation) === false &&
    Math.abs(value - threshold) > marginMin * Math.abs(threshold));
}

/** The alert ended, but not because of its value: the rule still holds for it. */
export function isOverAtEnd(situation: Situation): boolean {
  const own = ownOf(situation);
  if (!isResolved(situation) || own === null || own.recoveredMs !== null) return false;
  return isDecidedByValue(situation) &&
    holds(own.valueAtEnd, situation) === true && holds(own.valueNow, situation) === true;
}

/** The alert ended because the series it is compared with did. */
export function isLimitGone(situation: Situation): boolean {
  return isResolved(situation) && ownOf(situation)?.limit?.isGoneAtEnd === true;
}

/** The rule's comparison holds for the current value. */
export function isOverNow(situation: Situation): boolean {
  return !isResolved(situation) && holds(ownOf(situation)?.valueNow ?? null, situation) === true;
}

/** `rising` or `falling` while it is beyond its threshold; null when it is steady or within. */
export function trendNow(situation: Situation): OwnSeries['trend'] {
  return isOverNow(situation) ? (ownOf(situation)?.trend ?? null) : null;
}
