import { textOf, type Token } from '../../lib/promql/promql-tokens.ts';
import {
  allParts, bare, parsePromql, type Binary, type Node,
} from '../../lib/promql/promql-tree.ts';
import { longestRangeIn } from '../../lib/promql/scalar.ts';
import { metricWords } from '../../statistics/names/metric-words.ts';
import {
  absenceIn, addsLabels, comparisonIn, goneSeries, isGuard, type Comparison, type SeriesLimit,
} from './comparison.ts';
import { expressionUnit, isShareOfLike, type UnitReading } from './expression-unit.ts';

/** A rule's expression, as far as it can be read with certainty. */
export interface RuleReading {
  readonly expression: string;
  /** Null if it has none that can be read. */
  readonly comparison: ReadComparison | null;
  /** Names of the metrics that it reads, each once, in order; none of an unreadable expression. */
  readonly metrics: readonly string[];
  /** Names of functions and aggregations in lower case; otherwise the same. */
  readonly functions: readonly string[];
  /** It is one of several conditions joined by `or`: the one that held. */
  readonly isOneOfSeveral: boolean;
  /** Why there is no threshold, as a sentence; null if there is one. */
  readonly unread: string | null;
}

/** What a rule compares with what; the unit is that of what is compared, in the report's words. */
export interface ReadComparison extends UnitReading,
  Pick<Comparison, 'operator' | 'threshold' | 'hasMoreConditions' | 'returnsOther'> {
  /** As a query of its own. */
  readonly compared: string;
  /** What it compares with if that is not a number. */
  readonly limit: SeriesLimit | null;
}

/** Finds what an expression compares with what; `unread` says why if it cannot be read. */
export function readExpression(expression: string): RuleReading {
  const tree = parsePromql(expression);
  const read = { expression, isOneOfSeveral: false, ...namesIn(tree) };
  const found = tree === null ? 'The expression has an unknown form.' : comparisonIn(tree);
  if (typeof found === 'string') return { ...read, comparison: null, unread: found };
  const { operator, threshold, limit, hasMoreConditions, returnsOther } = found;
  return {
    ...read,
    comparison: {
      operator, threshold, hasMoreConditions, returnsOther, ...unitOf(found),
      compared: textOf(found.compared.tokens()),
      limit: limit && { text: limit.text, query: limit.query },
    },
    unread: threshold === null ? 'The rule compares with another series, not a number.' : null,
  };
}

/** The metrics and the functions that it reads. */
function namesIn(tree: Node | null): Pick<RuleReading, 'metrics' | 'functions'> {
  const parts = tree === null ? [] : allParts(tree);
  const metrics = parts.flatMap((part) => part.kind === 'selector' ? part.metric ?? [] : []);
  const functions = parts.flatMap((part) => part.kind === 'call' ? part.name : []);
  return { metrics: [...new Set(metrics)], functions: [...new Set(functions)] };
}

/** Each condition is queried separately. */
const conditionsMax = 4;

/**
 * The conditions of `a or b`, each with its query and its own reading; none if the rule has another
 * form or too many. Multi-window burn-rate rules have this form.
 */
export function conditionsOf(
  whole: RuleReading,
): readonly { readonly query: string; readonly reading: RuleReading }[] {
  const tree = parsePromql(whole.expression);
  const parts = tree === null ? [] : alternativesOf(tree);
  if (parts.length > conditionsMax) return [];
  return parts.map((part) => {
    const query = textOf(part);
    const { expression, metrics, functions } = whole;
    const read = readExpression(query);
    return { query, reading: { ...read, expression, metrics, functions, isOneOfSeveral: true } };
  });
}

/** For `(a or b) and c` these are `(a) and c` and `(b) and c`; so for labels added to them. */
function alternativesOf(whole: Node): readonly (readonly Token[])[] {
  const node = bare(whole);
  if (node.kind !== 'binary') return [];
  const { operator, left } = node;
  if (operator === 'or') return orsIn(node).map((each) => each.tokens());
  if (!isGuard(node) && !addsLabels(node)) return [];
  const inLeft = left.tokens();
  const guards = node.tokens().slice(inLeft.length);
  const [open, close] = left.kind === 'parentheses' ? [inLeft.slice(0, 1), inLeft.slice(-1)]
    : [[], []];
  return alternativesOf(left).map((part) => [...open, ...part, ...close, ...guards]);
}

/** The operands of `a or b or c`. */
function orsIn(node: Node): Node[] {
  return node.kind === 'binary' && node.operator === 'or' ? [...orsIn(node.left), node.right]
    : [node];
}

/**
 * What an expression fires on, without its guards (`and`, `unless`) and added labels; what it
 * misses becomes `absent(…)`, and is left out where it fires on something that is there as well.
 */
