import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { isWord } from '../../lib/promql/promql-tokens.ts';
import {
  allParts, innerOf, parsePromql, selectorsIn, type Call, type Node, type Selector,
} from '../../lib/promql/promql-tree.ts';

/** A selector of the rule and what is done with its series over time. */
interface Read {
  readonly selector: Selector;
  readonly how: string;
}

interface Rule {
  readonly reads: readonly Read[];
  /** Names of its functions and aggregations. */
  readonly calls: ReadonlySet<string>;
  /** The alert's labels. */
  readonly labels: LabelSet;
}

/**
 * Whether a query can only say again what a rule says that fired for an alert with these labels: it
 * reads the same series in the same way, at the same time, and distinguishes nothing by further
 * labels. False if either cannot be parsed.
 */
export function repeatsRule(query: string, rule: string, labels: LabelSet): boolean {
  const [asked, fired] = [parsePromql(query), parsePromql(rule)];
  if (asked === null || fired === null) return false;
  const calls = allParts(fired).flatMap((part) => (part.kind === 'call' ? [part.name] : []));
  const read = { reads: readsOf(fired, 'level'), calls: new Set(calls), labels };
  return isAgain(asked, 'level', read) === true;
}

function readsOf(node: Node, how: string): readonly Read[] {
  if (node.kind === 'selector') return [{ selector: node, how }];
  const inner = node.kind === 'call' ? (waysOf.get(node.name) ?? how) : how;
  return innerOf(node).flatMap((part) => readsOf(part, inner));
}

/** Functions after which a series tells something else than its level. */
const waysOf: ReadonlyMap<string, string> = new Map([
  ...['rate', 'irate', 'increase'].map((name) => [name, 'rate'] as const),
  ...['delta', 'idelta', 'deriv', 'predict_linear', 'double_exponential_smoothing']
    .map((name) => [name, 'slope'] as const),
  ...['changes', 'resets', 'histogram_quantile', 'quantile_over_time', 'stddev_over_time',
    'count_over_time', 'absent', 'absent_over_time', 'present_over_time', 'timestamp']
    .map((name) => [name, name] as const),
]);

/** Aggregations whose value of several series does not follow from that of one of them. */
const mixing: ReadonlySet<string> = new Set([
  'avg', 'count', 'count_values', 'quantile', 'stddev', 'stdvar',
]);

/** Null for what reads nothing, such as a number. */
function isAgain(node: Node, how: string, rule: Rule): boolean | null {
  switch (node.kind) {
    case 'selector': return rule.reads.some((read) => read.how === how && isOf(node, read, rule));
    case 'timed': return isEarlier(node) ? false : isAgain(node.inner, how, rule);
    case 'call': return isCallAgain(node, how, rule);
    case 'binary': {
      const sides = [node.left, node.right].map((side) => isAgain(side, how, rule));
      // Each exporter has its own of several metrics that mean the same.
      if (node.operator === 'or') return sides.includes(true) || allOf(sides);
      const isSelf = (node.operator === '/' || node.operator === '-') && !sides.includes(null) &&
        namesRead(node.left) === namesRead(node.right);
      return isSelf ? false : allOf(sides);
    }
    default: return allOf(innerOf(node).map((part) => isAgain(part, how, rule)));
  }
}

function isCallAgain(call: Call, how: string, rule: Rule): boolean | null {
  const { name, arguments: given, grouping } = call;
  const inner = allOf(given.map((part) => isAgain(part, waysOf.get(name) ?? how, rule)));
  if (inner !== true) return inner;
  const groups = grouping?.isBy === true ? (grouping.names ?? []) : [];
  const isApart = groups.some((label) => label !== 'le' && labelOf(rule.labels, label) === null);
  return !isApart && (!mixing.has(name) || rule.calls.has(name));
}

function allOf(parts: readonly (boolean | null)[]): boolean | null {
  const known = parts.filter((part) => part !== null);
  return known.length === 0 ? null : known.every(Boolean);
}

function isEarlier(node: Node & { readonly kind: 'timed' }): boolean {
  return node.tokens().slice(node.inner.tokens().length).some((token) => isWord(token, 'offset'));
}

function namesRead(node: Node): string {
  return selectorsIn(node).map(({ tokens }) => tokens().map(({ written }) => written).join(''))
    .sort().join();
}

/** Both are of one metric, and ask for the same of what the alert's labels leave open. */
function isOf(asked: Selector, { selector }: Read, { labels }: Rule): boolean {
  if (selector.metric === null || !namesMetric(asked, selector.metric)) return false;
  const isOnAlert = (label: string): boolean => labelOf(labels, label) !== null;
  const wanted = beyondAlert(asked, ({ label, sign, value }) =>
    sign.startsWith('!') ? !isOnAlert(label) || value === '' : labelOf(labels, label) === value);
  // The alert's own series has what the rule asks for.
  return wanted === beyondAlert(selector, ({ label, sign }) =>
    sign.startsWith('!') || isOnAlert(label));
}

function namesMetric(selector: Selector, metric: string): boolean {
  if (selector.metric !== null) return selector.metric === metric;
  const tokens = selector.tokens();
  const at = tokens.findIndex(({ text }) => text === '__name__');
  const pattern = tokens[at + 1]?.text === '=~' ? tokens[at + 2]?.text : undefined;
  // The patterns are the service's own.
  return pattern !== undefined && new RegExp(`^(?:${pattern})$`, 'u').test(metric);
}

/** The matchers that say more than where the alert is. */
function beyondAlert(
  { matchers }: Selector,
  isPlace: (matcher: Selector['matchers'][number]) => boolean,
): string {
  return matchers.filter((matcher) => !isPlace(matcher))
    .map(({ label, sign, value }) => `${label}${sign}${value}`).sort().join();
}
