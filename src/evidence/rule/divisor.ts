import { textOf } from '../../lib/promql/promql-tokens.ts';
import { bare, parsePromql, type Binary, type Node } from '../../lib/promql/promql-tree.ts';
import { scalarOf } from '../../lib/promql/scalar.ts';

export interface Divisor {
  /** As written in the rule. */
  readonly text: string;
  /** It is a limit by its name, of which 0 usually means that none is set. */
  readonly isLimit: boolean;
}

const limitName = /(?:^|_)(?:max|maximum|limits?|quota|capacity)(?:_|$)/iu;

/** What a query divides by: `b` in `a / b` and `100 * (1 - a / b)`; null if it is no quotient. */
export function divisorIn(query: string): Divisor | null {
  const tree = parsePromql(query);
  const quotient = tree && quotientIn(tree);
  if (!quotient) return null;
  const node = bare(quotient.right);
  return {
    text: textOf(node.tokens()),
    isLimit: node.kind === 'selector' && limitName.test(node.metric ?? ''),
  };
}

/** The division `a / b` in an expression that only scales it; null if there is none. */
export function quotientIn(whole: Node): Binary | null {
  const node = bare(whole);
  if (node.kind === 'signed') return quotientIn(node.inner);
  if (node.kind !== 'binary') return null;
  const { operator, left, right } = node;
  const isScaled = scalarOf(right) !== null;
  if (operator === '/' && !isScaled) return node;
  if (!['+', '-', '*', '/'].includes(operator)) return null;
  if (isScaled) return quotientIn(left);
  return scalarOf(left) === null ? null : quotientIn(right);
}
