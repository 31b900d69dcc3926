import { isWord, textOf, type Token } from '../../lib/promql/promql-tokens.ts';
import {
  allParts, bare, innerOf, parsePromql, selectorsIn, type Binary, type Call, type Node,
  type Selector,
} from '../../lib/promql/promql-tree.ts';
import { scalarOf } from '../../lib/promql/scalar.ts';
import type { Reality } from '../../report/report.ts';
import { classifyMetric } from '../../statistics/names/metric-class.ts';
import type { Signal } from '../../statistics/names/metric-rule.ts';
import { quotientIn } from './divisor.ts';

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
  readonly compared: Node;
  readonly operator: Operator;
  /** The number it compares with; null if that is a series. */
  readonly threshold: number | null;
  readonly limit: (SeriesLimit & { readonly node: Node }) | null;
  /** Further conditions have to hold as well. */
  readonly hasMoreConditions: boolean;
  /** The rule returns, and `$value` in annotations tells, the value of another condition. */
  readonly returnsOther: boolean;
  /** The limit stands first, as in `5 < x`. */
  readonly isMirrored: boolean;
}

const mirrored: Readonly<Record<Operator, Operator>> = {
  '>': '<', '>=': '<=', '<': '>', '<=': '>=', '==': '==', '!=': '!=',
};

const openBracket: Token = { kind: 'sign', text: '(', written: '(' };
const closeBracket: Token = { kind: 'sign', text: ')', written: ')' };

/** For `absent(…)`, `vector(1)` and the like, whose values tell nothing. */
export const comparesNothing = 'The rule fires on whatever its expression returns.';
const comparesAgain = 'The rule compares more than once.';

/** The comparison of an expression, or why it has none, as a sentence. */
export function comparisonIn(whole: Node): Comparison | string {
  const node = bare(whole);
  if (absenceIn(node) !== null) return comparesNothing;
  if (node.kind === 'call') return comparisonOfCall(node);
  if (node.kind !== 'binary') return comparesNothing;
  if (node.operator === 'or') return comparisonOfEither(node);
  if (isGuard(node)) return goneSeries(node) === null ? comparisonOfGuarded(node) : comparesNothing;
  if (addsLabels(node)) return comparisonOfJoined(node);
  if (node.operator === '*' && isFiltered(node.left)) return comparisonBelow(node.left);
  if (!Object.hasOwn(mirrored, node.operator)) return comparesNothing;
  if (node.isBool) return 'The comparison returns 0 or 1 and filters nothing.';
  return compare(node);
}

/** The values of `a and b` and `a unless b` are those of a. */
function comparisonOfGuarded(node: Binary): Comparison | string {
  const first = comparisonIn(node.left);
  // Nothing compares the values that the rule returns: only the condition says what is wrong.
  if (typeof first === 'string') {
    return node.operator === 'and' ? comparisonBelow(node.right) : first;
  }
  const second = isOfSame(node) ? comparisonIn(node.right) : comparesNothing;
  if (typeof second === 'string') return { ...first, hasMoreConditions: true };
  const band = bandOf(first, second);
  const isOther = band === null ? asksForAny(first, second) : band === second;
  // In a band both conditions judge the same value.
  const returnsOther = isOther ? band === null : first.returnsOther;
  return { ...isOther ? second : first, hasMoreConditions: true, returnsOther };
}

/**
 * For `a or b` the comparison that both make, or the one that is made where the other part only
 * fires on absence.
 */
function comparisonOfEither({ left, right }: Binary): Comparison | string {
  const severalConditions = 'The rule fires on any of several conditions.';
  const [a, b] = [comparisonIn(left), comparisonIn(right)];
  const either = { hasMoreConditions: true, returnsOther: true };
  if (typeof a === 'string' || typeof b === 'string') {
    const only = absenceIn(left) !== null ? b : absenceIn(right) !== null ? a : severalConditions;
    return typeof only === 'string' ? severalConditions : { ...only, ...either };
  }
  const isSame = a.operator === b.operator && a.threshold !== null && a.threshold === b.threshold;
  return isSame ? { ...a, ...either } : severalConditions;
}

/** The comparison of a part whose values the rule changes before it returns them. */
function comparisonBelow(part: Node): Comparison | string {
  const inner = comparisonIn(part.kind === 'timed' ? part.inner : part);
  return typeof inner === 'string' ? inner
    : { ...inner, hasMoreConditions: true, returnsOther: true };
}

