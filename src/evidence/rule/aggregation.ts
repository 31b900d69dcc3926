import { promqlTokens, type Token } from './promql-tokens.ts';
import {
  closingOf, isSign, isWord, textOf, topLevel, withoutParentheses,
} from './promql-structure.ts';
import { scalarOf } from './scalar.ts';

/** An aggregation whose input series can be queried individually. */
export interface Aggregation {
  readonly kind: AggregationKind;
  /** What is aggregated, as a query of its own. */
  readonly inner: string;
  /** The labels of its groups; null for `without`. */
  readonly by: readonly string[] | null;
  /** False for the numerator of a quotient. */
  readonly isWhole: boolean;
  /** Whether nothing multiplies or divides it, as `* 8` does to convert bytes to bits. */
  readonly isAlone: boolean;
}

/** Nobody nests factors deeper, and each level reads everything inside it again. */
const depthMax = 5;

type AggregationKind = 'sum' | 'count' | 'max' | 'min';

/**
 * The aggregation that an expression consists of, or that is the numerator of its quotient; null
 * for any other expression. Sums and differences are not taken apart: what moved one operand need
 * not have moved the whole.
 */
export function aggregationIn(expression: string): Aggregation | null {
  const all = withoutParentheses(promqlTokens(expression) ?? []);
  const numerator = numeratorOf(all, depthMax);
  if (numerator === null) return null;
  const { tokens, isWhole } = numerator;
  const aggregation = aggregationOf(tokens);
  return aggregation && { ...aggregation, isWhole, isAlone: tokens === all };
}

interface Numerator {
  readonly tokens: readonly Token[];
  /** Whether nothing but numbers divides it. */
  readonly isWhole: boolean;
}

/** The one factor that the expression grows with; null if it is no such product or quotient. */
function numeratorOf(all: readonly Token[], depth: number): Numerator | null {
  const tokens = withoutParentheses(all);
  const at = topLevel(tokens).filter((index) => isOperator(tokens[index]));
  if (at.length === 0) return { tokens, isWhole: true };
  if (at.some((index) => !isSign(tokens[index], '*/'))) return null;
  const factors = [-1, ...at].map((index, place) => ({
    divides: isSign(tokens[index], '/'), factor: tokens.slice(index + 1, at[place]),
  }));
  if (factors.some(({ factor }) => (scalarOf(factor) ?? 1) <= 0)) return null;
  const [only, ...others] = factors.filter(({ divides, factor }) =>
    !divides && scalarOf(factor) === null);
  if (only === undefined || others.length > 0 || depth === 0) return null;
  const inner = numeratorOf(only.factor, depth - 1);
  const isDivided = factors.some(({ divides, factor }) => divides && scalarOf(factor) === null);
  return inner && { ...inner, isWhole: inner.isWhole && !isDivided };
}

function isOperator(token: Token | undefined): boolean {
  if (token?.kind === 'word') return operatorWords.has(token.text.toLowerCase());
  return token?.kind === 'sign' && !',:'.includes(token.text);
}

const operatorWords: ReadonlySet<string> = new Set(['and', 'or', 'unless', 'atan2']);
const kinds: readonly AggregationKind[] = ['sum', 'count', 'max', 'min'];

/** `sum by (a) (x)`, `sum(x) by (a)`, `sum(x)`. */
function aggregationOf(
  tokens: readonly Token[],
): Pick<Aggregation, 'kind' | 'inner' | 'by'> | null {
  const kind = kinds.find((name) => isWord(tokens[0], name));
  if (kind === undefined) return null;
  const leading = groupingAt(tokens, 1);
  const open = leading === null ? 1 : leading.end + 1;
  if (!isSign(tokens[open], '(')) return null;
  const close = closingOf(tokens, open);
  const trailing = leading === null ? groupingAt(tokens, close + 1) : null;
  if ((trailing?.end ?? close) !== tokens.length - 1 || close === open + 1) return null;
  const { names, isBy } = leading ?? trailing ?? { names: [], isBy: true };
  if (names === null) return null;
  const inner = textOf(tokens.slice(open + 1, close));
  return { kind, inner, by: isBy ? names : null };
}

/** `names` is null if one of them is a quoted string. */
function groupingAt(
  tokens: readonly Token[],
  at: number,
): { readonly isBy: boolean; readonly names: string[] | null; readonly end: number } | null {
  const isBy = isWord(tokens[at], 'by');
  if (!isBy && !isWord(tokens[at], 'without')) return null;
  const end = closingOf(tokens, at + 1);
  const listed = tokens.slice(at + 2, end).filter((token) => !isSign(token, ','));
  const isPlain = listed.every(({ kind }) => kind === 'word');
  return { isBy, names: isPlain ? listed.map(({ text }) => text) : null, end };
}
