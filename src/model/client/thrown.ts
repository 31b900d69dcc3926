/** Cleans texts and errors from outside before they reach logs and reports. */
import { codeOf, connectionText, hasMessage, tlsText } from '../../lib/thrown-by-fetch.ts';
import { shownText } from '../../report/shown-text.ts';
import type { ModelAccess } from './model-access.ts';
import { ModelError, type ModelErrorKind, type ModelErrorType } from './model-error.ts';

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
  const code = codeOf(error);
  if (hasMessage(error, 'unexpected redirect')) {
    return unreachable('it redirects to another address', 'redirect');
  }
  if (hasMessage(error, 'bad port')) {
    // `fetch` refuses to connect to ports of other protocols.
    return unreachable('its port is not one for HTTP', 'connection', 'config');
  }
  if (/^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/.test(code)) {
    // A server that answers a TLS handshake with something else mostly speaks plain HTTP.
    return unreachable('it does not speak TLS; use http:// in its address', 'connection', 'config');
  }
  const distrust = tlsText(code);
  if (distrust !== null) return unreachable(distrust, 'tls');
  const text = connectionText(code);
  if (text !== null) return unreachable(text, 'connection');
  return unreachable(`the connection broke${code === '' ? '' : ` (${code})`}`, 'connection');
}

function unreachable(why: string, type: ModelErrorType, kind?: ModelErrorKind): ModelError {
  const message = `The model's server cannot be reached: ${why}`;
  return new ModelError(message, { type, ...(kind && { kind }) });
}
