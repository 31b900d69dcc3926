import type { Token } from './promql-tokens.ts';

const suffixes: readonly (readonly [RegExp, string])[] = [
  [/_(?:seconds|duration_s)(?:_bucket|_sum)?$/u, 'seconds'],
  [/_(?:milliseconds|ms)(?:_bucket|_sum)?$/u, 'milliseconds'],
  [/_bytes(?:_bucket|_sum)?$/u, 'bytes'],
  [/_ratio$/u, 'ratio'],
  [/_percent(?:age)?$/u, 'percent'],
  [/_celsius$/u, 'celsius'],
  [/_bytes_total$/u, 'bytes'],
  [/_seconds_total$/u, 'seconds'],
  [/_(?:total|count|bucket)$/u, 'count'],
];

const perSecond = new Set(['rate', 'irate', 'deriv']);
/** Their value is a number of series or changes, whatever is in the parentheses. */
const counting = new Set(['count', 'count_values', 'changes', 'resets', 'count_over_time']);

/**
 * The unit of an expression's value by its metric's suffix and what is done with it, after the
 * naming practice of prometheus.io; null unless that is beyond doubt.
 */
export function expressionUnit(tokens: readonly Token[]): string | null {
  if (isTimesHundred(tokens)) return 'percent';
  const division = topLevelSign(tokens, '/');
  if (division >= 0) return quotientUnit(tokens.slice(0, division), tokens.slice(division + 1));
  const words = tokens.filter(({ kind }) => kind === 'word').map(({ text }) => text);
  if (words.some((word) => counting.has(word))) return 'count';
  const units = new Set(words.map(suffixUnit).filter((unit) => unit !== null));
  const [unit] = units;
  if (unit === undefined || units.size > 1) return null;
  const isRate = words.some((word) => perSecond.has(word));
  if (!isRate || words.includes('histogram_quantile')) {
    return words.includes('histogram_quantile') && unit === 'count' ? null : unit;
  }
  if (unit === 'count') return 'per_second';
  return unit === 'bytes' ? 'bytes_per_second' : null;
}

/** Equal units make a ratio; a `_sum` over a `_count` is a mean in the sum's unit. */
function quotientUnit(left: readonly Token[], right: readonly Token[]): string | null {
  const [above, below] = [metricUnit(left), metricUnit(right)];
  if (above === null || below === null) return null;
  if (above === below) return 'ratio';
  const isMean = left.some(({ text }) => text.endsWith('_sum')) &&
    right.some(({ text }) => text.endsWith('_count'));
  return isMean ? above : null;
}

function metricUnit(tokens: readonly Token[]): string | null {
  const units = new Set(tokens.map(({ text }) => suffixUnit(text)).filter((unit) => unit !== null));
  const [unit] = units;
  return unit === undefined || units.size > 1 ? null : unit;
}

function suffixUnit(name: string): string | null {
  return suffixes.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

/** `100 * x`, `x * 100` and `100 - x * 100` are percentages. */
function isTimesHundred(tokens: readonly Token[]): boolean {
  return tokens.some(({ text }, at) => {
    if (text !== '*') return false;
    return tokens[at - 1]?.text === '100' || tokens[at + 1]?.text === '100';
  });
}

function topLevelSign(tokens: readonly Token[], sign: string): number {
  let depth = 0;
  return tokens.findIndex(({ kind, text }) => {
    if (kind !== 'sign') return false;
    if ('([{'.includes(text)) depth += 1;
    if (')]}'.includes(text)) depth -= 1;
    return depth === 0 && text === sign;
  });
}
