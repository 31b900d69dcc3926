import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { promqlTokens } from '../../lib/promql/promql-tokens.ts';
import { formatDuration } from '../../lib/quantity.ts';
import { isoTime } from '../../report/time-text.ts';
import type { AlertRule, PendingAlert } from '../../sources/prometheus-rules.ts';
import type { ServerRule } from '../metric-facts.ts';
import { readExpression, type RuleReading } from '../rule/rule-expression.ts';
import { addUnknown, type FactWriter } from './fact-writer.ts';
import { closestTo, namesOf } from './matching-labels.ts';

/** The rule that sent an alert, with the server's own state of that alert. */
export interface FoundRule {
  readonly rule: AlertRule;
  readonly reading: RuleReading;
  readonly pending: PendingAlert | null;
}

/**
 * Finds the rule whose labels the alert has; among several, first the one with the expression in
 * the alert's link, then the one with this alert among its alerts. Null if several fit and neither
 * decides: the alert's own link is better than a wrong rule.
 */
export function findRule(
  rules: readonly AlertRule[],
  labels: LabelSet,
  linked: RuleReading | null,
): FoundRule | null {
  const fitting = rules.filter((rule) => isOfRule(rule.labels, labels));
  const [best] = fitting
    .map((rule) => ({ rule, pending: pendingOf(rule, labels) }))
    .map((found) => ({ ...found, rank: rankOf(found, linked) }))
    .toSorted((a, b) => b.rank - a.rank);
  if (best === undefined) return null;
  if (linked !== null && fitting.length > 1 && best.rank < pendingRank) return null;
  return { rule: best.rule, pending: best.pending, reading: readExpression(best.rule.query) };
}

/** Whether the alert has the rule's labels; templated values are not compared. */
function isOfRule(own: LabelSet, labels: LabelSet): boolean {
  return namesOf(own).every((name) => {
    const value = own[name] ?? '';
    return value.includes('{{') || value === (labelOf(labels, name) ?? '');
  });
}

const linkedRank = 4;
const pendingRank = 2;

function rankOf(
  { rule, pending }: Pick<FoundRule, 'rule' | 'pending'>,
  linked: RuleReading | null,
): number {
  const isLinked = linked !== null && isSameExpression(linked.expression, rule.query);
  return (isLinked ? linkedRank : 0) + (pending === null ? 0 : pendingRank) +
    Object.keys(rule.labels).length / 1000;
}

/** Compares tokens in any order, since servers reformat expressions and sort matchers. */
export function isSameExpression(one: string, other: string): boolean {
  return tokensOf(one) === tokensOf(other);
}

function tokensOf(expression: string): string {
  const tokens = promqlTokens(expression)?.map(({ kind, text }) => `${kind} ${text}`).sort();
  return tokens?.join('\n') ?? expression.replace(/\s+/gu, '');
}

function pendingOf({ alerts }: AlertRule, labels: LabelSet): PendingAlert | null {
  return closestTo(alerts.filter(({ state }) => state !== 'inactive'), labels);
}

/** Adds the rule as the server has it, or that no rule was found. */
export function addRule(writing: FactWriter, found: FoundRule | null): ServerRule | null {
  const common = { kind: 'rule', title: `Rule ${writing.name} on the server` } as const;
  if (found === null) {
    const otherwise = 'The server has no rule that certainly sent this alert.';
    return addUnknown(writing, common, { part: 'rule', otherwise });
  }
  const { rule, pending } = found;
  const problem = ruleProblem(rule);
  const wait = rule.durationSeconds === 0 ? 'at once'
    : `after ${formatDuration(rule.durationSeconds)}`;
  const evidence = writing.add({
    ...common,
    query: rule.query,
    summary: `Fires ${wait}: ${rule.query}` +
      `${problem === null ? '' : `; ${problem}`}.`,
    data: {
      group: rule.group, for_seconds: rule.durationSeconds,
      keep_firing_for_seconds: rule.keepFiringForSeconds, interval_seconds: rule.intervalSeconds,
      health: rule.health, last_error: rule.lastError, labels: rule.labels,
      alert: pending && {
        state: pending.state, value: pending.value,
        active_at: pending.activeAtMs && isoTime(pending.activeAtMs),
      },
    },
    warnings: problem === null ? [] : [problem],
  });
  return {
    name: rule.name, expression: rule.query, forSeconds: rule.durationSeconds,
    keepFiringSeconds: rule.keepFiringForSeconds, problem, evidence,
  };
}

/** What is wrong with the rule, as a clause; null if nothing is known to be. */
export function ruleProblem({ health, lastError, labels }: AlertRule): string | null {
  if (lastError !== null) return `its last evaluation failed: ${lastError}`;
  if (health === 'err') return 'its last evaluation failed';
  const valued = namesOf(labels).filter((name) => usesValue(labels[name] ?? ''));
  return valued.length === 0 ? null
    : `it puts the measured value into the label ${valued.join(' and ')}, so each new value ends ` +
      'the alert and begins another; it belongs in an annotation';
}

/** Whether a template prints the value (prometheus/prometheus: template/template.go). */
function usesValue(template: string): boolean {
  const [, ...actions] = template.split('{{');
  return actions.some((action) => /^[^}]*(?:\$value\b|\.Value\b)/u.test(action));
}
