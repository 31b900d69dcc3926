import type { Reality } from '../report/report.ts';
import { expressionUnit } from './expression-unit.ts';
import { promqlTokens, type Token } from './promql-tokens.ts';
import { scalarOf } from './scalar.ts';

export type Operator = NonNullable<Reality['operator']>;

/** A rule's expression as far as it can be read with certainty. */
export interface RuleReading {
  readonly expression: string;
  /** What is compared, as a query of its own; null when the comparison could not be taken off. */
  readonly compared: string | null;
  readonly operator: Operator | null;
  readonly threshold: number | null;
  /** Unit of what is compared, in the report's words; null when the names do not tell. */
  readonly unit: string | null;
  /** True where it is multiplied, divided or the like, so that no other unit may be guessed. */
  readonly isRescaled: boolean;
  readonly metrics: readonly string[];
  readonly functions: readonly string[];
  /** True when more conditions than the comparison have to hold. */
  readonly hasMoreConditions: boolean;
  /** True when it may fire on something else as well: this is the one of several that held. */
  readonly isOneOfSeveral: boolean;
  /** Why there is no threshold, as a sentence; null when there is one. */
  readonly unread: string | null;
}

const expressionLengthMax = 16 * 1024;
const depthMax = 20;

/**
 * The rule's expression out of the alert's link: `g0.expr` in the query, as Prometheus and Thanos
 * write it (prometheus/prometheus: util/strutil/strconv.go), or in the fragment, as vmalert does.
 * Null when there is none. The address itself is never opened.
 */
export function expressionIn(generatorURL: string): string | null {
  if (!URL.canParse(generatorURL)) return null;
  const { searchParams, hash } = new URL(generatorURL);
  const inFragment = new URLSearchParams(hash.replace(/^#[^?]*\?/u, '').replace(/^#/u, ''));
  const expression = (searchParams.get('g0.expr') ?? inFragment.get('g0.expr') ?? '').trim();
  return expression === '' || expression.length > expressionLengthMax ? null : expression;
}

/** Takes a plain comparison with a number off an expression, and says so where it cannot. */
export function readExpression(expression: string): RuleReading {
  const tokens = promqlTokens(expression);
  const nothing = {
    expression, compared: null, operator: null, threshold: null, unit: null, isRescaled: false,
    metrics: [], functions: [], hasMoreConditions: false, isOneOfSeveral: false,
  };
  if (tokens === null) return { ...nothing, unread: 'The expression has an unknown form.' };
  const names = { metrics: metricsIn(tokens), functions: functionsIn(tokens) };
  const reading = comparisonIn(tokens, depthMax);
  if (typeof reading === 'string') return { ...nothing, ...names, unread: reading };
  return {
    ...nothing,
    ...names,
    compared: textOf(reading.compared),
    operator: reading.operator,
    threshold: reading.threshold,
    ...unitOfLimited(reading),
    hasMoreConditions: reading.hasMoreConditions,
    unread:
      reading.threshold === null ? 'The rule compares with another series, not a number.' : null,
  };
}

/**
 * What `a or b` fires on, each condition as a reading of its own with the query that it is; none
 * where it is not of that form. Burn rates over several windows are written like this.
 */
export function conditionsOf(
  whole: RuleReading,
): readonly { readonly query: string; readonly reading: RuleReading }[] {
  const tokens = withoutParentheses(promqlTokens(whole.expression) ?? []);
  const at = topLevel(tokens).filter((index) => isWord(tokens[index], 'or'));
  const parts = at.length === 0 ? []
    : [-1, ...at].map((index, place) => tokens.slice(index + 1, at[place]));
  return parts.map((part) => {
    const query = textOf(part);
    const { expression, metrics, functions } = whole;
    const read = readExpression(query);
    return { query, reading: { ...read, expression, metrics, functions, isOneOfSeveral: true } };
  });
}

/** Nobody calls a multiple 500 %: a quotient that may be more than one is a plain number. */
function unitOfLimited({ compared, threshold }: Comparison): ReturnType<typeof expressionUnit> {
  const read = expressionUnit(compared);
  const isMultiple = read.unit === 'ratio' && threshold !== null && Math.abs(threshold) > 1;
  return isMultiple ? { unit: null, isRescaled: true } : read;
}

/** The unit of a query's values, by the names of what it reads; null when they do not tell. */
export function expressionUnitOf(query: string): string | null {
  const tokens = promqlTokens(query);
  return tokens === null ? null : expressionUnit(tokens).unit;
}

interface Comparison {
  readonly compared: readonly Token[];
  readonly operator: Operator;
  readonly threshold: number | null;
  readonly hasMoreConditions: boolean;
}

const mirrored: Readonly<Record<Operator, Operator>> = {
  '>': '<', '>=': '<=', '<': '>', '<=': '>=', '==': '==', '!=': '!=',
};

/** The comparison, or why there is none to take off. */
function comparisonIn(all: readonly Token[], depth: number): Comparison | string {
  const tokens = withoutParentheses(all);
  if (depth === 0) return 'The expression is nested too deeply.';
  const outer = topLevel(tokens);
  if (outer.some((at) => isWord(tokens[at], 'or'))) {
    return 'The rule fires on any of several conditions.';
  }
  // The values of `a and b` and `a unless b` are those of a.
  const set = outer.find((at) => isWord(tokens[at], 'and') || isWord(tokens[at], 'unless'));
  if (set !== undefined) {
    const first = comparisonIn(tokens.slice(0, set), depth - 1);
    return typeof first === 'string' ? first : { ...first, hasMoreConditions: true };
  }
  const found = outer.filter((at) => isOperator(tokens[at]));
  const at = found[0];
  if (at === undefined) return comparesNothing;
  if (found.length > 1) return comparesAgain;
  if (isWord(tokens[at + 1], 'bool')) return 'The comparison returns 0 or 1 and filters nothing.';
  return compare(tokens, at);
}

/** As `absent(…)` and `vector(1)` do: there is no threshold to know. */
export const comparesNothing = 'The rule fires on whatever its expression returns.';
const comparesAgain = 'The rule compares more than once.';

function compare(tokens: readonly Token[], at: number): Comparison | string {
  const [left, right] = [tokens.slice(0, at), tokens.slice(at + 1)];
  const operator = tokens[at]?.text as Operator;
  const [before, after] = [scalarOf(left), scalarOf(right)];
  const hasMoreConditions = false;
  if ([left, right].some(isFiltered)) return comparesAgain;
  if (before !== null && after === null) {
    return {
      compared: right, operator: mirrored[operator], threshold: before, hasMoreConditions,
    };
  }
  return { compared: left, operator, threshold: after, hasMoreConditions };
}

/** `(x < 5)` within a comparison has no value where it does not hold; of `x and y < 5` it is x. */
function isFiltered(side: readonly Token[]): boolean {
  const all = withoutParentheses(side);
  const set = topLevel(all).find((at) => isWord(all[at], 'and') || isWord(all[at], 'unless'));
  const tokens = all.slice(0, set);
  return topLevel(tokens).some((at) => isOperator(tokens[at]) && !isWord(tokens[at + 1], 'bool'));
}

export function withoutParentheses(tokens: readonly Token[]): readonly Token[] {
  let inner = tokens;
  for (let depth = 0; depth < depthMax; depth += 1) {
    if (inner[0]?.text !== '(' || closingOf(inner, 0) !== inner.length - 1) break;
    inner = inner.slice(1, -1);
  }
  return inner;
}

/** Indexes of the tokens outside of all brackets. */
export function topLevel(tokens: readonly Token[]): number[] {
  const found: number[] = [];
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    if (isSign(token, '([{')) depth += 1;
    else if (isSign(token, ')]}')) depth -= 1;
    else if (depth === 0) found.push(index);
  }
  return found;
}

export function closingOf(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let index = open; index < tokens.length; index += 1) {
    if (isSign(tokens[index], '([{')) depth += 1;
    if (isSign(tokens[index], ')]}')) depth -= 1;
    if (depth === 0) return index;
  }
  return -1;
}

