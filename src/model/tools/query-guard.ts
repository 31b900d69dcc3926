import { isSign, isWord, type Token } from '../../evidence/rule/promql-tokens.ts';
import { allParts, parsePromql, type Node } from '../../evidence/rule/promql-tree.ts';
import { longestRangeIn } from '../../evidence/rule/scalar.ts';

const queryBytesMax: number = 2 * 1024;
export const rangeHoursMax = 24;
/** Per series of an answer. */
const pointsMax = 100;

/** C0 and C1 controls, line separators and lone surrogates. */
const control = /[\p{Cc}\u2028\u2029\p{Surrogate}]/u;

/** What is wrong with a model's query, as text for the model; null when it may be sent. */
export function queryProblem(query: string): string | null {
  if (query.trim() === '') return 'The query is empty.';
  if (Buffer.byteLength(query) > queryBytesMax) {
    return `The query is longer than ${queryBytesMax} bytes. Ask for less at once.`;
  }
  if (control.test(query)) return 'The query holds control characters. Write it on one line.';
  const tree = parsePromql(query);
  if (tree === null) return 'The query is not PromQL that can be read. Simplify it.';
  if (!(longestRangeIn(tree) <= rangeHoursMax * 3600)) {
    return `A range is longer than ${rangeHoursMax} h. Use a shorter one.`;
  }
  return isTimePlain(tree.tokens()) ? inventionIn(allParts(tree))
    : 'What follows offset or @ has to be a number, start() or end().';
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

/** Finds values and labels that the query itself makes up: its answer would only repeat them. */
function inventionIn(parts: readonly Node[]): string | null {
  const has = (kind: Node['kind']): boolean => parts.some((part) => part.kind === kind);
  if (!has('selector')) return 'The query selects no series. Name a metric.';
  if (has('text')) {
    return 'Texts stand only in the matchers of a selector here: label_replace, label_join and ' +
      'count_values are not available.';
  }
  const calls = parts.filter((part) => part.kind === 'call');
  if (calls.some(({ name }) => name.startsWith('absent'))) {
    return 'absent() answers with the labels that it is asked for, and is not available. Use ' +
      'count(), which comes back empty where nothing is.';
  }
  const isMade = calls.some(({ name, arguments: [value] }) =>
    name === 'vector' && !(value?.kind === 'number' && value.value === 0));
  return isMade ? 'The only vector() that may be used is vector(0).' : null;
}

/** Seconds between points, when the model does not say. */
const stepDefault = 15;

/** Seconds between points: a series has at most 100 of them, and no step is beyond the window. */
export function stepFor({ seconds, windowMs }: {
  /** As requested; null for a default. */
  readonly seconds: number | null;
  readonly windowMs: number;
}): number {
  const least = Math.max(1, Math.ceil(windowMs / 1000 / (pointsMax - 1)));
  const most = Math.max(least, Math.floor(windowMs / 1000));
  return Math.min(most, Math.max(least, Math.round(seconds ?? stepDefault)));
}
