import type { Token } from './promql-tokens.ts';

/** Nobody nests more redundant parentheses. */
const depthMax = 20;

export function withoutParentheses(tokens: readonly Token[]): readonly Token[] {
  let inner = tokens;
  for (let depth = 0; depth < depthMax; depth += 1) {
    if (inner[0]?.text !== '(' || closingOf(inner, 0) !== inner.length - 1) break;
    inner = inner.slice(1, -1);
  }
  return inner;
}

/** Indexes of the tokens outside all brackets. */
export function topLevel(tokens: readonly Token[]): number[] {
  const found: number[] = [];
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    if (isSign(token, '([{')) depth += 1;
    else if (isSign(token, ')]}')) depth -= 1;
    else if (depth === 0) found.push(index);
  }
  return found;
}

export function closingOf(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let index = open; index < tokens.length; index += 1) {
    if (isSign(tokens[index], '([{')) depth += 1;
    if (isSign(tokens[index], ')]}')) depth -= 1;
    if (depth === 0) return index;
  }
  return -1;
}

/** The tokens as a query again, with normalised white space. */
export function textOf(tokens: readonly Token[]): string {
  let query = '';
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1];
    const isTight =
      before === undefined || isSign(token, ')]},:{[') || isSign(before, '([{:@') ||
      (isSign(token, '(') && before.kind === 'word') || isMatcherPart(before, token);
    query += isTight ? token.written : ` ${token.written}`;
  }
  return query;
}

function isMatcherPart(before: Token, token: Token): boolean {
  const matching = ['=', '=~', '!~'];
  return matching.includes(token.text) || matching.includes(before.text);
}

export function isWord(token: Token | undefined, word: string): boolean {
  return token?.kind === 'word' && token.text.toLowerCase() === word;
}

export function isSign(token: Token | undefined, signs: string): boolean {
  return token?.kind === 'sign' && token.text.length === 1 && signs.includes(token.text);
}
