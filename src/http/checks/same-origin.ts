import type { IncomingHttpHeaders } from 'node:http';
import { refusal } from '../http-errors.ts';

/**
 * Refuses what a browser sends on behalf of another site (CSRF), which could otherwise post with
 * the reader's network access or login. Programs other than browsers send neither header. Throws
 * HttpError 403. `ownHost` returns the host, with port, that readers use.
 */
export function refuseCrossSite(headers: IncomingHttpHeaders, ownHost: () => string): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw refusal('forbidden', { why: 'A browser sent it from another site' });
  }
  const { origin } = headers;
  if (origin === undefined) return;
  const from = URL.canParse(origin) ? new URL(origin) : null;
  // Includes the origin `null`.
  if (from === null || from.host === '') {
    throw refusal('forbidden', { why: 'Its Origin is not an address' });
  }
  const asked = `${from.protocol}//${headers.host ?? ''}`;
  const hosts = [ownHost(), URL.canParse(asked) ? new URL(asked).host : ''];
  if (!hosts.includes(from.host)) {
    const why = 'Its Origin is neither the host of REPORT_BASE_URL nor that of its Host field';
    throw refusal('forbidden', { why });
  }
}
