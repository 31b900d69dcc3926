import { isAscii, isUtf8 } from 'node:buffer';
import { isWithinJsonLimits } from '../../lib/json-limits.ts';
import { invalidAlertFormat } from '../http-errors.ts';

/**
 * Decodes and parses a body as JSON, refusing what would only be found out dearly: invalid UTF-8,
 * which decoding would silently replace, nesting that later breaks `JSON.stringify` and
 * `postMessage`, and millions of tiny values. Throws `Invalid alert format`.
 */
export function parseJsonBody(body: Buffer): { readonly text: string; readonly value: unknown } {
  const text = decode(body);
  if (!isWithinJsonLimits(text)) throw invalidAlertFormat('The body is nested or split too far');
  try {
    return { text, value: JSON.parse(text) as unknown };
  } catch (error) {
    throw invalidAlertFormat(whyNotJson(text, error));
  }
}

/** Where it breaks, as far as that is known: the parser's own message quotes the text. */
export function whyNotJson(text: string, error: unknown): string {
  if (text.trim() === '') return 'The body is empty';
  const message = error instanceof Error ? error.message : '';
  if (message === 'Unexpected end of JSON input') return 'The body is no JSON: it ends too early';
  const [, position] = / at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message) ?? [];
  return position === undefined ? 'The body is no JSON' : `The body is no JSON at ${position}`;
}

/** Most bodies are ASCII, which as Latin-1 is decoded several times as fast. */
function decode(body: Buffer): string {
  if (isAscii(body)) return body.toString('latin1');
  if (!isUtf8(body)) throw invalidAlertFormat('The body is not UTF-8');
  return body.toString('utf8');
}
