/** What is made of texts and errors that come from outside, before anybody sees them. */
import { codeOf, connectionText, hasMessage, isTlsCode } from '../../lib/thrown-by-fetch.ts';
import type { ModelAccess } from './model-access.ts';
import { ModelError, type ModelErrorKind, type ModelErrorType } from './model-error.ts';

const textLengthMax = 200;
/** Shorter keys are too common to be cut out of a text. */
const keyLengthMin = 4;

/**
 * One printable line of at most 200 characters, without the key: some servers repeat what they
 * were sent, or parts of it.
 */
export function cleanText(text: string, { apiKey }: Pick<ModelAccess, 'apiKey'>): string {
  const isCut = apiKey !== null && apiKey.length >= keyLengthMin;
  const line = (isCut ? text.replaceAll(apiKey, '***') : text)
    .replace(/\b(Bearer\s+|sk-|key-|gsk_|xai-)[\w*.-]{4,}/gi, '***')
    .replace(/(?<=\/\/)[^\s/@]{1,200}@/g, '***@')
    .replace(/[\s\p{Cc}\p{Cf}\p{Surrogate}]+/gu, ' ')
    .trim();
  return line.length <= textLengthMax ? line : `${line.slice(0, textLengthMax - 1)}…`;
}

/** Texts of the runtime are not passed on: they hold addresses, and headers when those fail. */
export function errorOfThrown(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  const code = codeOf(error);
  if (hasMessage(error, 'unexpected redirect')) {
    return lost('it redirects to another address', 'redirect');
  }
  if (hasMessage(error, 'bad port')) {
    // Ports of other protocols, which `fetch` never connects to.
    return lost('its port is not one for HTTP', 'connection', 'config');
  }
  if (/^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/.test(code)) {
    // What answers a greeting of TLS with something else speaks plain HTTP, mostly.
    return lost('it speaks no TLS: its address begins with http://', 'connection', 'config');
  }
  if (isTlsCode(code)) return lost(`no trusted connection (${code})`, 'tls');
  const text = connectionText(code);
  if (text !== null) return lost(text, 'connection');
  return lost(`the connection broke${code === '' ? '' : ` (${code})`}`, 'connection');
}

function lost(why: string, type: ModelErrorType, kind?: ModelErrorKind): ModelError {
  const message = `The model's server cannot be reached: ${why}`;
  return new ModelError(message, { type, ...(kind && { kind }) });
}
