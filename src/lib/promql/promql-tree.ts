import { secondsIn } from '../time-units.ts';
import { isSign, promqlTokens, type Token } from './promql-tokens.ts';

/**
 * A part of a PromQL expression, and the tokens that it consists of. These are copied only when
 * asked for: a long chain of operators has as many parts.
 */
export type Node = { readonly tokens: () => readonly Token[] } & (
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text' }
  | Selector
  | Call
  | Binary
  | { readonly kind: 'parentheses'; readonly inner: Node }
  | { readonly kind: 'signed'; readonly isNegative: boolean; readonly inner: Node }
  /** With a range, `offset` or `@`; the range is null if there is none. */
  | { readonly kind: 'timed'; readonly range: Node | null; readonly inner: Node }
);

export interface Selector {
  readonly kind: 'selector';
  readonly tokens: () => readonly Token[];
  /** Null if it gives no name, or several by a pattern. */
  readonly metric: string | null;
  readonly matchers: readonly LabelMatcher[];
}

/** `job="api"`; the value has its escapes. */
interface LabelMatcher {
  readonly label: string;
  readonly sign: string;
  readonly value: string;
}

export interface Call {
  readonly kind: 'call';
  readonly tokens: () => readonly Token[];
  /** In lower case. */
  readonly name: string;
  readonly arguments: readonly Node[];
  /** How many of its tokens come before the first argument. */
  readonly head: number;
  readonly grouping: Grouping | null;
}

interface Grouping {
  readonly isBy: boolean;
  /** Null if one of them is a quoted string. */
  readonly names: readonly string[] | null;
}

export interface Binary {
  readonly kind: 'binary';
  readonly tokens: () => readonly Token[];
  /** In lower case. */
  readonly operator: string;
  readonly left: Node;
  readonly right: Node;
  readonly isBool: boolean;
  /** `on (…) group_left (…)` and the like. */
  readonly matching: readonly Token[];
}

/** Without the parentheses around it. */
export function bare(node: Node): Node {
  return node.kind === 'parentheses' ? bare(node.inner) : node;
}

const depthMax = 50;

interface Reader {
  readonly tokens: readonly Token[];
  /** The index of the bracket that closes the one at an index. */
  readonly closings: ReadonlyMap<number, number>;
  at: number;
  depth: number;
}

/** Parses an expression; null if it has an unknown form or is nested too deeply. */
export function parsePromql(expression: string): Node | null {
  const tokens = promqlTokens(expression) ?? [];
  const reader = { tokens, closings: closingsOf(tokens), at: 0, depth: 0 };
  const node = binary(reader, 1);
  return reader.at === reader.tokens.length ? node : null;
}

/** Brackets are balanced. */
function closingsOf(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const closings = new Map<number, number>();
  const open: number[] = [];
  for (const [at, token] of tokens.entries()) {
    if (isSign(token, '([{')) open.push(at);
    if (isSign(token, ')]}')) closings.set(open.pop() ?? at, at);
  }
  return closings;
}

/** The node and every part of it, in the order in which they are written. */
export function allParts(whole: Node): readonly Node[] {
  const found: Node[] = [];
  const ahead = [whole];
  for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
    found.push(node);
    ahead.push(...innerOf(node).toReversed());
  }
  return found;
}

/** The parts that it is made of, in the order in which they are written. */
export function innerOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'call': return node.arguments;
    case 'binary': return [node.left, node.right];
    case 'parentheses': case 'signed': case 'timed': return [node.inner];
    default: return [];
  }
}

/** The selectors among the parts. */
export function selectorsIn(whole: Node): readonly Selector[] {
  return allParts(whole).filter((part) => part.kind === 'selector');
}

const comparing = ['==', '!=', '>', '>=', '<', '<='];
/** The first two lines are of MetricsQL, whose other operators are those of PromQL. */
const precedences: ReadonlyMap<string, number> = new Map([
  ['default'],
  ['if', 'ifnot'],
  ['or'], ['and', 'unless'], comparing, ['+', '-'], ['*', '/', '%', 'atan2'], ['^'],
].flatMap((operators, index) => operators.map((operator) => [operator, index + 1])));
const powerPrecedence = 8;

