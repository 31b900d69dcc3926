import type { LabelSet } from '../../alert/labels.ts';
import { shareOf } from '../../evidence/rule/share.ts';
import {
  bare, numberOf, parsePromql, selectorsIn, type Call, type Node, type Selector,
} from '../../lib/promql/promql-tree.ts';
import { longestRangeIn, scalarOf } from '../../lib/promql/scalar.ts';
import { formatDuration } from '../../lib/quantity.ts';
import { objectLabels } from '../../report/alert-place.ts';
import { shownText } from '../../report/shown-text.ts';
import { classifyMetric } from '../../statistics/names/metric-class.ts';
import { metricName, distinctiveText } from '../changes/metric-phrase.ts';

/** What a rule compares, as a noun, and how a number of it is worded. */
export interface ComparedNoun {
  /** `p99 of HTTP request duration (route /search)`, `restarts in 10 min` */
  readonly text: string;
  /** `37 connections`; `19 % of requests`; `memory used is 3 GiB`, or 90 % of what is given. */
  readonly form: 'count' | 'share' | 'measure' | 'limit' | 'multiple';
  /** What a measure is a share of, or when it was what it is a multiple of; null if it is none. */
  readonly of: string | null;
}

const partsMax = 2;

/**
 * `labels` are those of the alert's own series, and `placed` is what is shown beside the noun. Null
 * for an expression that no short noun tells.
 */
