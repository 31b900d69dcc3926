import { formatQuantity } from '../../lib/quantity.ts';
import type { AlertRule } from '../../sources/prometheus-rules.ts';
import { seriesCount, tooMuchIn } from '../rule/query-bounds.ts';
import { readExpression, type RuleReading } from '../rule/rule-expression.ts';
import type { Question } from './question.ts';
import { isSameExpression } from './rule-lookup.ts';

/** The rule from an alert's link. */
interface LinkedRule {
  readonly reading: RuleReading;
  /** Why its expression is not run, as sentences; null if it may be. */
  readonly unrun: string | null;
}

/** What an expression may read at one moment if no rule is known to have it. */
const seriesMax = 20_000;

/**
 * Decides whether the expression in an alert's link is run. Whoever can send an alert can put any
 * query there, which would be run with the service's rights and its answer shown. So a rule of the
 * server has to have it; `rules` are those of the alert's name, null if they are not known. Where
 * the server lists no rules at all, it has to be small.
 */
export async function linkedRule(
  question: Question,
  linked: RuleReading,
  rules: readonly AlertRule[] | null,
): Promise<LinkedRule> {
  const same = rules?.find(({ query }) => isSameExpression(query, linked.expression));
  // As the server has it: the same tokens in another order may be another query.
  if (same !== undefined) return { reading: readExpression(same.query), unrun: null };
  const hasRules = rules !== null &&
    (rules.length > 0 || await question.asker.hasRules() === true);
  const why = hasRules ? 'no rule of the server has it.' : await tooMuchFor(question, linked);
  return { reading: linked, unrun: why && `The expression in the alert's link is not run: ${why}` };
}

/** Null if it is small enough to be run without a rule that has it. */
async function tooMuchFor(
  { asker, now }: Question,
  { expression }: RuleReading,
): Promise<string | null> {
  const without = 'the server lists no rules, and without one that has it, it is too much.';
  const tooMuch = tooMuchIn(expression);
  if (tooMuch !== null) return `${without} ${tooMuch}`;
  const query = seriesCount(expression);
  if (query === null) return null;
  // A server that has answered nothing is asked nothing more.
  const answer = asker.hasAnswers ? await asker.query('own', query, now) : null;
  if (answer === null) return `${without} How many series it reads could not be counted.`;
  const count = answer.samples[0]?.value ?? 0;
  return count <= seriesMax ? null
    : `${without} It reads ${formatQuantity(count, null)} series, more than ${seriesMax}.`;
}
