import type { Token } from './promql-tokens.ts';

/**
 * A part of a PromQL expression, and the tokens that it consists of. These are copied only when
 * asked for: a long chain of operators has as many parts.
 */
export type Node = { readonly tokens: () => readonly Token[] } & (
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text' }
  /** The metric is null if it has no name, or one within braces. */
  | { readonly kind: 'selector'; readonly metric: string | null }
  | Call
  | Binary
  | { readonly kind: 'parentheses'; readonly inner: Node }
  | { readonly kind: 'signed'; readonly isNegative: boolean; readonly inner: Node }
  /** With a range, `offset` or `@`. */
  | { readonly kind: 'timed'; readonly inner: Node }
);

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
  at: number;
  depth: number;
}

/** Parses an expression; null if it has an unknown form or is nested too deeply. */
export function promqlTree(tokens: readonly Token[]): Node | null {
  const reader = { tokens, at: 0, depth: 0 };
  const node = binary(reader, 1);
  return reader.at === tokens.length ? node : null;
}

const comparing = ['==', '!=', '>', '>=', '<', '<='];
const precedences: ReadonlyMap<string, number> = new Map([
  ['or'], ['and', 'unless'], comparing, ['+', '-'], ['*', '/', '%', 'atan2'], ['^'],
].flatMap((operators, index) => operators.map((operator) => [operator, index + 1])));
const powerPrecedence = 6;

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

const joining: ReadonlySet<string> = new Set(['on', 'ignoring', 'group_left', 'group_right']);

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
  reader.depth -= 1;
  const end = reader.at;
  skipTimes(reader);
  if (node === null || reader.at === end) return node;
  return { kind: 'timed', inner: node, tokens: since(reader, from) };
}

function atom(reader: Reader): Node | null {
  const from = reader.at;
  const token = reader.tokens[from];
  if (token === undefined) return null;
  const { kind, text } = token;
  if (kind === 'sign' && text === '{') {
    skipBrackets(reader, '{');
    return { kind: 'selector', metric: null, tokens: since(reader, from) };
  }
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
  const leading = grouping(reader);
  if (!takes(reader, '(')) {
    skipBrackets(reader, '{');
    return { kind: 'selector', metric: word, tokens: since(reader, from) };
  }
  const head = reader.at - from;
  const given: Node[] = [];
  while (!takes(reader, ')')) {
    const argument = binary(reader, 1);
    if (argument === null) return null;
    given.push(argument);
    if (!takes(reader, ',') && wordAt(reader) !== ')') return null;
  }
  return {
    kind: 'call', name: word.toLowerCase(), arguments: given, head,
    grouping: leading ?? grouping(reader), tokens: since(reader, from),
  };
}

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

/** Skips `[5m]`, `offset 1d` and `@ end()`. */
function skipTimes(reader: Reader): void {
  for (;;) {
    const word = wordAt(reader);
    if (word === '[') skipBrackets(reader, '[');
    else if (word === 'offset' || word === '@') {
      reader.at += 1;
      takes(reader, '-');
      reader.at += 1;
      skipBrackets(reader, '(');
    } else return;
  }
}

/** Skips a pair of brackets with its contents, if it opens here; brackets are balanced. */
function skipBrackets(reader: Reader, open: string): void {
  if (wordAt(reader) !== open) return;
  let depth = 0;
  do {
    const word = wordAt(reader);
    if (word !== '' && '([{'.includes(word)) depth += 1;
    if (word !== '' && ')]}'.includes(word)) depth -= 1;
    reader.at += 1;
  } while (depth > 0);
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

const unitSeconds: Readonly<Record<string, number>> = {
  ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000,
};

/** A number, or a duration in seconds. */
export function numberOf(text: string): number {
  const direct = Number(text);
  if (!Number.isNaN(direct)) return direct;
  const parts = [...text.matchAll(/(\d+)(ms|[smhdwy])/giu)];
  return parts.reduce((total, [, count, unit]) => {
    return total + Number(count) * (unitSeconds[unit?.toLowerCase() ?? ''] ?? Number.NaN);
  }, 0);
}
