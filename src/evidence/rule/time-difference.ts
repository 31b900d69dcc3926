import { textOf } from './promql-tokens.ts';
import { bare, parsePromql, type Node } from './promql-tree.ts';
import { readExpression } from './rule-expression.ts';
import { scalarOf } from './scalar.ts';

/** The distance between now and a time that a metric holds, as in `time() - backup_seconds`. */
interface TimeDifference {
  readonly metric: string;
  /** How much one unit of the difference is, in seconds: 86 400 after a division by that. */
  readonly secondsPerUnit: number;
  /** The time is one to come, as in `expiry_seconds - time()`. */
  readonly isAhead: boolean;
  /** Rounded to this many seconds; 0 if it is exact. */
  readonly roundedTo: number;
}

/** Null for an expression of another form, or one that reads several metrics. */
export function timeDifferenceIn(expression: string): TimeDifference | null {
  const tree = parsePromql(expression);
  return tree === null ? null : differenceOf(tree);
}

function differenceOf(whole: Node): TimeDifference | null {
  const node = bare(whole);
  if (node.kind === 'call' && node.name === 'round') {
    const [rounded, nearest] = node.arguments;
    const found = rounded === undefined ? null : differenceOf(rounded);
    const step = nearest === undefined ? 1 : scalarOf(nearest);
    if (found === null || step === null) return null;
    return { ...found, roundedTo: step * found.secondsPerUnit };
  }
  if (node.kind !== 'binary') return null;
  const { operator, left, right } = node;
  const divisor = operator === '/' ? scalarOf(right) : null;
  const found = divisor === null ? null : differenceOf(left);
  if (divisor !== null && found !== null) {
    return { ...found, secondsPerUnit: found.secondsPerUnit * divisor };
  }
  if (operator !== '-' || isNow(left) === isNow(right)) return null;
  const isAhead = isNow(right);
  const { metrics, functions } = readExpression(textOf((isAhead ? left : right).tokens()));
  const [metric, ...others] = metrics;
  if (metric === undefined || others.length > 0 || functions.includes('time')) return null;
  return { metric, secondsPerUnit: 1, isAhead, roundedTo: 0 };
}

function isNow(side: Node): boolean {
  const node = bare(side);
  return node.kind === 'call' && node.name === 'time';
}
