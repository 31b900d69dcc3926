import { isWord } from '../../lib/promql/promql-tokens.ts';
import { allParts, parsePromql, selectorsIn, type Node } from '../../lib/promql/promql-tree.ts';
import { longestRangeIn } from '../../lib/promql/scalar.ts';
import { metricWords } from '../../statistics/names/metric-words.ts';
import { matchedTo } from './comparison.ts';
import { quotientIn } from './divisor.ts';
import { expressionUnit } from './expression-unit.ts';

/** What a rule's value is a share of, where it divides a number of events by that of all. */
export interface Whole {
  /** A query for the number of all, with the labels of the rule's value. */
  readonly query: string;
  /** What is counted, in the plural: `requests`. */
  readonly counted: string;
  /** Whether its value is per second, and not for the whole range. */
  readonly isRate: boolean;
  readonly rangeSeconds: number;
}

/** A word in a counter's name, and what that counts. */
const countedBy: readonly (readonly [RegExp, string])[] = [
  [/(?:^|_)(?:requests?|responses?)(?:_|$)/u, 'requests'],
  [/(?:^|_)(?:calls?|rpcs?|handled)(?:_|$)/u, 'calls'],
  [/(?:^|_)(?:query|queries)(?:_|$)/u, 'queries'],
  [/(?:^|_)transactions?(?:_|$)/u, 'transactions'],
  [/(?:^|_)(?:messages?|msgs)(?:_|$)/u, 'messages'],
  [/(?:^|_)(?:jobs?|tasks?)(?:_|$)/u, 'jobs'],
  [/(?:^|_)packets?(?:_|$)/u, 'packets'],
];

const increasing = ['rate', 'increase'];

/** The whole of `a / b`, where both are increases of counters; null if the value is no share. */
export function shareOf(compared: string): Whole | null {
  const tree = parsePromql(compared);
  const quotient = tree && quotientIn(tree);
  if (!quotient) return null;
  const { left, right, matching } = quotient;
  const [unit, ofPart] = [right, left].map((node) => expressionUnit(node).unit);
  if (unit !== ofPart || (unit !== 'per_second' && unit !== 'count')) return null;
  const [counted, rangeSeconds] = [countedIn(right), longestRangeIn(right)];
  if (counted === null || !isIncrease(left) || !isIncrease(right)) return null;
  // What was last week, or over a day, is no whole of what is now.
  const past = [left, right].filter((side) => side.tokens().some((each) => isWord(each, 'offset')));
  if (rangeSeconds !== longestRangeIn(left) || past.length === 1) return null;
  return {
    query: matchedTo(left, matching, right), counted, isRate: unit === 'per_second', rangeSeconds,
  };
}

function countedIn(node: Node): string | null {
  const [first] = selectorsIn(node).map(({ metric }) => metricWords(metric ?? ''));
  return countedBy.find(([pattern]) => pattern.test(first ?? ''))?.[1] ?? null;
}

/** Whether each of its metrics is a counter of which it takes the increase. */
function isIncrease(node: Node): boolean {
  const increases = allParts(node)
    .filter((part) => part.kind === 'call' && increasing.includes(part.name));
  return increases.length > 0 && increases.length === selectorsIn(node).length;
}
