import { textOf } from '../../lib/promql/promql-tokens.ts';
import {
  allParts, bare, parsePromql, selectorsIn, type Node,
} from '../../lib/promql/promql-tree.ts';
import { scalarOf } from '../../lib/promql/scalar.ts';
import { quotientIn } from './divisor.ts';

/** A share of events among all of them, whose series can be queried on both sides. */
export interface ShareParts {
  /** What is added up above and below the line, as queries for each series. */
  readonly part: string;
  readonly whole: string;
  /** The labels of its groups; null for `without`. */
  readonly by: readonly string[] | null;
  /** The value is what is left of the whole, as in `1 - a / b`. */
  readonly isRest: boolean;
}

const increases: ReadonlySet<string> = new Set(['rate', 'irate', 'increase']);

/**
 * What `sum(rate(a[5m])) / sum(rate(b[5m]))` divides, also if it is scaled or taken from 1; null
 * for any other expression.
 */
export function sharePartsIn(compared: string): ShareParts | null {
  const tree = parsePromql(compared);
  const quotient = tree && quotientIn(tree);
  if (tree === null || !quotient) return null;
  const [part, whole] = [addedUp(quotient.left), addedUp(quotient.right)];
  if (part === null || whole === null) return null;
  return { part: part.inner, whole: whole.inner, by: part.by, isRest: fallsWith(tree) };
}

function addedUp(node: Node): { inner: string; by: readonly string[] | null } | null {
  const sum = unscaled(node);
  if (sum.kind !== 'call' || sum.name !== 'sum' || sum.arguments.length !== 1) return null;
  const { isBy, names } = sum.grouping ?? { isBy: true, names: [] };
  const [inner] = sum.arguments;
  if (names === null || inner === undefined || selectorsIn(inner).length !== 1) return null;
  const isIncrease = allParts(inner).some((each) =>
    each.kind === 'call' && increases.has(each.name));
  return isIncrease
    ? { inner: textOf(inner.tokens()), by: isBy ? names : null } : null;
}

/** `sum(a)` in `100 * sum(a)`. */
function unscaled(whole: Node): Node {
  const node = bare(whole);
  if (node.kind !== 'binary' || node.operator !== '*') return node;
  return scalarOf(node.left) !== null ? unscaled(node.right)
    : scalarOf(node.right) !== null ? unscaled(node.left) : node;
}

/** Whether the value falls when the quotient in it rises. */
function fallsWith(whole: Node): boolean {
  const node = bare(whole);
  if (node.kind === 'signed') return !fallsWith(node.inner);
  if (node.kind !== 'binary') return false;
  if (scalarOf(node.right) !== null) return fallsWith(node.left);
  if (scalarOf(node.left) === null) return false;
  return (node.operator === '-') !== fallsWith(node.right);
}