/** Whether the values of b in `a and b` are of what those of a, and so the alert, are of. */
function isOfSame({ operator, matching, right }: Binary): boolean {
  if (operator !== 'and' || matching.length === 0) return operator === 'and';
  const kept = matching.map(({ text }) => text);
  const groupings = allParts(right).flatMap((part) =>
    part.kind === 'call' ? part.grouping ?? [] : []);
  return isWord(matching[0], 'on') && groupings.length > 0 && groupings.every(({ isBy, names }) =>
    isBy && names?.every((name) => name === 'le' || kept.includes(name)));
}

/**
 * Whether the first condition of `a and b` only asks that there is something to judge: anything at
 * all (`count > 0 and p99 > 0.5`), or enough requests, or of what b is a share or a quantile of.
 */
function asksForAny(first: Comparison, second: Comparison): boolean {
  const selected = selectorsIn(first.compared);
  const isAny = first.threshold === 0 && (first.operator === '>' || first.operator === '!=');
  if (isAny && readsAll(second.compared, selected)) return true;
  const asked = selected.map(({ metric }) => metric ?? '');
  const isOf = (names: readonly string[], ...signals: readonly Signal[]): boolean =>
    names.some((name) => signals.includes(classifyMetric(name).signal));
  // Errors and states count by themselves; requests only if there are enough of them.
  const isPlain = !isOf(asked, 'errors', 'restarts', 'state');
  if (second.threshold === 0) return isAny && isPlain && asksForStandstill(second);
  if (!/^[<>]/u.test(second.operator) || !first.operator.startsWith('>')) return false;
  const judged = selectorsIn(second.compared).map(({ metric }) => metric ?? '');
  const whole = judged.map((name) => name.replace(/_bucket$/u, '_count'));
  if (quotientIn(second.compared) !== null || judged.some((name) => name.endsWith('_bucket'))) {
    const isRequests = isOf(judged, 'latency', 'errors') && quotientIn(first.compared) === null &&
      selected.every(({ metric, matchers }) => isOf([metric ?? ''], 'traffic') &&
        !matchers.some(({ label }) => /code|status/u.test(label)));
    return first.threshold === 0 || isRequests || asked.every((name) => whole.includes(name));
  }
  return first.threshold === 0 && isPlain && !isOf(judged, 'traffic', 'state');
}

/** Whether an expression reads all these selectors as well. */
function readsAll(whole: Node, selectors: readonly Selector[]): boolean {
  const texts = (list: readonly Selector[]): string[] =>
    list.map(({ tokens }) => textOf(tokens()));
  const read = new Set(texts(selectorsIn(whole)));
  return selectors.length > 0 && texts(selectors).every((text) => read.has(text));
}

const moving = new Set(['rate', 'irate', 'increase', 'delta', 'idelta', 'deriv', 'changes']);

/** `rate(x[5m]) == 0`: something that should go on does not. */
function asksForStandstill({ operator, compared }: Comparison): boolean {
  return operator === '==' &&
    allParts(compared).some((part) => part.kind === 'call' && moving.has(part.name));
}

/** The call in `absent(x)`, also in `absent(x) == 1`; null for any other expression. */
export function absenceIn(whole: Node): Call | null {
  const node = bare(whole);
  if (node.kind === 'call') return /^absent(?:_over_time)?$/u.test(node.name) ? node : null;
  const isCompared = node.kind === 'binary' && isFiltered(node) && scalarOf(node.right) !== null;
  return isCompared ? absenceIn(node.left) : null;
}

export function isGuard({ operator }: Binary): boolean {
  return operator === 'and' || operator === 'unless';
}

/**
 * Whether it only adds labels to the values on its left: `(x < 10) * on (instance) group_left (os)
 * host_info`. By convention, the value of a metric named `…_info` is 1.
 */
export function addsLabels({ operator, right, matching }: Binary): boolean {
  const info = bare(right);
  return operator === '*' && matching.some((token) => isWord(token, 'group_left')) &&
    info.kind === 'selector' && info.metric?.endsWith('_info') === true;
}

/** What is compared keeps the added labels, which are the alert's as well. */
function comparisonOfJoined(node: Binary): Comparison | string {
  const join = node.tokens().slice(node.left.tokens().length);
  return comparisonInside(node.left, (left) => {
    const tokens = [openBracket, ...left.tokens(), closeBracket, ...join];
    return { ...node, left, tokens: () => tokens };
  });
}