export function comparedNoun(
  compared: string,
  labels: LabelSet,
  placed: string,
): ComparedNoun | null {
  const tree = parsePromql(compared);
  const noun = tree === null ? null : nounOf(tree);
  if (noun === null) return null;
  const parts = Object.entries(labels)
    .filter(([name, value]) => value !== '' && !beside.has(name) && !placed.includes(value) &&
      !noun.text.includes(value))
    .slice(0, partsMax)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${shownText(value, 40)}`);
  return parts.length === 0 ? noun : { ...noun, text: `${noun.text} (${parts.join(', ')})` };
}

/** Labels that tell where something is, which is shown beside it. */
const beside: ReadonlySet<string> = new Set([
  ...objectLabels, '__name__', 'le', 'quantile', 'namespace', 'container', 'endpoint', 'uid', 'app',
  'environment', 'env', 'datacenter', 'region', 'zone',
]);

/** Operators that only keep some of what is left of them. */
const comparing: ReadonlySet<string> = new Set(['==', '!=', '>', '>=', '<', '<=']);

function nounOf(whole: Node): ComparedNoun | null {
  const node = bare(whole);
  switch (node.kind) {
    case 'selector': return selectorNoun(node);
    case 'timed': return nounOf(node.inner);
    case 'call': return callNoun(node);
    case 'binary': {
      const { operator, left, right } = node;
      if (operator === 'and' || operator === 'unless') return nounOf(left);
      if (comparing.has(operator)) return nounOf(left);
      if (operator === '-' && isNow(left)) return measure('age of ', nounOf(right));
      const all = operator === '-' ? scalarOf(left) : null;
      if (all === 1 || all === 100) return restNoun(right);
      const [ofLeft, ofRight] = [scalarOf(left), scalarOf(right)];
      if (operator === '*' && ofLeft !== null) return nounOf(right);
      if ((operator === '*' || operator === '/') && ofRight !== null) return nounOf(left);
      return operator === '/' ? quotientNoun(left, right) : null;
    }
    default: return null;
  }
}

function measure(
  before: string,
  noun: ComparedNoun | null,
  after = '',
  form: ComparedNoun['form'] = 'measure',
): ComparedNoun | null {
  return noun === null ? null : { text: `${before}${noun.text}${after}`, form, of: null };
}

function isNow(side: Node): boolean {
  const node = bare(side);
  return node.kind === 'call' && node.name === 'time';
}

/** A share is named by what is counted, a mean by what is measured. */
function quotientNoun(left: Node, right: Node): ComparedNoun | null {
  const [part = '', whole = ''] = [left, right].map((side) => selectorsIn(side)[0]?.metric ?? '');
  const base = part.replace(/_sum$/u, '');
  if (base !== part && whole === `${base}_count`) return measure('mean ', metricNoun(base));
  const [noun, of] = [nounOf(left), nounOf(right)];
  if (noun === null || of === null) return null;
  const ago = offsetIn(right);
  if (part === whole && ago !== null && offsetIn(left) === null) {
    return { text: noun.text, form: 'multiple', of: ago };
  }
  // The same counter with and without a condition.
  const chosen = part === whole ? moreMatched(left, right) : '';
  if (chosen !== '') {
    const isTold = noun.text.endsWith(')');
    return { text: isTold ? noun.text : `${noun.text} (${chosen})`, form: 'share', of: null };
  }
  if (/(?:^|_)(?:max|limit|maximum|capacity)(?:_|$)/u.test(whole) && part !== whole) {
    return { text: noun.text, form: 'limit', of: of.text };
  }
  const [a, b] = [left, right].map((side) => side.tokens().map((each) => each.written).join(' '));
  if (shareOf(`(${a}) / (${b})`) !== null) return { ...noun, form: 'share' };
  return { text: noun.text, form: 'measure', of: of.text };
}

/** What is left of a share: `requests (code not 200)` where that of `code 200` is taken away. */
function restNoun(part: Node): ComparedNoun | null {
  const [some, ...others] = selectorsIn(part);
  const noun = some?.metric == null ? null : metricNoun(some.metric);
  if (some === undefined || noun === null || others.some(({ metric }) => metric !== some.metric)) {
    return null;
  }
  const asked = some.matchers.filter(({ label, sign }) => !sign.startsWith('!') &&
    others.every(({ matchers }) => matchers.every((each) => each.label !== label)));
  const [only, ...more] = asked;
  return only === undefined || more.length > 0 ? null : {
    text: `${noun.text} (${only.label.replaceAll('_', ' ')} not ${shownText(only.value, 40)})`,
    form: 'share', of: null,
  };
}

/** `result approved`, which only the first of two selectors asks for; empty for nothing. */
function moreMatched(left: Node, right: Node): string {
  const [some, all] = [left, right].map((side) => selectorsIn(side)[0]?.matchers ?? []);
  return (some ?? []).filter(({ label }) => all?.every((each) => each.label !== label))
    .slice(0, partsMax).map(({ label, sign, value }) =>
      `${label.replaceAll('_', ' ')} ${sign.startsWith('!') ? 'not ' : ''}${shownText(value, 40)}`)
    .join(', ');
}

/** `10 min`, for what is read as it was then; null for what is read as it is. */
function offsetIn(side: Node): string | null {
  const tokens = side.tokens().map(({ written }) => written);
  const at = tokens.findIndex((each) => each.toLowerCase() === 'offset');
  const length = at < 0 ? undefined : tokens[at + 1];
  return length === undefined || length === '-' ? null : formatDuration(numberOf(length));
}

const levels: ReadonlySet<string> = new Set([
  'sum', 'max', 'min', 'avg', 'rate', 'irate', 'abs', 'ceil', 'floor', 'round', 'clamp_min',
  'clamp_max', 'last_over_time', 'avg_over_time', 'max_over_time', 'min_over_time',
]);

function callNoun(call: Call): ComparedNoun | null {
  const { name, arguments: given } = call;
  const [first, second] = given;
  if (first === undefined) return null;
  const within = ` in ${formatDuration(longestRangeIn(call))}`;
  if (name === 'histogram_quantile' && second !== undefined) {
    const share = scalarOf(first);
    return share === null ? null
      : measure(`p${Number((share * 100).toPrecision(4))} of `, nounOf(second));
  }
  if (name === 'predict_linear') return nounOf(first);
  if (name === 'increase') return measure('', nounOf(first), within, 'count');
  if (name === 'delta') return measure('change of ', nounOf(first), within);
  if (name === 'changes' || name === 'resets') {
    const metric = selectorsIn(first)[0]?.metric ?? '';
    const isStart = name === 'resets' || /start_time/u.test(metric);
    return isStart ? { text: `restarts${within}`, form: 'count', of: null }
      : measure('changes of ', nounOf(first), within, 'count');
  }
  return levels.has(name) ? nounOf(first) : null;
}

function selectorNoun({ metric, matchers }: Selector): ComparedNoun | null {
  const noun = metric === null ? null : metricNoun(metric);
  const selected = matchers.filter(({ sign }) => !sign.startsWith('!'))
    .map(({ label, value }) => [label, value] as const);
  const distinctive = distinctiveText(Object.fromEntries(selected));
  return noun === null || distinctive === '' ? noun
    : { ...noun, text: `${noun.text} (${distinctive})` };
}

/** A recording rule's name is whatever its author wrote. */
function metricNoun(metric: string): ComparedNoun | null {
  if (metric.includes(':')) return null;
  const plain = metric.replace(/_bucket$/u, '');
  const { kind } = classifyMetric(plain);
  if (kind === 'state' || kind === 'info' || kind === 'timestamp') return null;
  const said = metricName({ metric: plain, component: '', kind });
  // A share is of what is counted, and not of its rate.
  const text = kind === 'histogram_count' ? said?.replace(/ rate$/u, ' calls') ?? null : said;
  // A name of single letters says nothing.
  if (text === null || !/[a-z]{3}/iu.test(text.replace(/ time$/u, ''))) return null;
  const isCount = kind === 'gauge' && /[^s]s$/u.test(text) && !/(?:bytes|seconds)$/u.test(plain);
  return { text, form: isCount ? 'count' : 'measure', of: null };
}
