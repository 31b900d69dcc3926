import type { Reality } from '../../report/report.ts';
import {
  closingOf, isSign, isWord, textOf, topLevel, withoutParentheses,
} from './promql-structure.ts';
import type { Token } from './promql-tokens.ts';
import { scalarOf } from './scalar.ts';

export type Operator = NonNullable<Reality['operator']>;

/** What a rule compares with if it is not a number. */
export interface SeriesLimit {
  /** As written in the rule. */
  readonly text: string;
  /**
   * A query for the limit of each compared series, matched as the rule matches it, whether or not
   * the comparison holds.
   */
  readonly query: string;
}

export interface Comparison {
  readonly compared: readonly Token[];
  readonly operator: Operator;
  /** The number it compares with; null if that is a series. */
  readonly threshold: number | null;
  readonly limit: (SeriesLimit & { readonly tokens: readonly Token[] }) | null;
  readonly hasMoreConditions: boolean;
  /** The limit stands first, as in `5 < x`. */
  readonly isMirrored: boolean;
}

const mirrored: Readonly<Record<Operator, Operator>> = {
  '>': '<', '>=': '<=', '<': '>', '<=': '>=', '==': '==', '!=': '!=',
};

/** For `absent(…)`, `vector(1)` and the like, which have no threshold. */
export const comparesNothing = 'The rule fires on whatever its expression returns.';
export const unknownForm = 'The expression has an unknown form.';
const comparesAgain = 'The rule compares more than once.';

/** The comparison of an expression, or why it has none, as a sentence. */
export function comparisonIn(all: readonly Token[], depth: number): Comparison | string {
  const tokens = withoutParentheses(all);
  if (depth === 0) return 'The expression is nested too deeply.';
  const outer = topLevel(tokens);
  if (outer.some((at) => isWord(tokens[at], 'or'))) {
    return 'The rule fires on any of several conditions.';
  }
  // The values of `a and b` and `a unless b` are those of a.
  const set = outer.find((at) => isWord(tokens[at], 'and') || isWord(tokens[at], 'unless'));
  if (set !== undefined) {
    if (goneSeries(tokens, set) !== null) return comparesNothing;
    const first = comparisonIn(tokens.slice(0, set), depth - 1);
    return typeof first === 'string' ? first : { ...first, hasMoreConditions: true };
  }
  // `0 < x < 5` is `(0 < x) < 5`: the last comparison is the outermost.
  const at = outer.findLast((index) => isComparison(tokens[index]));
  if (at === undefined) return comparisonOfExtreme(tokens, depth - 1);
  if (isWord(tokens[at + 1], 'bool')) return 'The comparison returns 0 or 1 and filters nothing.';
  return compare(tokens, at, depth - 1);
}

/**
 * For `x offset 1h unless x`, with the set operator at `at`, the `x` that is missing: the value of
 * what is gone is nothing to compare. Null for any other expression.
 */
export function goneSeries(tokens: readonly Token[], at: number): readonly Token[] | null {
  if (!isWord(tokens[at], 'unless')) return null;
  const missed = tokens.slice(modifiersEnd(tokens, at + 1));
  const before = tokens.slice(0, at);
  const words = new Set(before.map(({ kind, text }) => (kind === 'word' ? text : '')));
  const isSame = missed.every(({ kind, text }) => kind !== 'word' || words.has(text));
  const isEarlier = words.has('offset') && !missed.some((token) => isWord(token, 'offset'));
  return missed.length > 0 && isSame && isEarlier ? missed : null;
}

function compare(tokens: readonly Token[], at: number, depth: number): Comparison | string {
  const end = modifiersEnd(tokens, at + 1);
  const [left, matching, right] =
    [tokens.slice(0, at), tokens.slice(at + 1, end), tokens.slice(end)];
  if ([left, right].some((side) => withoutParentheses(side).length === 0)) return unknownForm;
  const operator = tokens[at]?.text as Operator;
  const isMirrored = isScalar(left) && !isScalar(right);
  const [compared, against] = isMirrored ? [right, left] : [left, right];
  const threshold = scalarOf(against);
  const outerOf = (values: readonly Token[]): Comparison => ({
    compared: values, operator: isMirrored ? mirrored[operator] : operator, threshold, isMirrored,
    limit: threshold === null ? limitOf(values, matching, against) : null,
    hasMoreConditions: false,
  });
  const inner = isFiltered(compared) ? comparisonIn(compared, depth) : null;
  if (inner === null) return outerOf(compared);
  if (typeof inner === 'string') return comparesAgain;
  // Of two limits, 0 only requires that there is anything at all.
  const [isLoose, isOuterLoose] = [inner.threshold === 0, threshold === 0];
  const outer = outerOf(inner.compared);
  // In `x > 80 < 90` the first is the limit; in `80 < x < 90` it could be either, except for what
  // runs out: in `3 <= days_left < 20`, that is the higher one.
  const isEither = !isLoose && !isOuterLoose && (isMirrored || inner.isMirrored);
  const upper = [outer, inner].find((each) => each.operator.startsWith('<'));
  if (isEither && (upper === undefined || !runsOut(inner.compared))) return comparesAgain;
  const chosen = isEither && upper !== undefined ? upper
    : isLoose && !isOuterLoose ? outer : inner;
  return { ...chosen, hasMoreConditions: true };
}

