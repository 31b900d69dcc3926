import { sizeOfUnit } from '../../lib/unit-sizes.ts';
import { readExpression, type ReadComparison } from './rule-expression.ts';

/** Metrics of something that there is a limited amount of. */
const stock = new RegExp(
  'filesystem|disk|volume|storage|space|inode|memory|(?:^|_)mem(?:_|$)|heap|swap|quota|' +
  '(?:^|_)fds?(?:_|$)|file_descriptors|connections|conntrack|pool|battery', 'i',
);
/** Metrics of the amount that is left. */
const rest = /avail|free|remaining|left|unallocated|headroom|charge/i;
/** Metrics whose share in use may reach the whole, or pass it, without anything running out. */
const endless = /cpu|load|latency|resource_requests|(?:^|_)hits?(?:_|$)/i;
/** Functions whose result is not the amount itself but its pace, a forecast or a distribution. */
const derived = new RegExp(
  '^(?:i?rate|increase|i?delta|deriv|predict_linear|holt_winters|double_exponential_smoothing|' +
  'histogram_\\w+|quantile(?:_over_time)?|changes|resets|time|timestamp)$',
);

/** Whether all of the metrics measure something that there is a limited amount of. */
export function isOfStock(metrics: readonly string[]): boolean {
  return metrics.length > 0 &&
    metrics.every((name) => stock.test(name) && !endless.test(name));
}

/**
 * The value at which nothing is left of what a rule watches, in the unit of what it compares: 0 for
 * a rest that falls, the whole for a share in use that rises. Null where there is no such end.
 */
export function exhaustionLevel({ compared, operator, unit }: ReadComparison): number | null {
  const size = unit === null ? null : sizeOfUnit(unit);
  if (size === null) return null;
  // Further conditions may well be about a pace.
  const { functions, metrics } = readExpression(compared);
  if (functions.some((name) => derived.test(name))) return null;
  if (!metrics.some((name) => stock.test(name)) || metrics.some((name) => endless.test(name))) {
    return null;
  }
  if (operator.startsWith('<')) {
    const isAmount = ['ratio', 'bytes', 'count'].includes(size.base);
    return isAmount && metrics.some((name) => rest.test(name)) ? 0 : null;
  }
  return operator.startsWith('>') && size.base === 'ratio' ? 1 / size.size : null;
}
