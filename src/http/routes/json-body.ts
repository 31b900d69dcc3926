import { isAscii, isUtf8 } from 'node:buffer';
import { isWithinJsonLimits } from '../../lib/json-limits.ts';
import { invalidAlertFormat } from '../http-errors.ts';

/**
 * Decodes and parses a body as JSON. Refuses invalid UTF-8, which decoding would silently replace,
 * nesting that would later break `JSON.stringify` and `postMessage`, and millions of tiny values.
 * Throws HttpError 400.
 */
export function parseJsonBody(body: Buffer): { readonly text: string; readonly value: unknown } {
  const text = decode(body);
  if (!isWithinJsonLimits(text)) {
    throw invalidAlertFormat('The body is nested too deeply or has too many values');
  }
  try {
    return { text, value: JSON.parse(text) as unknown };
  } catch (error) {
    throw invalidAlertFormat(whyNotJson(text, error));
  }
}

/** Where parsing failed, if known. The parser's own message is not used, as it quotes the text. */
export function whyNotJson(text: string, error: unknown): string {
  if (text.trim() === '') return 'The body is empty';
  const message = error instanceof Error ? error.message : '';
  if (message === 'Unexpected end of JSON input') return 'The body is not JSON: it ends too early';
  const [, position] = / at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message) ?? [];
  const where = position === undefined ? '' : `: it breaks at position ${position}`;
  return `The body is not JSON${where}`;
}

/** Most bodies are ASCII; decoding those as Latin-1 is several times as fast. */
function decode(body: Buffer): string {
  if (isAscii(body)) return body.toString('latin1');
  if (!isUtf8(body)) throw invalidAlertFormat('The body is not UTF-8');
  return body.toString('utf8');
}
