import type { Token } from './promql-tokens.ts';

const unitSeconds: Readonly<Record<string, number>> = {
  ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000,
};

/** Nobody writes a longer number, and the reader is recursive. */
const tokensMax = 64;

/**
 * The value of plain arithmetic over numbers (`0.5`, `-1`, `10 * 1024 ^ 3`, `5m`); null for
 * anything else.
 */
export function scalarOf(tokens: readonly Token[]): number | null {
  if (tokens.length > tokensMax) return null;
  const reader = { tokens, at: 0 };
  const value = sum(reader);
  return reader.at === tokens.length && Number.isFinite(value) ? value : null;
}

interface Reader {
  readonly tokens: readonly Token[];
  at: number;
}

/** Takes the next token when it is one of the signs. */
function take(reader: Reader, signs: string): string | null {
  const token = reader.tokens[reader.at];
  if (token?.kind !== 'sign' || !signs.includes(token.text)) return null;
  reader.at += 1;
  return token.text;
}

function sum(reader: Reader): number {
  let value = product(reader);
  for (let sign = take(reader, '+-'); sign !== null; sign = take(reader, '+-')) {
    const right = product(reader);
    value = sign === '+' ? value + right : value - right;
  }
  return value;
}

function product(reader: Reader): number {
  let value = signed(reader);
  for (let sign = take(reader, '*/%'); sign !== null; sign = take(reader, '*/%')) {
    const right = signed(reader);
    value = sign === '*' ? value * right : sign === '/' ? value / right : value % right;
  }
  return value;
}

function signed(reader: Reader): number {
  const sign = take(reader, '+-');
  if (sign !== null) return sign === '-' ? -signed(reader) : signed(reader);
  const base = atom(reader);
  return take(reader, '^') === null ? base : base ** signed(reader);
}

/** NaN for anything but a number. */
function atom(reader: Reader): number {
  if (take(reader, '(') !== null) {
    const inner = sum(reader);
    return take(reader, ')') === null ? Number.NaN : inner;
  }
  const token = reader.tokens[reader.at];
  if (token?.kind !== 'number') return Number.NaN;
  reader.at += 1;
  return numberOf(token.text);
}

function numberOf(text: string): number {
  const direct = Number(text);
  if (!Number.isNaN(direct)) return direct;
  const parts = [...text.matchAll(/(\d+)(ms|[smhdwy])/giu)];
  return parts.reduce((total, [, count, unit]) => {
    return total + Number(count) * (unitSeconds[unit?.toLowerCase() ?? ''] ?? Number.NaN);
  }, 0);
}
