/** Cleans texts and errors from outside before they reach logs and reports. */
import { faultOfHttp } from '../../lib/http-fault.ts';
import { shownText } from '../../report/shown-text.ts';
import type { ModelAccess } from './model-access.ts';
import { ModelError } from './model-error.ts';

const textLengthMax = 200;
/** Shorter keys are not removed from texts, as they may be parts of words. */
const keyLengthMin = 4;

/**
 * One printable line of at most 200 characters without the key, which some servers repeat in whole
 * or in part.
 */
export function cleanText(text: string, { apiKey }: Pick<ModelAccess, 'apiKey'>): string {
  const isCut = apiKey !== null && apiKey.length >= keyLengthMin;
  const line = (isCut ? text.replaceAll(apiKey, '***') : text)
    .replace(/\b(Bearer\s+|sk-|key-|gsk_|xai-)[\w*.-]{4,}/gi, '***')
    .replace(/(?<=\/\/)[^\s/@]{1,200}@/g, '***@')
    .replace(/\p{Cf}+/gu, ' ');
  return shownText(line, textLengthMax);
}

/** The runtime's own messages are not passed on: they contain addresses, and invalid headers. */
export function errorOfThrown(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  const { kind, text, code } = faultOfHttp(error);
  const named = code === '' ? '' : ` (${code})`;
  const why = mayBeBilled(error) ? `the connection broke${named}` : text;
  return new ModelError(`The model's server cannot be reached: ${why}`, {
    type: kind === 'redirect' || kind === 'tls' ? kind : 'connection',
    ...(kind === 'plain' && { kind: 'config' }),
  });
}

/** Whether the server may have read the request: not when it could not be connected to. */
export function mayBeBilled(error: unknown): boolean {
  if (error instanceof ModelError) return error.kind === 'malformed';
  const { kind } = faultOfHttp(error);
  return kind === 'reset' || kind === 'unknown';
}
