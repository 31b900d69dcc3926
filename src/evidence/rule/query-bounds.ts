import { isSign, isWord, textOf, type Token } from '../../lib/promql/promql-tokens.ts';
import {
  innerOf, numberOf, parsePromql, selectorsIn, type Node, type Selector,
} from '../../lib/promql/promql-tree.ts';
import { longestRangeIn, scalarOf } from '../../lib/promql/scalar.ts';

const queryBytesMax: number = 2 * 1024;
export const rangeHoursMax = 24;
/** For one point of an answer, of each series. */
const samplesMax = 100_000;
/** The usual interval of scrapes, and of a subquery that names none, in seconds. */
const usualStep = { scrape: 15, subquery: 60 } as const;

/**
 * What is too much in a query that nobody has vouched for, as a sentence; null if it may be run.
 * These are the bounds of what a model asks, and of what the sender of an alert gives as its rule's
 * expression where the rule is not known.
 */
export function tooMuchIn(query: string): string | null {
  if (Buffer.byteLength(query) > queryBytesMax) {
    return `The query is longer than ${queryBytesMax} bytes.`;
  }
  const tree = parsePromql(query);
  if (tree === null) return 'The query is not PromQL that can be read.';
  if (!(longestRangeIn(tree) <= rangeHoursMax * 3600)) {
    return `A range is longer than ${rangeHoursMax} h.`;
  }
  if (!(samplesIn(tree) <= samplesMax)) return 'The steps of a subquery are too short.';
  if (!isTimePlain(tree.tokens())) {
    return 'What follows offset or @ has to be a number, start() or end().';
  }
  return selectorsIn(tree).every(isNarrow) ? null
    : 'A selector names neither a metric nor the value of a label.';
}

/** A query for the number of series that a query reads at a moment; null if it selects none. */
export function seriesCount(query: string): string | null {
  const tree = parsePromql(query);
  const texts = new Set(tree === null ? [] : selectorsIn(tree).map((each) =>
    textOf(each.tokens())));
  const counts = [...texts].map((text) => `(count(${text}) or vector(0))`);
  return counts.length === 0 ? null : counts.join(' + ');
}

/** How many samples of a series the part of the query that reads most needs for one point. */
function samplesIn(node: Node): number {
  const inner = Math.max(1, ...innerOf(node).map(samplesIn));
  if (node.kind !== 'timed' || node.range === null) return inner;
  const seconds = scalarOf(node.range) ?? Number.NaN;
  return inner * Math.max(1, seconds / stepOf(node.tokens().slice(node.inner.tokens().length)));
}

/** In seconds, of `[1h:30s]`, `[1h:]` or `[1h]`; NaN if it is calculated. */
function stepOf(range: readonly Token[]): number {
  const colon = range.findIndex((token) => isSign(token, ':'));
  if (colon < 0) return usualStep.scrape;
  const [step, end] = range.slice(colon + 1);
  if (isSign(step, ']')) return usualStep.subquery;
  return step?.kind === 'number' && isSign(end, ']') ? numberOf(step.text) : Number.NaN;
}

/** In `x @ …`, MetricsQL takes a whole query, which is no part of the tree. */
function isTimePlain(tokens: readonly Token[]): boolean {
  return tokens.every((token, at) => {
    if (!isWord(token, 'offset') && !isSign(token, '@')) return true;
    const isNegative = isSign(tokens[at + 1], '-');
    const [first, open, close] = tokens.slice(isNegative ? at + 2 : at + 1);
    const isNested = first?.kind === 'word' || isSign(first, '(');
    return !isNested ||
      (isWord(first, 'start', 'end') && isSign(open, '(') && isSign(close, ')'));
  });
}

/** Whether it selects some of the server's series; MetricsQL's `or` may add all others. */
function isNarrow({ metric, matchers, tokens }: Selector): boolean {
  const isNamed = (metric ?? '') !== '' ||
    matchers.some(({ sign, value }) => sign === '=' && value !== '');
  return isNamed && !tokens().some((token) => isWord(token, 'or'));
}
