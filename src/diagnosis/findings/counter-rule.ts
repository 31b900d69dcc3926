import { readExpression, type RuleReading } from '../../evidence/rule/rule-expression.ts';
import { classifyMetric } from '../../statistics/names/metric-class.ts';

/** Functions that leave a counter's values as they are, or add them up. */
const keeping: ReadonlySet<string> = new Set([
  'sum', 'max', 'min', 'avg', 'topk', 'last_over_time', 'max_over_time', 'min_over_time',
]);
const differs = /\boffset\b|[-+*/%^]/u;

/**
 * Whether a rule fires on a counter above a number, without `rate()` or the like: such a value only
 * rises, so the alert goes on when the trouble is over.
 */
export function comparesCounter({ compared, operator }: RuleReading): boolean {
  if (compared === null || operator?.startsWith('>') !== true) return false;
  const { metrics, functions } = readExpression(compared);
  const [metric, ...others] = metrics;
  if (metric === undefined || others.length > 0 || !metric.endsWith('_total')) return false;
  return classifyMetric(metric).kind === 'counter' &&
    functions.every((name) => keeping.has(name)) &&
    !differs.test(compared.replace(/"(?:[^"\\]|\\.)*"/gu, ''));
}
