import { allParts, type Node } from './promql-tree.ts';

/**
 * The value of plain arithmetic over numbers (`0.5`, `-1`, `10 * 1024 ^ 3`, `5m`); null for
 * anything else.
 */
export function scalarOf(node: Node): number | null {
  const value = valueOf(node);
  return Number.isFinite(value) ? value : null;
}

/**
 * The longest range or subquery range among the parts, in seconds; 0 if there is none, and NaN if
 * one is not known, as in `[step() * 4]`.
 */
export function longestRangeIn(whole: Node): number {
  return Math.max(0, ...allParts(whole).map((part) => (
    part.kind === 'timed' && part.range !== null ? valueOf(part.range) : 0)));
}

/** NaN for anything but a number. */
function valueOf(node: Node): number {
  switch (node.kind) {
    case 'number': return node.value;
    case 'parentheses': return valueOf(node.inner);
    case 'signed': return node.isNegative ? -valueOf(node.inner) : valueOf(node.inner);
    case 'binary': return calculated(node.operator, valueOf(node.left), valueOf(node.right));
    default: return Number.NaN;
  }
}

/** The result of an arithmetic operator; NaN for any other. */
export function calculated(operator: string, a: number, b: number): number {
  switch (operator) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '/': return a / b;
    case '^': return a ** b;
    case '%': return a % b;
    default: return Number.NaN;
  }
}
