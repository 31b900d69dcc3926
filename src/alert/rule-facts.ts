import { allParts, bare, parsePromql, selectorsIn, type Node } from '../lib/promql/promql-tree.ts';
import { longestRangeIn } from '../lib/promql/scalar.ts';
import { noLabels, type LabelSet } from './labels.ts';
import { expressionIn } from './rule-link.ts';

/** What the expression of an alert's rule says of the alert, as far as it can be read. */
export interface RuleFacts {
  /** The labels that it asks for by equality, unless parts of it ask for different values. */
  readonly selected: LabelSet;
  /** The labels that its result can have; null where they are those of its series, or unknown. */
  readonly kept: readonly string[] | null;
  /** The longest time that it looks back over, in ms; 0 if it looks at one moment, or unknown. */
  readonly windowMs: number;
}

const unknownRule: RuleFacts = Object.freeze({
  selected: noLabels, kept: null, windowMs: 0,
});

/** All alerts of a rule have the same link, and come together. */
const rulesRemembered = 256;
/** Longer links are not read: senders wait for it. */
const linkLengthMax = 4 * 1024;
const remembered = new Map<string, RuleFacts>();

/** Reads the expression in an alert's link; every alert of a rule gets the same object. */
export function ruleFactsOf(generatorURL: string): RuleFacts {
  const known = remembered.get(generatorURL);
  if (known !== undefined) return known;
  if (generatorURL.length > linkLengthMax) return unknownRule;
  const expression = expressionIn(generatorURL);
  const tree = expression === null ? null : parsePromql(expression);
  const facts = tree === null ? unknownRule : {
    selected: selectedIn(tree),
    kept: keptBy(tree),
    windowMs: (longestRangeIn(tree) || 0) * 1000,
  };
  if (remembered.size >= rulesRemembered) remembered.clear();
  remembered.set(generatorURL, facts);
  return facts;
}

const plainValue = /^[\w:\/ -]+$/u;

function selectedIn(tree: Node): LabelSet {
  const found = new Map<string, string | null>();
  for (const { matchers } of selectorsIn(tree)) {
    for (const { label, sign, value } of matchers) {
      if (sign !== '=' && sign !== '=~') continue;
      const isOne = plainValue.test(value) || (sign === '=' && !value.includes('\\'));
      const other = found.get(label);
      found.set(label, isOne && (other === undefined || other === value) ? value : null);
    }
  }
  return Object.fromEntries([...found].flatMap(([label, value]) =>
    value === null || value === '' ? [] : [[label, value]]));
}

const aggregations: ReadonlySet<string> = new Set([
  'sum', 'avg', 'min', 'max', 'count', 'group', 'stddev', 'stdvar', 'quantile',
]);
/** They give labels of their own. */
const relabelling: ReadonlySet<string> = new Set([
  'label_replace', 'label_join', 'count_values', 'label_set', 'absent', 'absent_over_time',
]);

function keptBy(tree: Node): readonly string[] | null {
  // Labels of another series are added by `group_left (…)`, which names them.
  const isJoined = allParts(tree).some((part) => (part.kind === 'binary' &&
    part.matching.some(({ text }) => /^group_(?:left|right)$/iu.test(text))) ||
    (part.kind === 'call' && relabelling.has(part.name)));
  return isJoined ? null : keptIn(tree);
}

function keptIn(whole: Node): readonly string[] | null {
  const node = bare(whole);
  switch (node.kind) {
    case 'signed': case 'timed': return keptIn(node.inner);
    case 'binary': {
      if (node.operator === 'or') return allOf([node.left, node.right].map(keptIn));
      return keptIn(bare(node.left).kind === 'number' ? node.right : node.left);
    }
    case 'call': {
      if (aggregations.has(node.name)) {
        const { isBy, names } = node.grouping ?? { isBy: true, names: [] };
        return isBy ? names : null;
      }
      const inner = node.arguments.find((each) => !['number', 'text'].includes(bare(each).kind));
      return inner === undefined ? null : keptIn(inner);
    }
    default: return null;
  }
}

function allOf(parts: readonly (readonly string[] | null)[]): readonly string[] | null {
  return parts.some((part) => part === null) ? null : parts.flatMap((part) => part ?? []);
}
