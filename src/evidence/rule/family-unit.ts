import type { RuleReading } from './rule-expression.ts';

/** A larger limit is most likely in milliseconds, unless the metric's name says seconds. */
const unnamedSecondsMax = 30;

/**
 * Where the metric names do not tell the unit, assumes that of the family, unless the limit is out
 * of its range: in one family some rules use ratios and others percentages.
 */
export function withFamilyUnit(rule: RuleReading, familyUnit: string | null): RuleReading {
  if (rule.unit !== null || rule.threshold === null || familyUnit === 'state') return rule;
  if (rule.isRescaled) return rule;
  // A rule on equality compares a state, whatever the family measures.
  if (rule.operator === '==' || rule.operator === '!=') return rule;
  const isBelowOne = Math.abs(rule.threshold) <= 1;
  if (familyUnit === 'ratio' && !isBelowOne) return rule;
  if (familyUnit === 'percent' && isBelowOne) return rule;
  const isNamed = rule.metrics.some((name) => name.includes('_seconds'));
  const isLong = Math.abs(rule.threshold) > unnamedSecondsMax;
  if (familyUnit === 'seconds' && isLong && !isNamed) return rule;
  // Nobody compares a duration with 0: the value is a count or a difference.
  if (familyUnit === 'seconds' && rule.threshold <= 0 && !isNamed) return rule;
  return { ...rule, unit: familyUnit };
}
