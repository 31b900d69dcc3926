/** One token of a PromQL expression. */
export interface Token {
  readonly kind: 'number' | 'word' | 'text' | 'sign';
  /** Of a string what stands between its quotes, escapes and all. */
  readonly text: string;
  /** As the expression has it, quotes included. */
  readonly written: string;
}

const tokensMax = 4000;

/**
 * Splits a PromQL expression into tokens, comments and space left out (prometheus/prometheus:
 * promql/parser/lex.go). Null when it meets something it does not know, brackets that do not match,
 * or far too many: then nobody should pretend to have read the expression.
 */
export function promqlTokens(expression: string): Token[] | null {
  const tokens: Token[] = [];
  const pattern = new RegExp(tokenPattern);
  const open: string[] = [];
  while (pattern.lastIndex < expression.length) {
    const match = pattern.exec(expression);
    if (match === null || tokens.length > tokensMax) return null;
    const token = tokenOf(match, open.at(-1) === '[');
    if (token === null) continue;
    const before = tokens.at(-1);
    tokens.push(token);
    if (!isInPlace(token, before, open)) return null;
    pattern.lastIndex = match.index + token.written.length;
  }
  return open.length === 0 ? tokens : null;
}

const closing: ReadonlyMap<string, string> = new Map([['(', ')'], ['[', ']'], ['{', '}']]);
const matching: ReadonlySet<string> = new Set(['=', '!=', '=~', '!~']);

/** Keeps track of the brackets that are open; false where one is missing, or a sign is astray. */
function isInPlace({ kind, text }: Token, before: Token | undefined, open: string[]): boolean {
  if (kind !== 'sign') return true;
  if (')]}'.includes(text)) return closing.get(open.pop() ?? '') === text;
  const isMatcher = open.at(-1) === '{';
  if (closing.has(text)) open.push(text);
  if (isMatcher) return text === ',' || (matching.has(text) && before?.kind !== 'sign');
  return text === '!=' || !matching.has(text);
}

/** Null for space and comments. A colon begins a name anywhere but in a range: `[1h:5m]`. */
function tokenOf({ groups }: RegExpExecArray, isInRange: boolean): Token | null {
  const { number, word, text, sign } = groups ?? {};
  if (number !== undefined) return { kind: 'number', text: number, written: number };
  if (text !== undefined) return { kind: 'text', text: text.slice(1, -1), written: text };
  if (sign !== undefined) return { kind: 'sign', text: sign, written: sign };
  if (word === undefined) return null;
  if (isInRange && word.startsWith(':')) return { kind: 'sign', text: ':', written: ':' };
  return { kind: 'word', text: word, written: word };
}

const number = String.raw`0x[\da-f]+|(?:\d+(?:ms|[smhdwy]))+|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?`;
const quoted = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\x60[^\x60]*\x60`;
const signs = String.raw`==|!=|=~|!~|>=|<=|[-+*\/%^><=(){}\[\],:@]`;
const tokenPattern = new RegExp(
  String.raw`\s+|#[^\n]*|(?<number>(?:${number})(?![\w.]))|(?<word>[a-z_:][\w:.]*)|` +
    `(?<text>${quoted})|(?<sign>${signs})`,
  'giuy',
);