const groupings = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const keywords = new Set([
  ...groupings, 'and', 'or', 'unless', 'offset', 'bool', 'inf', 'nan', 'atan2', 'start', 'end',
]);

/** Names of the series an expression reads, each once, in order. */
function metricsIn(tokens: readonly Token[]): string[] {
  const found = new Set<string>();
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    const isCall = isCalled(tokens, at);
    if (token?.kind === 'word' && groupings.has(token.text.toLowerCase()) && isCall) {
      at = Math.max(at, closingOf(tokens, at + 1));
    } else if (isSign(token, '{')) {
      const close = closingOf(tokens, at);
      const name = nameInBraces(tokens.slice(at + 1, close));
      if (name !== null) found.add(name);
      at = Math.max(at, close);
    } else if (token?.kind === 'word' && !isCall && !keywords.has(token.text.toLowerCase())) {
      found.add(token.text);
    }
  }
  return [...found];
}

/** `{"http.requests", job="x"}` and `{__name__="up"}` name their metric inside the braces. */
function nameInBraces(tokens: readonly Token[]): string | null {
  const at = tokens.findIndex((token) => isWord(token, '__name__'));
  if (at >= 0 && tokens[at + 1]?.text === '=') return tokens[at + 2]?.text ?? null;
  const [first, second] = tokens;
  if (first?.kind !== 'text' || (second !== undefined && second.text !== ',')) return null;
  return first.text;
}

function functionsIn(tokens: readonly Token[]): string[] {
  const calls = tokens.filter((token, at) => {
    return token.kind === 'word' && !keywords.has(token.text.toLowerCase()) && isCalled(tokens, at);
  });
  return [...new Set(calls.map(({ text }) => text))];
}

/** True for `rate(…)`, `sum by (…) (…)` and `on (…)`. */
function isCalled(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1];
  return next?.text === '(' || isWord(next, 'by') || isWord(next, 'without');
}

/** Tokens as a query again; the space is not the sender's. */
export function textOf(tokens: readonly Token[]): string {
  let query = '';
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1];
    const isTight =
      before === undefined || isSign(token, ')]},:{[') || isSign(before, '([{:@') ||
      (isSign(token, '(') && before.kind === 'word') || isMatcherPart(before, token);
    query += isTight ? token.written : ` ${token.written}`;
  }
  return query;
}

function isMatcherPart(before: Token, token: Token): boolean {
  const matching = ['=', '=~', '!~'];
  return matching.includes(token.text) || matching.includes(before.text);
}

function isOperator(token: Token | undefined): boolean {
  return token?.kind === 'sign' && Object.hasOwn(mirrored, token.text);
}

export function isWord(token: Token | undefined, word: string): boolean {
  return token?.kind === 'word' && token.text.toLowerCase() === word;
}

export function isSign(token: Token | undefined, signs: string): boolean {
  return token?.kind === 'sign' && token.text.length === 1 && signs.includes(token.text);
}
