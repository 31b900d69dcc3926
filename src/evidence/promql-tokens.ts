/** One token of a PromQL expression; the text of strings is without its quotes. */
export interface Token {
  readonly kind: 'number' | 'word' | 'text' | 'sign';
  readonly text: string;
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
  while (pattern.lastIndex < expression.length) {
    const match = pattern.exec(expression);
    if (match === null || tokens.length > tokensMax) return null;
    const { number, word, text, sign } = match.groups ?? {};
    if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else if (text !== undefined) tokens.push({ kind: 'text', text: text.slice(1, -1) });
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign });
  }
  return tokens;
}

const number = String.raw`0x[\da-f]+|(?:\d+(?:ms|[smhdwy]))+|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?`;
const quoted = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\x60[^\x60]*\x60`;
const signs = String.raw`==|!=|=~|!~|>=|<=|[-+*\/%^><=(){}\[\],:@]`;
const tokenPattern = new RegExp(
  String.raw`\s+|#[^\n]*|(?<number>(?:${number})(?![\w.]))|(?<word>[a-z_:][\w:.]*)|` +
    `(?<text>${quoted})|(?<sign>${signs})`,
  'giuy',
);