export function withoutGuards(expression: string): string {
  const tree = parsePromql(expression);
  if (tree === null) return expression;
  const parts = unguarded(tree);
  const present = parts.filter((part) => !/^absent(?:_over_time)?\s*\(/u.test(part));
  return (present.length > 0 ? present : parts).join(' or ');
}

function unguarded(whole: Node): string[] {
  const node = absenceIn(whole) ?? bare(whole);
  if (node.kind !== 'binary') return [textOf(node.tokens())];
  if (node.operator === 'or') return orsIn(node).flatMap(unguarded);
  if (addsLabels(node)) return unguarded(node.left);
  if (!isGuard(node)) return [textOf(node.tokens())];
  if (isListing(node)) return [];
  const gone = goneSeries(node);
  if (gone !== null) return [`absent(${textOf(gone.tokens())})`];
  const left = bare(node.left);
  // Further steps of a chain are not read, each of which would read all before it again.
  const read = left.kind === 'binary' && isGuard(left) ? '' : comparisonIn(node);
  return unguarded(typeof read !== 'string' && read.returnsOther ? node.right : left);
}

/** In `a unless b` without a comparison, `a` only lists what should have a `b`. */
function isListing(node: Binary): boolean {
  const { operator, left } = node;
  const isCompared = allParts(left).some((part) => (
    part.kind === 'binary' && /^(?:[<>]=?|[=!]=)$/u.test(part.operator)));
  return operator === 'unless' && goneSeries(node) === null && absenceIn(left) === null &&
    !isCompared;
}

/** The query that has no series when the rule fires, as in `absent(…)`; null for other rules. */
export function missedBy(expression: string): string | null {
  const tree = parsePromql(withoutGuards(expression));
  const absence = tree && absenceIn(tree);
  return absence && textOf(absence.arguments.flatMap(({ tokens }) => tokens()));
}

/** The unit of what is compared, by the names and the operations, where the limit fits it. */
function unitOf({ compared, threshold, limit }: Comparison): UnitReading {
  const read = expressionUnit(compared);
  if (limit !== null && read.unit === null && !read.isRescaled) return expressionUnit(limit.node);
  const size = Math.abs(threshold ?? Number.NaN);
  // A quotient of like things is a share, unless it is compared with more than the whole.
  const isWithin = size > 0 && size <= 1;
  if (isWithin && !read.isRescaled && isShareOfLike(compared)) return { ...read, unit: 'ratio' };
  // Nobody calls a multiple 500 %.
  if (read.unit === 'ratio' && size > 1) return { unit: null, isRescaled: true };
  // Many a metric named a percentage is a share.
  const isDoubtful = read.unit === 'percent' && isWithin && bare(compared).kind !== 'binary';
  return isDoubtful ? { unit: null, isRescaled: true } : read;
}

/** The unit of a query's values, from its metric names; null if they do not tell. */
export function expressionUnitOf(query: string): string | null {
  const tree = parsePromql(query);
  return tree && expressionUnit(tree).unit;
}

/**
 * The longest range or subquery range of an expression, in seconds; 0 if it is not known. Offsets
 * do not count: `x - x offset 1d` follows x at once.
 */
export function longestRange(expression: string): number {
  const tree = parsePromql(expression);
  return tree === null ? 0 : longestRangeIn(tree) || 0;
}

/** A larger limit is most likely in milliseconds, unless the metric's name says seconds. */
const unnamedSecondsMax = 30;

/**
 * Where neither the metric names nor the text tell the unit, assumes that of the family, if the
 * names and the limit are of its kind: in one family some rules use ratios and others percentages,
 * and some count what others time.
 */
export function withFamilyUnit(rule: RuleReading, familyUnit: string | null): RuleReading {
  const { comparison, metrics } = rule;
  if (comparison === null || comparison.unit !== null || comparison.isRescaled) return rule;
  const { operator, threshold } = comparison;
  // A rule on equality compares a state, whatever the family measures.
  const isState = operator === '==' || operator === '!=';
  // Whatever is compared with 0 may be a count or a difference as well.
  if (!threshold || isState || familyUnit === null) return rule;
  const size = Math.abs(threshold);
  const isFitting = {
    ratio: size < 1, percent: size > 1 && size <= 100, bytes: true,
    seconds: metrics.some(isTimed) &&
      (size <= unnamedSecondsMax || metrics.some((name) => name.includes('_seconds'))),
    per_second: !rule.functions.some((name) => name === 'increase' || name === 'delta'),
  }[familyUnit] ?? false;
  return isFitting ? { ...rule, comparison: { ...comparison, unit: familyUnit } } : rule;
}

/** Whether a metric's name says that it is a time, without its unit. */
function isTimed(metric: string): boolean {
  return /(?:^|_)(?:latency|duration|time|delay|lag|wait|age|seconds|p\d\d)(?:_|$)/u
    .test(metricWords(metric));
}
