/**
 * What an error of an HTTP exchange means. Judged by its code, and shown in our own words only: the
 * runtime's messages contain addresses, and sometimes headers.
 */

const tlsCode =
  /^(ERR_(TLS|SSL|OSSL)|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_|INVALID_CA|EPROTO)/;
/** The server does not speak TLS at all, which no certificate could fix. */
const plainCode = /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/;
const resetCode = /^(ECONNRESET|EPIPE|ECONNABORTED|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_SOCKET)$/;
const connectionTexts: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ENOTFOUND', 'its host name was not found'],
  ['EAI_AGAIN', 'its host name could not be looked up'],
  ['EHOSTUNREACH', 'its host cannot be reached'],
  ['ENETUNREACH', 'its network cannot be reached'],
  ['ETIMEDOUT', 'the connection timed out'],
  ['UND_ERR_CONNECT_TIMEOUT', 'the connection timed out'],
  ['EMFILE', 'this service may open no more files'],
]);

const untrusted = 'no trusted authority signed its certificate';
const tlsTexts: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', 'its certificate, or one of an authority that signed it, has expired'],
  ['CERT_NOT_YET_VALID', 'its certificate is not valid yet, or the clock here is wrong'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another host'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', untrusted],
  ['SELF_SIGNED_CERT_IN_CHAIN', untrusted],
  ['UNABLE_TO_GET_ISSUER_CERT', untrusted],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', untrusted],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', untrusted],
  [
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    'it demands a client certificate, which this service cannot send',
  ],
]);

export interface HttpFault {
  /** `reset`: broken off once connected. `unknown`: none of the others, mostly that as well. */
  readonly kind: 'redirect' | 'plain' | 'tls' | 'unreachable' | 'reset' | 'unknown';
  /** For people, as the end of a sentence. */
  readonly text: string;
  /** The runtime's code; empty if there is none. */
  readonly code: string;
}

export function faultOfHttp(error: unknown): HttpFault {
  const code = codeOf(error);
  if (plainCode.test(code)) {
    const text = 'it does not speak TLS on that port: its URL may have to begin with http://';
    return { kind: 'plain', text, code };
  }
  if (tlsCode.test(code)) {
    const text = tlsTexts.get(code) ?? `the TLS handshake failed (${code})`;
    return { kind: 'tls', text, code };
  }
  if (resetCode.test(code)) return { kind: 'reset', text: 'the connection broke', code };
  const unreachable = connectionTexts.get(code);
  if (unreachable !== undefined) return { kind: 'unreachable', text: unreachable, code };
  if (code === 'ERR_REDIRECT') {
    return { kind: 'redirect', text: 'it redirects to another address', code };
  }
  if (code === 'ERR_CONTENT_ENCODING') {
    return { kind: 'unknown', text: 'its answer is encoded in a way that was not asked for', code };
  }
  const named = code === '' ? '' : ` (${code})`;
  return { kind: 'unknown', text: `its answer could not be read${named}`, code };
}

/** The reason that OpenSSL gives in its message, after the number of its error and two names. */
const handshakeReason = /:error:[0-9A-F]+:[^:]*:[^:]*:([a-z0-9 ]+):/i;

/**
 * The innermost error's code: `fetch` wraps the cause in a TypeError, sometimes twice. Where a
 * handshake fails, Node may have one code for all reasons, and the reason in its text.
 */
function codeOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 3) return '';
  const inner = codeOf(error.cause, depth + 1);
  if (inner !== '') return inner;
  if (!('code' in error) || typeof error.code !== 'string') return '';
  const reason = error.code === 'EPROTO' ? handshakeReason.exec(error.message)?.[1] : undefined;
  return reason === undefined ? error.code : `ERR_SSL_${reason.toUpperCase().replace(/ /g, '_')}`;
}