/** Parses binary operators of at least this precedence. */
function binary(reader: Reader, least: number): Node | null {
  const from = reader.at;
  let left = operand(reader);
  while (left !== null) {
    const operator = wordAt(reader);
    const precedence = precedences.get(operator) ?? 0;
    if (precedence < least) return left;
    reader.at += 1;
    const matched = matching(reader);
    const right = binary(reader, operator === '^' ? precedence : precedence + 1);
    if (right === null) return null;
    left = { kind: 'binary', operator, left, right, ...matched, tokens: since(reader, from) };
  }
  return null;
}

const joining: ReadonlySet<string> = new Set([
  'on', 'ignoring', 'group_left', 'group_right', 'fill', 'fill_left', 'fill_right',
]);

function matching(reader: Reader): Pick<Binary, 'isBool' | 'matching'> {
  const isBool = wordAt(reader) === 'bool';
  if (isBool) reader.at += 1;
  const from = reader.at;
  while (joining.has(wordAt(reader))) {
    reader.at += 1;
    skipBrackets(reader, '(');
  }
  return { isBool, matching: since(reader, from)() };
}

/** Parses a signed number, a selector, a call or parentheses, with its range and offset. */
function operand(reader: Reader): Node | null {
  const from = reader.at;
  reader.depth += 1;
  const node = reader.depth > depthMax ? null : atom(reader);
  const end = reader.at;
  const range = node === null ? null : times(reader);
  reader.depth -= 1;
  if (node === null || reader.at === end) return node;
  return { kind: 'timed', range, inner: node, tokens: since(reader, from) };
}

function atom(reader: Reader): Node | null {
  const from = reader.at;
  const token = reader.tokens[from];
  if (token === undefined) return null;
  const { kind, text } = token;
  if (kind === 'sign' && text === '{') return selector(reader, null);
  reader.at += 1;
  if (kind === 'number') return { kind, value: numberOf(text), tokens: () => [token] };
  if (kind === 'text') return { kind, tokens: () => [token] };
  if (kind === 'word') return named(reader, text);
  if (text === '-' || text === '+') {
    const isNegative = text === '-';
    const inner = binary(reader, powerPrecedence);
    return inner && { kind: 'signed', isNegative, inner, tokens: since(reader, from) };
  }
  const inner = text === '(' ? binary(reader, 1) : null;
  if (inner === null || !takes(reader, ')')) return null;
  return { kind: 'parentheses', inner, tokens: since(reader, from) };
}

/** `rate(x[5m])`, `sum by (a) (x)`, `sum(x) by (a)`, `up{job="api"}` */
function named(reader: Reader, word: string): Node | null {
  const from = reader.at - 1;
  const special = specialNumbers.get(word.toLowerCase());
  if (special !== undefined) return { kind: 'number', value: special, tokens: since(reader, from) };
  const leading = grouping(reader);
  if (!takes(reader, '(')) return leading === null ? selector(reader, word) : null;
  const head = reader.at - from;
  const given: Node[] = [];
  while (!takes(reader, ')')) {
    const argument = binary(reader, 1);
    if (argument === null) return null;
    given.push(argument);
    if (!takes(reader, ',') && wordAt(reader) !== ')') return null;
  }
  const grouped = leading ?? grouping(reader);
  takes(reader, 'keep_metric_names'); // MetricsQL
  return {
    kind: 'call', name: word.toLowerCase(), arguments: given, head, grouping: grouped,
    tokens: since(reader, from),
  };
}

const specialNumbers: ReadonlyMap<string, number> = new Map([
  ['inf', Infinity], ['nan', Number.NaN],
]);

/**
 * A selector, whose name may have been read before: `up{job="api"}`. `{"http.requests", job="x"}`
 * and `{__name__="up"}` name their metric inside the braces.
 */