/** The comparison of a part, of which `wrap` makes the whole without changing values. */
function comparisonInside(part: Node, wrap: (side: Node) => Node): Comparison | string {
  const inner = comparisonIn(part);
  if (typeof inner === 'string') return inner;
  const limit = inner.limit && parsePromql(inner.limit.query);
  const query = limit && textOf(wrap(limit).tokens());
  return {
    ...inner, compared: wrap(inner.compared),
    limit: inner.limit && query !== null ? { ...inner.limit, query } : null,
  };
}

/**
 * For `x offset 1h unless x` the `x` that is missing: the value of what is gone is nothing to
 * compare. Null for any other expression.
 */
export function goneSeries({ operator, left, right }: Binary): Node | null {
  if (operator !== 'unless') return null;
  const words = new Set(left.tokens().map(({ kind, text }) => (kind === 'word' ? text : '')));
  const missed = right.tokens();
  const isSame = missed.every(({ kind, text }) => kind !== 'word' || words.has(text));
  const isEarlier = words.has('offset') && !missed.some((token) => isWord(token, 'offset'));
  return isSame && isEarlier ? right : null;
}

function compare(written: Binary): Comparison | string {
  const { left, right, matching } = written;
  const isMirrored = isScalar(left) && !isScalar(right);
  const [side, against] = isMirrored ? [right, left] : [left, right];
  const asWritten = written.operator as Operator;
  const { compared, operator, threshold } = sinceNow(
    { compared: side, operator: isMirrored ? mirrored[asWritten] : asWritten, against },
  );
  const outerOf = (values: Node): Comparison => ({
    compared: values, operator, threshold, isMirrored,
    limit: threshold !== null ? null : {
      text: textOf(bare(against).tokens()), query: matchedTo(values, matching, against),
      node: against,
    },
    hasMoreConditions: false, returnsOther: false,
  });
  if (threshold === 0 && isChanged(compared)) return comparisonIn(compared);
  const inner = isFiltered(compared) ? comparisonIn(compared) : null;
  if (inner === null) return outerOf(compared);
  if (typeof inner === 'string' || inner.returnsOther) return comparesAgain;
  const outer = outerOf(inner.compared);
  // A limit of 0 beside another one only requires that there is anything at all.
  const isLoose = inner.threshold === 0 && threshold !== 0;
  return { ...bandOf(inner, outer) ?? (isLoose ? outer : inner), hasMoreConditions: true };
}

/** Whether the values of a comparison are changed, as in `(x < 5) * on (a) group_left () y`. */
function isChanged(compared: Node): boolean {
  const node = bare(compared);
  return node.kind === 'binary' && node.operator === '*' && isFiltered(node.left);
}

/** `x < time() - 60` compares how long ago x was, as `time() - x > 60` does. */
function sinceNow(
  { compared, operator, against }: { compared: Node; operator: Operator; against: Node },
): Pick<Comparison, 'compared' | 'operator' | 'threshold'> {
  const same = { compared, operator, threshold: scalarOf(against) };
  const limit = bare(against);
  if (limit.kind !== 'binary' || !isNow(limit.left)) return same;
  const seconds = scalarOf(limit.right);
  if (seconds === null) return same;
  const [now, minus] = [limit.left, { kind: 'sign', text: '-', written: '-' } as const];
  const differ = (from: Node, to: Node): Node => {
    const tokens = [...from.tokens(), minus, ...to.tokens()];
    return {
      kind: 'binary', operator: '-', left: from, right: to, isBool: false, matching: [],
      tokens: () => tokens,
    };
  };
  const closed: Node = compared.kind !== 'binary' ? compared : {
    kind: 'parentheses', inner: compared,
    tokens: () => [openBracket, ...compared.tokens(), closeBracket],
  };
  if (limit.operator === '+') {
    return { compared: differ(closed, now), operator, threshold: seconds };
  }
  return limit.operator !== '-' ? same
    : { compared: differ(now, closed), operator: mirrored[operator], threshold: seconds };
}

function isNow(side: Node): boolean {
  const node = bare(side);
  return node.kind === 'call' && node.name === 'time';
}

/** A lower bound below this share of the upper one only asks that there is anything. */
const boundShareMin = 0.01;

/**
 * Which of two bounds of one value is its limit: `warning > 80 < 90` fires from 80 on, but what
 * runs out, as in `3 <= days_left < 20`, fires from the upper one on. Null if they are no band.
 */
function bandOf(first: Comparison, second: Comparison): Comparison | null {
  const [lower, upper] = first.operator.startsWith('>') ? [first, second] : [second, first];
  const isBand = lower.operator.startsWith('>') && upper.operator.startsWith('<') &&
    textOf(first.compared.tokens()) === textOf(second.compared.tokens());
  if (!isBand || lower.threshold === null || upper.threshold === null) return null;
  const isBound = Math.abs(lower.threshold) < boundShareMin * Math.abs(upper.threshold);
  return isBound || runsOut(lower.compared) ? upper : lower;
}

