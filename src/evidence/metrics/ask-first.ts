import type { LabelSet } from '../../alert/labels.ts';
import { conditionsOf, type RuleReading } from '../rule/rule-expression.ts';
import { linkedRule } from './linked-rule.ts';
import { closestTo, namesOf, ownAmong } from './matching-labels.ts';
import { alertSelector, askFired, type FiredAnswer } from './own/fired.ts';
import type { Question } from './question.ts';
import { findRule, type FoundRule } from './rule-lookup.ts';

export interface FirstAnswers {
  readonly found: FoundRule | null;
  /** The server has listed its rules, and none has the alert's name. */
  readonly isUnlisted: boolean;
  /**
   * The rule from the server, else from the alert's link; of several conditions, the one that held
   * when the alert fired.
   */
  readonly reading: RuleReading | null;
  /** Why its expression is not run, as sentences; null if it is, or if there is none. */
  readonly unrun: string | null;
  readonly fired: FiredAnswer | null;
  /** What the server adds to all its alerts; empty if it adds nothing or does not say. */
  readonly externalLabels: LabelSet;
  /** Since when the expression holds; null is unknown. */
  readonly activeAtMs: number | null;
  /** Names of the alert's labels on the server, which lack external ones; null if unknown. */
  readonly serverNames: readonly string[] | null;
}

/** The first round: its questions show whether the server answers at all. */
export async function askFirst(question: Question): Promise<FirstAnswers> {
  const { asker, labels, startsAtMs, name, linked } = question;
  const [rules, fired, since, externalLabels] = await Promise.all([
    asker.rules(name),
    askFired(asker, question),
    askActiveSince(question),
    asker.externalLabels(),
  ]);
  const found = rules === null ? null : findRule(rules, labels, linked);
  const pendingMs = found?.pending?.activeAtMs ?? null;
  // The server's alert may be a newer one than that of an old notification.
  const isThisOne = pendingMs !== null && pendingMs <= startsAtMs;
  const sent = found !== null || linked === null ? null
    : await linkedRule(question, linked, rules);
  const reading = found?.reading ?? sent?.reading ?? null;
  const unrun = sent?.unrun ?? null;
  return {
    found, isUnlisted: rules?.length === 0, fired, externalLabels, unrun,
    reading: reading === null || unrun !== null ? reading : await askHolding(question, reading),
    activeAtMs: since ?? (isThisOne ? pendingMs : null),
    serverNames: fired?.labelNames ?? (found?.pending ? namesOf(found.pending.labels) : null),
  };
}

/** Finds which condition of `a or b` held: the first one with the alert's series. */
async function askHolding(
  { asker, labels, startsAtMs }: Question,
  whole: RuleReading,
): Promise<RuleReading> {
  const conditions = conditionsOf(whole);
  if (conditions.length === 0) return whole;
  const answers = await Promise.all(conditions.map(({ query }) =>
    asker.query('own', query, startsAtMs)));
  const at = answers.findIndex((answer) =>
    answer !== null && ownAmong(answer.samples, labels) !== null);
  // An unanswered condition before it may have held instead.
  const isSure = at >= 0 && answers.slice(0, at).every((answer) => answer !== null);
  const holding = isSure ? conditions[at]?.reading : undefined;
  return holding === undefined || holding.comparison === null ? whole : holding;
}

/** The value of `ALERTS_FOR_STATE` is the time since when the expression holds, in seconds. */
async function askActiveSince(
  { asker, labels, alternatives, startsAtMs }: Question,
): Promise<number | null> {
  const text = alertSelector('ALERTS_FOR_STATE', labels, alternatives);
  if (text === null) return null;
  const answer = await asker.query('fired', text, startsAtMs);
  const ms = (closestTo(answer?.samples ?? [], labels)?.value ?? Number.NaN) * 1000;
  return ms > 0 && ms <= startsAtMs ? ms : null;
}
