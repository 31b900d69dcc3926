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
 * promql/parser/lex.go). Null when it meets something it does not know, or far too
 * many: then nobody should pretend to have read the expression.
 */
export function promqlTokens(expression: string): Token[] | null {
  const tokens: Token[] = [];
  const pattern = new RegExp(tokenPattern);
  let isInRange = false;
  while (pattern.lastIndex < expression.length) {
    const match = pattern.exec(expression);
    if (match === null || tokens.length > tokensMax) return null;
    const token = tokenOf(match, isInRange);
    if (token === null) continue;
    tokens.push(token);
    if (token.written === '[' || token.written === ']') isInRange = token.written === '[';
    pattern.lastIndex = match.index + token.written.length;
  }
  return tokens;
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