function selector(reader: Reader, word: string | null): Selector {
  const from = reader.at - (word === null ? 0 : 1);
  const open = reader.at;
  skipBrackets(reader, '{');
  const inside = since(reader, open)().slice(1, -1);
  const all = inside.flatMap(({ kind, text: sign }, at): LabelMatcher[] => {
    const [label, value] = [inside[at - 1], inside[at + 1]];
    const isMatcher = kind === 'sign' && label !== undefined && value?.kind === 'text';
    return isMatcher && sign !== ',' ? [{ label: label.text, sign, value: value.text }] : [];
  });
  const byLabel = all.find(({ label, sign }) => label === '__name__' && sign === '=')?.value;
  const quoted = inside.find(({ kind }, at) => kind === 'text' &&
    [inside[at - 1], inside[at + 1]].every((beside = comma) => isSign(beside, ',')));
  return {
    kind: 'selector', metric: word ?? byLabel ?? quoted?.text ?? null,
    matchers: all.filter(({ label }) => label !== '__name__'), tokens: since(reader, from),
  };
}

const comma: Token = { kind: 'sign', text: ',', written: ',' };

function grouping(reader: Reader): Grouping | null {
  const word = wordAt(reader);
  if (word !== 'by' && word !== 'without') return null;
  reader.at += 1;
  const from = reader.at;
  skipBrackets(reader, '(');
  const listed = since(reader, from)().slice(1, -1).filter(({ kind }) => kind !== 'sign');
  const isPlain = listed.every(({ kind }) => kind === 'word');
  return { isBy: word === 'by', names: isPlain ? listed.map(({ text }) => text) : null };
}

/** Skips `[5m] smoothed`, `[1h:30s]`, `offset 1d` and `@ end()`; returns the range. */
function times(reader: Reader): Node | null {
  let range: Node | null = null;
  for (;;) {
    const word = wordAt(reader);
    if (word === '[') {
      range = binary({ ...reader, at: reader.at + 1 }, 1) ?? { kind: 'text', tokens: () => [] };
      skipBrackets(reader, '[');
    } else if (word === 'anchored' || word === 'smoothed') {
      reader.at += 1;
    } else if (word === 'offset' || word === '@') {
      reader.at += 1;
      takes(reader, '-');
      if (wordAt(reader) !== '(') reader.at += 1;
      skipBrackets(reader, '(');
    } else {
      return range;
    }
  }
}

/** Skips a pair of brackets with its contents, if it opens here. */
function skipBrackets(reader: Reader, open: string): void {
  if (wordAt(reader) === open) reader.at = (reader.closings.get(reader.at) ?? reader.at) + 1;
}

function takes(reader: Reader, sign: string): boolean {
  const isHere = wordAt(reader) === sign;
  if (isHere) reader.at += 1;
  return isHere;
}

function since({ tokens, at }: Reader, from: number): () => readonly Token[] {
  return () => tokens.slice(from, at);
}

/** The sign or keyword here, in lower case; empty for a string and at the end. */
function wordAt({ tokens, at }: Reader): string {
  const token = tokens[at];
  return token === undefined || token.kind === 'text' ? '' : token.text.toLowerCase();
}

/** A number, of MetricsQL also one as `5Mi`, or a duration in seconds. */
export function numberOf(text: string): number {
  const plain = text.replaceAll('_', '');
  const direct = Number(plain);
  if (!Number.isNaN(direct)) return direct;
  const [, times, power] = /^([\d.]+)([KMGT])i/iu.exec(plain) ?? [];
  if (power !== undefined) {
    return Number(times) * 1024 ** ('KMGT'.indexOf(power.toUpperCase()) + 1);
  }
  const parts = [...plain.matchAll(/(?<!\d)(\d+)(ms|[smhdwy])/giu)];
  return parts.reduce((total, [, count, unit = '']) => {
    return total + Number(count) * (secondsIn(unit.toLowerCase()) ?? Number.NaN);
  }, 0);
}
