import { isAscii, isUtf8 } from 'node:buffer';
import { isWithinJsonLimits } from '../../lib/json-limits.ts';
import { whyNotJson } from '../../lib/why-not-json.ts';
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
    throw invalidAlertFormat(`The body ${whyNotJson(text, error)}`);
  }
}

/** Most bodies are ASCII; decoding those as Latin-1 is several times as fast. */
function decode(body: Buffer): string {
  if (isAscii(body)) return body.toString('latin1');
  if (!isUtf8(body)) throw invalidAlertFormat('The body is not UTF-8');
  return body.toString('utf8');
}
