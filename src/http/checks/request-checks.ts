import type { IncomingMessage } from 'node:http';
import {
  badRequest, tooManyHeaderFields, unsupportedHttpVersion, unsupportedTransferEncoding,
} from '../http-errors.ts';

/** Beyond it Node's own limit would drop fields silently. */
const headerFieldsMax = 64;

/** A name or an address and a port; no path, user info, list or blank. RFC 9112, section 3.2. */
const hostPattern = /^(?:[\w.~-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Refuses what Node's strict parser lets pass although RFC 9112 forbids it, each a way to make two
 * servers in a row disagree about a request. Throws HttpError.
 */
export function refuseMalformed(request: IncomingMessage): void {
  refuseVersion(request.httpVersion);
  refuseTarget(request.url ?? '');
  refuseFields(request);
}

function refuseVersion(version: string): void {
  if (version === '1.1' || version === '1.0') return;
  throw version === '0.9' ? badRequest('No version') : unsupportedHttpVersion();
}

/** Only the origin form: a proxy's form would bring an authority to disagree about. */
function refuseTarget(target: string): void {
  if (!target.startsWith('/')) throw badRequest('Target is not in origin form');
  if (target.includes('#')) throw badRequest('Target has a fragment');
}

function refuseFields(request: IncomingMessage): void {
  const fields = request.rawHeaders;
  if (fields.length > headerFieldsMax * 2) throw tooManyHeaderFields();
  let hosts = 0;
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') {
      hosts += 1;
      if (!hostPattern.test(fields[index + 1] ?? '')) throw badRequest('Malformed Host');
    } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      refuseTransferEncoding(request);
    }
  }
  const isComplete = hosts === 1 || (hosts === 0 && request.httpVersion === '1.0');
  if (!isComplete) throw badRequest('Not exactly one Host');
}

function refuseTransferEncoding({ headers, httpVersion }: IncomingMessage): void {
  if (httpVersion === '1.0') throw badRequest('Transfer-Encoding in HTTP/1.0');
  if (headers['content-length'] !== undefined) throw badRequest('Both lengths');
  // Several fields arrive joined with commas, so this also refuses two of them.
  if (headers['transfer-encoding']?.toLowerCase() !== 'chunked') {
    throw unsupportedTransferEncoding();
  }
}
