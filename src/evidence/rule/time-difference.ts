import { isGuard } from './comparison.ts';
import { allParts, bare, innerOf, parsePromql, type Call, type Node } from './promql-tree.ts';
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
  if (node.kind === 'call' && isOfOne(node)) return differenceOf(node.arguments[0] ?? node);
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

/** Whether its value is that of one series, or for `avg` most likely of equal ones. */
function isOfOne({ name, arguments: given, grouping }: Call): boolean {
  const isAggregation = name === 'min' || name === 'max' || (name === 'avg' && grouping !== null);
  return isAggregation && given.length === 1;
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
