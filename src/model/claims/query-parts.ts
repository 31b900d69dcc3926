import { promqlTokens, type Token } from '../../evidence/rule/promql-tokens.ts';

/** The parts of a PromQL expression, to tell which of them a model may have made up. */
interface QueryParts {
  /** Names of metrics that it selects. */
  readonly metrics: readonly string[];
  /** Matchers for equality, as `label="value"`. */
  readonly matched: readonly string[];
  /** Whether it selects any series at all. */
  readonly isSelecting: boolean;
  /** Functions and word operators, in lower case. */
  readonly functions: readonly string[];
  /** String literals outside of matchers. */
  readonly texts: readonly string[];
  /** Durations, and the ranks of quantiles. */
  readonly measures: readonly string[];
  /** Numbers that may be part of the result; not those that a value is only compared to. */
  readonly constants: readonly number[];
}

const grouping = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const operators = new Set(
  ['and', 'or', 'unless', 'bool', 'offset', 'atan2', 'inf', 'nan', 'default', 'if', 'ifnot'],
);
const comparing = /^(?:[<>]=?|[!=]=|bool)$/i;

/** Null if the query cannot be parsed. */
export function queryParts(query: string): QueryParts | null {
  const tokens = promqlTokens(query);
  return tokens === null ? null : partsOf(tokens);
}

function partsOf(tokens: readonly Token[]): QueryParts {
  const metrics: string[] = [];
  const matched: string[] = [];
  const functions: string[] = [];
  const texts: string[] = [];
  const measures: string[] = [];
  const constants: number[] = [];
  let place: 'braces' | 'grouping' | null = null;
  for (const [index, token] of tokens.entries()) {
    const [before, next] = [tokens[index - 1]?.text ?? '', tokens[index + 1]?.text];
    const word = token.text.toLowerCase();
    if (token.kind === 'sign') {
      if (word === '{') place = 'braces';
      else if (word === '(' && grouping.has(before.toLowerCase())) place = 'grouping';
      else if (word === '}' || word === ')') place = null;
    } else if (token.kind === 'text') {
      if (place !== 'braces') texts.push(token.text);
      else if (before === '=' && token.text !== '') {
        matched.push(`${tokens[index - 2]?.text ?? ''}=${token.written}`);
      }
    } else if (token.kind === 'number') {
      const isRank = before === '(' && /quantile/.test(tokens[index - 2]?.text ?? '');
      if (isRank || /[a-z]$/i.test(token.text)) measures.push(token.text);
      else if (!comparing.test(before)) constants.push(Number(token.text));
    } else if (place === null && !grouping.has(word)) {
      const isCall = next === '(' || grouping.has(next?.toLowerCase() ?? '');
      if (isCall || operators.has(word)) functions.push(word);
      else metrics.push(token.text);
    }
  }
  const isSelecting = metrics.length > 0 || tokens.some(({ text }) => text === '{');
  return { metrics, matched, isSelecting, functions, texts, measures, constants };
}

/** A non-empty answer to these proves that everything they select exists. */
const proving = new RegExp(
  '^(?:and|bool|offset|atan2|sum|avg|min|max|count|group|stddev|stdvar|topk|bottomk|quantile|' +
    'i?rate|increase|i?delta|deriv|changes|resets|predict_linear|histogram_quantile|' +
    '(?:avg|min|max|sum|count|quantile|stddev|last|present)_over_time|abs|ceil|floor|round|' +
    'sort|sort_desc|clamp|clamp_min|clamp_max|ln|log2|log10|sqrt|timestamp)$',
);

/** Whether a non-empty answer proves that everything the query selects exists. */
export function isProof({ functions }: QueryParts): boolean {
  return functions.every((name) => proving.test(name));
}