/** Whether less of it is worse. */
function runsOut(compared: Node): boolean {
  return allParts(compared).some((part) => (
    (part.kind === 'selector' && rest.test(part.metric ?? '')) ||
    (part.kind === 'binary' && part.operator === '-' && isNow(part.right))));
}

const rest = /expir|not_?after|avail|free|remaining|(?:^|_)left(?:_|$)|battery|charge/iu;

/**
 * Functions that return values of their first argument: `label_replace(x > 5, …)` is read as
 * `label_replace(x, …) > 5`, and `max(x > 5)`, though not `max(x < 5)`, as `max(x) > 5`.
 */
const passing: ReadonlyMap<string, string> = new Map([
  ['max', '>'], ['min', '<'], ['label_replace', ''], ['label_join', ''], ['info', ''], ['sort', ''],
  ['sort_desc', ''], ['sort_by_label', ''], ['sort_by_label_desc', ''],
]);

function comparisonOfCall(call: Call): Comparison | string {
  const filtered = call.arguments.find((each) =>
    isFiltered(each.kind === 'timed' ? each.inner : each));
  const below = filtered === undefined ? comparesNothing : comparisonBelow(filtered);
  const [argument, ...others] = call.arguments;
  const side = passing.get(call.name);
  if (side === undefined || argument === undefined) return below;
  const inner = comparisonInside(argument, (first) => {
    const tokens = call.tokens().toSpliced(call.head, argument.tokens().length, ...first.tokens());
    return { ...call, arguments: [first, ...others], tokens: () => tokens };
  });
  if (typeof inner === 'string' || side === '') return inner;
  // With another limit or condition inside, it need not be the highest of all.
  const isEnd = inner.operator === '==' && (side === '>' ? isOneMost : isZeroLeast)(inner);
  const isExtreme = (isEnd || inner.operator.startsWith(side)) && inner.threshold !== null &&
    !inner.hasMoreConditions && others.length === 0;
  return isExtreme ? inner : below;
}

const state =
  /(?:^|_)(?:up|ready|success|healthy|enabled|paused|unschedulable|condition|phase|reason)$/u;

/** Whether it is compared with 1 and is never above: a count, or a code of several, may be. */
function isOneMost({ compared, threshold }: Comparison): boolean {
  const node = passedOn(compared);
  return threshold === 1 && node?.kind === 'selector' && state.test(node.metric ?? '');
}

/** What the calls that pass values on are about. */
function passedOn(node: Node | undefined): Node | undefined {
  if (node === undefined) return undefined;
  const inner = bare(node);
  return inner.kind === 'call' && passing.has(inner.name) ? passedOn(inner.arguments[0]) : inner;
}

const signed = /^-$|celsius|temperature|offset|skew|drift|delta|diff|deriv|balance/iu;

/** Whether it is compared with 0 and is never below, as most of what is counted or measured. */
function isZeroLeast({ compared, threshold }: Comparison): boolean {
  return threshold === 0 &&
    !compared.tokens().some(({ kind, text }) => kind !== 'text' && signed.test(text));
}

/** A query for the values of `right`, each with the labels of the value of `left` it belongs to. */
export function matchedTo(left: Node, matching: readonly Token[], right: Node): string {
  // Parentheses that follow a bare `group_left` would be read as its labels.
  const isBare = isWord(matching.at(-1), 'group_left', 'group_right');
  const matched = matching.length === 0 ? '' : `${textOf(matching)}${isBare ? '()' : ''} `;
  // Anything to the power of 0 is 1, even Inf and NaN, so this keeps the series with value 1.
  return `(${textOf(left.tokens())}) ^ 0 * ${matched}(${textOf(bare(right).tokens())})`;
}

/** Whether it has no series: numbers, `time()`, `scalar(…)`. */
function isScalar(node: Node): boolean {
  if (node.kind === 'call') return ['time', 'scalar', 'pi'].includes(node.name);
  const inner = innerOf(node);
  return node.kind === 'number' || (inner.length > 0 && inner.every(isScalar));
}

/** Whether the values are themselves filtered by a comparison, as those of `(x < 5)` are. */
function isFiltered(side: Node): boolean {
  const node = bare(side);
  if (node.kind !== 'binary') return false;
  if (isGuard(node)) return isFiltered(node.left);
  return Object.hasOwn(mirrored, node.operator) && !node.isBool;
}
