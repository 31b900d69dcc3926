import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { refusal } from '../http-errors.ts';

/** The names of this service. */
export interface OwnHosts {
  /** The host, with port, that readers use: that of REPORT_BASE_URL, known once it listens. */
  readonly base: () => string;
  /** HOST: a name or an address. */
  readonly listening: string;
}

/**
 * Refuses what a browser sends on behalf of another site (CSRF), which could otherwise post with
 * the reader's network access or login. Throws HttpError 403.
 *
 * A site can have its own name resolve to this service (DNS rebinding): then it is of the same
 * origin as the Host that was asked, so that has to be a name that only we can have. Programs may
 * ask for any name, as Alertmanager does in a cluster: they send neither Origin nor Sec-Fetch-Site,
 * and a browser sends Origin with every POST.
 */
export function refuseCrossSite(headers: IncomingHttpHeaders, own: OwnHosts): void {
  if (isOfOtherSite(headers)) throw refusedSite();
  const { origin, host = '', 'sec-fetch-site': site } = headers;
  if (origin === undefined && site === undefined) return;
  const from = parsedOrigin(origin ?? `http://${host}`);
  if (from.host === own.base()) return;
  const asked = `${from.protocol}//${host}`;
  const isSame = URL.canParse(asked) && new URL(asked).host === from.host;
  if (isSame && isNobodyElses(from.hostname, own.listening)) return;
  const why = isSame ? 'Its Host is neither that of REPORT_BASE_URL nor HOST, nor an address'
    : 'Its Origin is neither the host of REPORT_BASE_URL nor that of its Host field';
  throw refusal('forbidden', { why });
}

/** Throws HttpError 403 also for the origin `null`. */
function parsedOrigin(origin: string): URL {
  const from = URL.canParse(origin) ? new URL(origin) : null;
  if (from !== null && from.host !== '') return from;
  throw refusal('forbidden', { why: 'Its Origin is not an address' });
}

/** Whether no other site can have the name: nobody can have an address resolve to another. */
function isNobodyElses(hostname: string, listening: string): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || /^(?:.+\.)?localhost$/.test(hostname) ||
    hostname === listening.toLowerCase();
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
