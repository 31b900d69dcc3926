/**
 * What an error thrown by `fetch` or `node:https` is about. Only its code is looked at, and texts
 * only to be recognised: those of the runtime hold addresses, and headers when these are at fault.
 */

const tlsCode =
  /^(ERR_(TLS|SSL|OSSL)|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_|INVALID_CA|EPROTO)/;
/** What answers is no TLS: nothing that a certificate could mend. */
const plainCode = 'ERR_SSL_WRONG_VERSION_NUMBER';
const plainText = 'it speaks no TLS there: its URL may have to begin with http://';
const connectionTexts: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ENOTFOUND', 'its host name is not known'],
  ['EAI_AGAIN', 'its host name could not be looked up'],
  ['EHOSTUNREACH', 'its host cannot be reached'],
  ['ENETUNREACH', 'its network cannot be reached'],
  ['ETIMEDOUT', 'the connection timed out'],
  ['UND_ERR_CONNECT_TIMEOUT', 'the connection timed out'],
  [plainCode, plainText],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', plainText],
]);

/** The innermost code: `fetch` wraps what happened into a TypeError, sometimes twice. */
export function codeOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 3) return '';
  const inner = codeOf(error.cause, depth + 1);
  if (inner !== '') return inner;
  if (!('code' in error) || typeof error.code !== 'string') return '';
  // `node:https` has one code for all that goes wrong in a handshake.
  const isPlain = error.code === 'EPROTO' && error.message.includes(':wrong version number:');
  return isPlain ? plainCode : error.code;
}

/** Whether the error, or one it wraps, has exactly this message. */
export function hasMessage(error: unknown, message: string): boolean {
  if (!(error instanceof Error)) return false;
  return error.message === message || hasMessage(error.cause, message);
}

/** Whether the code says that the other side's certificate or TLS itself was the trouble. */
export function isTlsCode(code: string): boolean {
  return tlsCode.test(code) && !connectionTexts.has(code);
}

/** Why there was no connection, in words; null for a code that says something else. */
export function connectionText(code: string): string | null {
  return connectionTexts.get(code) ?? null;
}
