export interface Token {
  readonly kind: 'number' | 'word' | 'text' | 'sign';
  /** For a string, what is between its quotes, with escapes. */
  readonly text: string;
  /** As written, including quotes. */
  readonly written: string;
}

const tokensMax = 4000;

/**
 * Splits a PromQL expression into tokens, without comments and white space (prometheus/prometheus:
 * promql/parser/lex.go). Null for unknown characters, unbalanced brackets or too many tokens: such
 * an expression counts as unreadable.
 */
export function promqlTokens(expression: string): Token[] | null {
  const tokens: Token[] = [];
  const open: string[] = [];
  for (let at = 0; at < expression.length;) {
    const pattern = open.at(-1) === '[' ? rangePattern : tokenPattern;
    pattern.lastIndex = at;
    const match = pattern.exec(expression);
    if (match === null || tokens.length > tokensMax) return null;
    at = pattern.lastIndex;
    const token = tokenOf(match);
    if (token === null) continue;
    const before = tokens.at(-1);
    tokens.push(token);
    if (!isInPlace(token, before, open)) return null;
  }
  return open.length === 0 ? tokens : null;
}

const closing: ReadonlyMap<string, string> = new Map([['(', ')'], ['[', ']'], ['{', '}']]);
const matching: ReadonlySet<string> = new Set(['=', '!=', '=~', '!~']);

/** Tracks open brackets; false for an unbalanced bracket or a misplaced sign. */
function isInPlace({ kind, text }: Token, before: Token | undefined, open: string[]): boolean {
  if (kind !== 'sign') return true;
  if (')]}'.includes(text)) return closing.get(open.pop() ?? '') === text;
  const isMatcher = open.at(-1) === '{';
  if (closing.has(text)) open.push(text);
  if (isMatcher) return text === ',' || (matching.has(text) && before?.kind !== 'sign');
  return text === '!=' || !matching.has(text);
}

/** Null for white space and comments. */
function tokenOf({ groups }: RegExpExecArray): Token | null {
  const { number, word, text, sign } = groups ?? {};
  if (number !== undefined) return { kind: 'number', text: number, written: number };
  if (text !== undefined) return { kind: 'text', text: text.slice(1, -1), written: text };
  if (sign !== undefined) return { kind: 'sign', text: sign, written: sign };
  return word === undefined ? null : { kind: 'word', text: word, written: word };
}

const decimal = String.raw`(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)`;
const number =
  String.raw`0x[\da-f]+|(?:\d+(?:ms|[smhdwy]))+|${decimal}(?:[KMGT]iB?|(?:e[+-]?\d+)?)`;
const quoted = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\x60[^\x60]*\x60`;
const signs = String.raw`==|!=|=~|!~|>=|<=|[-+*\/%^><=(){}\[\],:@]`;
const tokenPattern = patternWith(String.raw`[a-z_:][\w:.]*`);
/** Between square brackets a colon begins no name: `[1h:5m]`. */
const rangePattern = patternWith(String.raw`[a-z_][\w:.]*`);

function patternWith(word: string): RegExp {
  return new RegExp(
    String.raw`\s+|#[^\n]*|(?<number>(?:${number})(?![\w.]))|(?<word>${word})|` +
      `(?<text>${quoted})|(?<sign>${signs})`,
    'giuy',
  );
}

/** Whether the token is one of the words, in any case. */
export function isWord(token: Token | undefined, ...words: readonly string[]): boolean {
  return token?.kind === 'word' && words.includes(token.text.toLowerCase());
}

export function isSign(token: Token | undefined, signs: string): boolean {
  return token?.kind === 'sign' && token.text.length === 1 && signs.includes(token.text);
}

/** The tokens as a query again, with normalised white space. */
export function textOf(tokens: readonly Token[]): string {
  let query = '';
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1];
    const isTight =
      before === undefined || isSign(token, ')]},:{[') || isSign(before, '([{:@') ||
      (isSign(token, '(') && before.kind === 'word' && !isWord(before, 'and', 'or', 'unless')) ||
      isMatcherPart(before, token);
    query += isTight ? token.written : ` ${token.written}`;
  }
  return query;
}

function isMatcherPart(before: Token, token: Token): boolean {
  const matching = ['=', '=~', '!~'];
  return matching.includes(token.text) || matching.includes(before.text);
}
