import { bare, parsePromql, selectorsIn, type Call, type Node } from './promql-tree.ts';

/**
 * The names of the labels that the results of an expression can have; null where any label of its
 * series may be left, and where the expression cannot be read.
 */
export function resultLabels(expression: string): ReadonlySet<string> | null {
  const tree = parsePromql(expression);
  return tree === null ? null : labelsOfNode(tree);
}

function labelsOfNode(whole: Node): ReadonlySet<string> | null {
  const node = bare(whole);
  switch (node.kind) {
    case 'number': case 'text': return none;
    case 'selector': return null;
    case 'signed': case 'timed': return labelsOfNode(node.inner);
    case 'call': return labelsOfCall(node);
    case 'binary': return labelsOfPair(node);
    case 'parentheses': return null;
  }
}

const none: ReadonlySet<string> = new Set();
/** What chooses among series and leaves their labels as they are. */
const choosing: ReadonlySet<string> = new Set([
  'topk', 'bottomk', 'limitk', 'limit_ratio', 'sort_by_label', 'sort_by_label_desc',
]);
const aggregations: ReadonlySet<string> = new Set([
  'sum', 'min', 'max', 'avg', 'group', 'count', 'stddev', 'stdvar', 'quantile', 'count_values',
]);
const scalars: ReadonlySet<string> = new Set(['time', 'scalar', 'vector', 'pi']);

function labelsOfCall(call: Call): ReadonlySet<string> | null {
  const { name, grouping, arguments: given } = call;
  if (scalars.has(name)) return none;
  if (name.startsWith('absent')) return new Set(equalityOf(call).keys());
  if (aggregations.has(name)) {
    if (grouping?.isBy === false || grouping?.names === null) return null;
    const written = name === 'count_values' ? textsOf(given.slice(0, 1)) : [];
    return new Set([...grouping?.names ?? [], ...written]);
  }
  if (name === 'label_replace' || name === 'label_join') {
    const inner = given[0] === undefined ? null : labelsOfNode(given[0]);
    return inner && new Set([...inner, ...textsOf(given.slice(1, 2))]);
  }
  const series = choosing.has(name) ? given.at(-1)
    : given.find((each) => bare(each).kind !== 'number');
  return series === undefined ? null : labelsOfNode(series);
}

function textsOf(nodes: readonly Node[]): string[] {
  return nodes.flatMap((node) =>
    node.kind === 'text' ? node.tokens().map(({ text }) => text) : []);
}

/** The labels of `a op b`; where one side is a number, those of the other. */
function labelsOfPair(node: Extract<Node, { kind: 'binary' }>): ReadonlySet<string> | null {
  const [left, right] = [labelsOfNode(node.left), labelsOfNode(node.right)];
  const { operator, matching } = node;
  if (operator === 'or') return left && right && new Set([...left, ...right]);
  if (operator === 'and' || operator === 'unless') return left;
  const words = matching.map(({ text }) => text.toLowerCase());
  const at = words.findIndex((word) => word.startsWith('group_'));
  if (at >= 0) {
    const many = words[at] === 'group_left' ? left : right;
    return many && new Set([...many, ...wordsOf(matching.slice(at + 1).map(({ text }) => text))]);
  }
  if (words[0] === 'on') return new Set(wordsOf(matching.slice(1).map(({ text }) => text)));
  // If both sides have labels, those that both have are left.
  if (left?.size === 0 && isNumber(node.left)) return right;
  if (right?.size === 0 && isNumber(node.right)) return left;
  return left ?? right;
}

function wordsOf(texts: readonly string[]): string[] {
  return texts.filter((text) => /^\w+$/u.test(text));
}

function isNumber(node: Node): boolean {
  const inner = bare(node);
  if (inner.kind === 'number') return true;
  if (inner.kind === 'call') return scalars.has(inner.name) && inner.name !== 'vector';
  if (inner.kind === 'binary') return isNumber(inner.left) && isNumber(inner.right);
  return inner.kind === 'signed' && isNumber(inner.inner);
}

/** The labels for which every selector of an expression asks for the same one value. */
export function selectedLabels(expression: string): ReadonlyMap<string, string> {
  const tree = parsePromql(expression);
  return tree === null ? new Map() : equalityOf(tree);
}

function equalityOf(tree: Node): ReadonlyMap<string, string> {
  const [first, ...others] = selectorsIn(tree).map(({ matchers }) => new Map(matchers
    .filter(({ sign, value }) => sign === '=' && value !== '' && !value.includes('\\'))
    .map(({ label, value }) => [label, value])));
  return new Map([...first ?? []].filter(([label, value]) =>
    others.every((each) => each.get(label) === value)));
}
