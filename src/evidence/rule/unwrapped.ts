import { textOf } from '../../lib/promql/promql-tokens.ts';
import { bare, parsePromql, selectorsIn } from '../../lib/promql/promql-tree.ts';

/** A query for the series behind a single number, the one that decides it first. */
interface Unwrapped {
  readonly query: string;
  /** The first is the number itself, and not a part of it. */
  readonly isExtreme: boolean;
  /** Labels for which the query asks, whose values it tells itself. */
  readonly asked: ReadonlySet<string>;
}

const kinds: ReadonlySet<string> = new Set(['max', 'min', 'sum']);

/**
 * The two series that decide a query like `min(x)`, `sum(x)` or `max(x) / max(y)`, which aggregates
 * their labels away; null for any other query.
 */
export function unwrapped(query: string): Unwrapped | null {
  const tree = parsePromql(query);
  const whole = tree && bare(tree);
  const isQuotient = whole?.kind === 'binary' && whole.operator === '/';
  const node = isQuotient ? bare(whole.left) : whole;
  if (node?.kind !== 'call' || !kinds.has(node.name) || node.arguments.length !== 1) return null;
  if (node.grouping !== null && node.grouping.names?.length !== 0) return null;
  const inner = textOf(node.arguments.flatMap(({ tokens }) => tokens()));
  const asked = selectorsIn(node).flatMap(({ matchers }) => matchers.map(({ label }) => label));
  return {
    query: `${node.name === 'min' ? 'bottomk' : 'topk'}(2, ${inner})`,
    isExtreme: node.name !== 'sum', asked: new Set(asked),
  };
}
