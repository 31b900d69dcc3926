import { isAscii, isUtf8 } from 'node:buffer';
import { isWithinJsonLimits } from '../../lib/json-limits.ts';
import { whyNotJson } from '../../lib/why-not-json.ts';
import { refusal, type RefusalName } from '../http-errors.ts';

/** Decodes a body. Throws the refusal for invalid UTF-8, which decoding would silently replace. */
export function textIn(body: Buffer, refused: RefusalName): string {
  // Most bodies are ASCII; decoding those as Latin-1 is several times as fast.
  if (isAscii(body)) return body.toString('latin1');
  if (!isUtf8(body)) throw refusal(refused, { why: 'The body is not UTF-8' });
  return body.toString('utf8');
}

const byteOrderMark = Buffer.from('\uFEFF');

/** Without the mark that programs of Windows put before UTF-8; JSON allows none (RFC 8259, 8.1). */
export function withoutMark(body: Buffer): Buffer {
  const hasMark = body.subarray(0, byteOrderMark.length).equals(byteOrderMark);
  return hasMark ? body.subarray(byteOrderMark.length) : body;
}

/**
 * Throws the refusal also for nesting that would later break `JSON.stringify` and `postMessage`,
 * and for millions of tiny values.
 */
export function parseJson(text: string, refused: RefusalName): unknown {
  if (!isWithinJsonLimits(text)) {
    throw refusal(refused, { why: 'The body is nested too deeply or has too many values' });
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw refusal(refused, { why: `The body ${whyNotJson(text, error)}` });
  }
}
