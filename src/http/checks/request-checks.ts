import type { IncomingMessage } from 'node:http';
import { refusal, type HttpError } from '../http-errors.ts';

/** Well below Node's own limit, beyond which it drops fields silently. */
const headerFieldsMax = 64;

/** A name or address and a port; no path, user info, list or space. RFC 9112, section 3.2. */
const hostPattern = /^(?:[\w.~-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Refuses what Node's strict parser accepts although RFC 9112 forbids it: each is a way to make two
 * servers in a chain disagree about a request (request smuggling). Throws HttpError.
 */
export function refuseMalformed(request: IncomingMessage): void {
  refuseVersion(request.httpVersion);
  refuseTarget(request.url ?? '');
  refuseFields(request);
}

function refuseVersion(version: string): void {
  if (version === '1.1' || version === '1.0') return;
  throw version === '0.9' ? badRequest('No HTTP version') : refusal('unsupportedHttpVersion');
}

/** Only the origin form: the absolute form has an authority that may contradict `Host`. */
function refuseTarget(target: string): void {
  if (!target.startsWith('/')) throw badRequest('Target is not in origin form');
  if (target.includes('#')) throw badRequest('Target has a fragment');
}

function refuseFields(request: IncomingMessage): void {
  const fields = request.rawHeaders;
  if (fields.length > headerFieldsMax * 2) throw refusal('tooManyHeaderFields');
  let hosts = 0;
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') {
      hosts += 1;
      if (!hostPattern.test(fields[index + 1] ?? '')) throw badRequest('Malformed Host header');
    } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      refuseTransferEncoding(request);
    }
  }
  const isComplete = hosts === 1 || (hosts === 0 && request.httpVersion === '1.0');
  if (!isComplete) throw badRequest('Not exactly one Host header');
}

function refuseTransferEncoding({ headers, httpVersion }: IncomingMessage): void {
  if (httpVersion === '1.0') throw badRequest('Transfer-Encoding in HTTP/1.0');
  if (headers['content-length'] !== undefined) throw badRequest('Two kinds of body length');
  // Several fields arrive joined with commas, so this also refuses two of them.
  if (headers['transfer-encoding']?.toLowerCase() !== 'chunked') {
    throw refusal('unsupportedTransferEncoding');
  }
}

function badRequest(why: string): HttpError {
  return refusal('badRequest', { why });
}
