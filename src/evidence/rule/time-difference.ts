import { allParts, bare, innerOf, parsePromql, type Node } from '../../lib/promql/promql-tree.ts';
import { scalarOf } from '../../lib/promql/scalar.ts';
import { isGuard } from './comparison.ts';

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
  if (node.kind === 'call') {
    const { name, arguments: [inner, nearest], grouping } = node;
    const found = inner === undefined ? null : differenceOf(inner);
    const step = nearest === undefined ? 1 : scalarOf(nearest);
    if (found === null || step === null) return null;
    if (name === 'round') return { ...found, roundedTo: step * found.secondsPerUnit };
    // The parts of a group of `avg` are most likely one thing, reported by several.
    return ['min', 'max'].includes(name) || (name === 'avg' && grouping !== null) ? found : null;
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
  const held = isAhead ? left : right;
  const [metric, ...others] = new Set(metricsIn(held));
  // The time of a sample is not the time that it holds.
  const isOfSamples = allParts(held).some((part) => (
    part.kind === 'call' && /^(?:time|timestamp|ts_of_\w+)$/u.test(part.name)));
  if (metric === undefined || others.length > 0 || isOfSamples) return null;
  return { metric, secondsPerUnit: 1, isAhead, roundedTo: 0 };
}

/** Metrics that its values are of, without those of conditions. */
function metricsIn(node: Node): readonly string[] {
  if (node.kind === 'selector') return node.metric === null ? [] : [node.metric];
  const inner = innerOf(node);
  return (node.kind === 'binary' && isGuard(node) ? inner.slice(0, 1) : inner).flatMap(metricsIn);
}

function isNow(side: Node): boolean {
  const node = bare(side);
  return node.kind === 'call' && node.name === 'time';
}
