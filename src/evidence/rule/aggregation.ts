import { textOf } from '../../lib/promql/promql-tokens.ts';
import { bare, parsePromql, type Node } from '../../lib/promql/promql-tree.ts';
import { scalarOf } from '../../lib/promql/scalar.ts';

/** An aggregation whose input series can be queried individually. */
export interface Aggregation {
  readonly kind: AggregationKind;
  /** What is aggregated, as a query of its own. */
  readonly inner: string;
  /** The labels of its groups; null for `without`. */
  readonly by: readonly string[] | null;
  /** False for the numerator of a quotient. */
  readonly isWhole: boolean;
  /** Whether nothing multiplies or divides it, as `* 8` does to convert bytes to bits. */
  readonly isAlone: boolean;
}

const kinds = ['sum', 'count', 'max', 'min'] as const;

type AggregationKind = (typeof kinds)[number];

/**
 * The aggregation that an expression consists of, or that is the numerator of its quotient; null
 * for any other expression. Sums and differences are not taken apart: what moved one operand need
 * not have moved the whole.
 */
export function aggregationIn(expression: string): Aggregation | null {
  const tree = parsePromql(expression);
  const numerator = tree && numeratorOf(bare(tree));
  if (tree === null || numerator === null) return null;
  const { node, isWhole } = numerator;
  const kind = node.kind === 'call' ? kinds.find((name) => name === node.name) : undefined;
  if (node.kind !== 'call' || kind === undefined || node.arguments.length !== 1) return null;
  const { isBy, names } = node.grouping ?? { isBy: true, names: [] };
  if (names === null) return null;
  const inner = textOf(node.arguments.flatMap(({ tokens }) => tokens()));
  return { kind, inner, by: isBy ? names : null, isWhole, isAlone: node === bare(tree) };
}

interface Numerator {
  readonly node: Node;
  /** Whether nothing but numbers divides it. */
  readonly isWhole: boolean;
}

/** The one factor that the expression grows with; null if it is no such product or quotient. */
function numeratorOf(node: Node): Numerator | null {
  if (node.kind !== 'binary') return { node, isWhole: true };
  const { operator, left, right } = node;
  if (operator !== '*' && operator !== '/') return null;
  const [ofLeft, ofRight] = [scalarOf(left), scalarOf(right)];
  if ((ofLeft ?? 1) <= 0 || (ofRight ?? 1) <= 0) return null;
  if (ofRight !== null) return numeratorOf(bare(left));
  if (operator === '*') return ofLeft === null ? null : numeratorOf(bare(right));
  const divided = ofLeft === null ? numeratorOf(bare(left)) : null;
  return divided && { ...divided, isWhole: false };
}
