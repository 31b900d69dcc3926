import type { IncomingHttpHeaders } from 'node:http';
import { refusal } from '../http-errors.ts';

/**
 * Refuses what a browser sends on behalf of another site (CSRF), which could otherwise post with
 * the reader's network access or login. Programs other than browsers send neither header. Throws
 * HttpError 403. `ownHost` returns the host, with port, that readers use.
 */
export function refuseCrossSite(headers: IncomingHttpHeaders, ownHost: () => string): void {
  if (isOfOtherSite(headers)) throw refusedSite();
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

/**
 * Refuses what a browser loads for a page of another site, except by a link to here. That page
 * could not read it, but would use up the reader's limit, and learn from the time it takes what a
 * search finds (XS-Search). Throws HttpError 403.
 */
export function refuseEmbedded(headers: IncomingHttpHeaders): void {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination = 'document' } = headers;
  const isLink = mode === 'navigate' && destination === 'document'; // The other is a frame.
  if (isOfOtherSite(headers) && !isLink) throw refusedSite();
}

function isOfOtherSite({ 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

function refusedSite(): Error {
  return refusal('forbidden', { why: 'A browser sent it from another site' });
}