function runsOut(compared: readonly Token[]): boolean {
  return compared.some(({ kind, text }) =>
    kind === 'word' && /expir|not_?after|avail|free|remaining|(?:^|_)left(?:_|$)/iu.test(text));
}

/** `max(x > 5)` has the same value as `max(x) > 5`, so it is read as that. */
function comparisonOfExtreme(tokens: readonly Token[], depth: number): Comparison | string {
  const kind = isWord(tokens[0], 'max') ? '>' : isWord(tokens[0], 'min') ? '<' : null;
  const open = isSign(tokens[1], '(') ? 1 : closingOf(tokens, 2) + 1;
  const close = closingOf(tokens, open);
  if (kind === null || !isSign(tokens[open], '(')) return comparesNothing;
  const inner = comparisonIn(tokens.slice(open + 1, close), depth);
  if (typeof inner === 'string' || !inner.operator.startsWith(kind)) return comparesNothing;
  // With another limit or condition inside, it need not be the highest of all.
  if (inner.threshold === null || inner.hasMoreConditions) return comparesNothing;
  return {
    ...inner,
    compared: [...tokens.slice(0, open + 1), ...inner.compared, ...tokens.slice(close)],
  };
}

/** The index after `on (…)`, `group_left (…)` and the like. */
function modifiersEnd(tokens: readonly Token[], from: number): number {
  let at = from;
  while (['on', 'ignoring', 'group_left', 'group_right'].some((word) => isWord(tokens[at], word))) {
    at = isSign(tokens[at + 1], '(') ? closingOf(tokens, at + 1) + 1 : at + 1;
  }
  return at;
}

function limitOf(
  compared: readonly Token[],
  matching: readonly Token[],
  against: readonly Token[],
): Comparison['limit'] {
  // Parentheses that follow a bare `group_left` would be read as its labels.
  const isBare = ['group_left', 'group_right'].some((word) => isWord(matching.at(-1), word));
  const matched = matching.length === 0 ? '' : `${textOf(matching)}${isBare ? '()' : ''} `;
  const text = textOf(withoutParentheses(against));
  // Anything to the power of 0 is 1, even Inf and NaN, so this keeps the series with value 1.
  const query = `(${textOf(compared)}) ^ 0 * ${matched}(${text})`;
  return { text, query, tokens: against };
}

/** Whether it has no series: numbers, `time()`, `scalar(…)`. */
function isScalar(side: readonly Token[]): boolean {
  const plain: Token[] = [];
  for (let at = 0; at < side.length; at += 1) {
    const token = side[at];
    const isCall = isSign(side[at + 1], '(') &&
      ['time', 'scalar', 'pi'].some((name) => isWord(token, name));
    if (isCall) at = closingOf(side, at + 1);
    if (isCall) plain.push({ kind: 'number', text: '1', written: '1' });
    else if (token !== undefined) plain.push(token);
  }
  return scalarOf(plain) !== null;
}

/** Whether the values are themselves filtered by a comparison, as those of `(x < 5)` are. */
function isFiltered(side: readonly Token[]): boolean {
  const all = withoutParentheses(side);
  const set = topLevel(all).find((at) => isWord(all[at], 'and') || isWord(all[at], 'unless'));
  const tokens = all.slice(0, set);
  return topLevel(tokens).some((at) => isComparison(tokens[at]) && !isWord(tokens[at + 1], 'bool'));
}

function isComparison(token: Token | undefined): boolean {
  return token?.kind === 'sign' && Object.hasOwn(mirrored, token.text);
}
