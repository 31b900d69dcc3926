import { isWord } from '../../evidence/rule/promql-tokens.ts';
import {
  allParts, numberOf, parsePromql, selectorsIn, type Node,
} from '../../evidence/rule/promql-tree.ts';

/** The parts of a PromQL expression, to tell which of them a model may have made up. */
interface QueryParts {
  /**
   * Names of metrics, and matchers for equality as `label="value"`; none unless a non-empty answer
   * proves that all of them exist.
   */
  readonly proven: readonly string[];
  /** Durations, and the ranks of quantiles. */
  readonly measures: readonly string[];
  /** Numbers that may be part of the result; not those that a value is only compared to. */
  readonly constants: readonly number[];
}

const comparing: ReadonlySet<string> = new Set(['==', '!=', '>', '>=', '<', '<=']);

/** Null if the query cannot be parsed. */
export function queryParts(query: string): QueryParts | null {
  const tree = parsePromql(query);
  if (tree === null) return null;
  const parts = allParts(tree);
  const ranks = parts.flatMap((part) =>
    part.kind === 'call' && part.name.includes('quantile') ? part.arguments.slice(0, 1) : [])
    .filter(({ kind }) => kind === 'number');
  const binaries = parts.filter((part) => part.kind === 'binary');
  // The result of a comparison is what is compared, though of two numbers it is one of them.
  const compared = binaries.filter(({ operator }) => comparing.has(operator))
    .flatMap(({ left, right }) => [
      ...(selectorsIn(right).length > 0 ? [left] : []),
      ...(selectorsIn(left).length > 0 ? [right] : []),
    ]);
  const durations = tree.tokens().filter(({ kind, text }) =>
    kind === 'number' && /[a-z]$/i.test(text));
  const numbers = parts.filter((part) => part.kind === 'number')
    .filter((part) => !ranks.includes(part) && !compared.includes(part));
  const filled = binaries.flatMap(({ matching }) => matching)
    .filter(({ kind }) => kind === 'number');
  return {
    proven: parts.every(isProving) ? selectorsIn(tree).flatMap(namesIn) : [],
    measures: [...durations, ...ranks.flatMap((rank) => rank.tokens())].map(({ text }) => text),
    constants: [
      ...numbers.map(({ value }) => value), ...filled.map(({ text }) => numberOf(text)),
    ],
  };
}

function namesIn({ metric, matchers }: ReturnType<typeof selectorsIn>[number]): string[] {
  const matched = matchers.filter(({ sign, value }) => sign === '=' && value !== '')
    .map(({ label, value }) => `${label}="${value}"`);
  return metric === null ? matched : [metric, ...matched];
}

const provingCalls = new RegExp(
  '^(?:sum|avg|min|max|count|group|stddev|stdvar|topk|bottomk|quantile|' +
    'i?rate|increase|i?delta|deriv|changes|resets|predict_linear|histogram_quantile|' +
    '(?:avg|min|max|sum|count|quantile|stddev|last|present)_over_time|abs|ceil|floor|round|' +
    'sort|sort_desc|clamp|clamp_min|clamp_max|ln|log2|log10|sqrt|timestamp)$',
);
/** An answer need not have a value of both of their sides. */
const loose: ReadonlySet<string> = new Set(['or', 'unless', 'default', 'if', 'ifnot']);

/** Whether a non-empty answer to it proves that what it is made of exists. */
function isProving(part: Node): boolean {
  if (part.kind === 'call') return provingCalls.test(part.name);
  return part.kind !== 'binary' || !(loose.has(part.operator) ||
    part.matching.some((token) => isWord(token, 'fill', 'fill_left', 'fill_right')));
}
